"""Reads one TOML file, with a single sentence for everything that can be wrong with it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from mecha_tui.errors import UsageError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

LIMIT_BYTES = 1_000_000
"""More than any settings file holds; a larger file is somebody's mistake."""


def read_toml(path: Path) -> Mapping[str, object]:
    """Return a TOML file's content.

    Raises:
        UsageError: The file cannot be read, is too large, is not text, or is not TOML.
            The message names the file, the place and what to do.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(LIMIT_BYTES + 1)
    except IsADirectoryError as error:
        raise UsageError(f"{path} is a directory: give a TOML file") from error
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UsageError(
            f"{path} cannot be read ({reason}): check the path and its rights"
        ) from error
    if len(raw) > LIMIT_BYTES:
        raise UsageError(f"{path} is larger than {LIMIT_BYTES:,} bytes: this is no settings file")
    try:
        return tomllib.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{path} is not UTF-8 text (byte {error.start}): save it as UTF-8"
        ) from error
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} is not valid TOML: {error}; correct it there") from error
    except ValueError as error:
        # Python itself refuses to read numbers of thousands of digits.
        raise UsageError(f"{path} holds a number that is too long: correct it") from error
    except RecursionError as error:
        raise UsageError(f"{path} is nested too deeply: simplify it") from error
