"""Settings files of other programs: JSON with comments, TOML and YAML, read with patience."""

from __future__ import annotations

import json
import re
import stat
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from mecha_tui.collect.clients.values import as_table
from mecha_tui.core.text import plain_text

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

LIMIT_BYTES = 1_000_000
_COMMENT_OR_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/', re.S)
_COMMA_OR_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])', re.S)

Parse = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Document:
    """One settings file."""

    path: Path
    shown: str
    """The path as the user writes it."""
    table: Mapping[str, object] = field(default_factory=dict)
    text: str = field(default="", repr=False)
    """The raw text, which may hold keys and is never shown."""
    problem: str | None = None
    """Why the table is empty, when the file could not be read."""


def read_document(path: Path, home: Path, parse: Parse) -> Document | None:
    """Return a file's content, or what is wrong with it; None where there is no file."""
    try:
        about = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        shown = shown_path(path, home)
        return Document(path, shown, problem=f"{shown} cannot be read ({error.strerror})")
    shown = shown_path(path, home)
    if not stat.S_ISREG(about.st_mode):
        return Document(path, shown, problem=f"{shown} is no plain file")
    return _parsed(path, shown, parse, about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=64)
def _parsed(path: Path, shown: str, parse: Parse, changed_ns: int, size_bytes: int) -> Document:
    """Read a file once for each of its versions."""
    del changed_ns, size_bytes
    try:
        with path.open("rb") as file:
            raw = file.read(LIMIT_BYTES + 1)
    except OSError as error:
        return Document(path, shown, problem=f"{shown} cannot be read ({error.strerror})")
    if len(raw) > LIMIT_BYTES:
        return Document(path, shown, problem=f"{shown} is larger than {LIMIT_BYTES:,} bytes")
    text = raw.decode("utf-8-sig", "replace")
    try:
        return Document(path, shown, as_table(parse(text)), text)
    except (ValueError, RecursionError) as error:
        where = plain_text(str(error).partition("\n")[0], 100)
        return Document(path, shown, text=text, problem=f"{shown} cannot be understood: {where}")


def shown_path(path: Path, home: Path) -> str:
    """Return a path as the user writes it, safe to show."""
    try:
        return plain_text(f"~/{path.relative_to(home)}")
    except ValueError:
        return plain_text(str(path))


def parse_json(text: str) -> object:
    """Read JSON in which comments and commas before a closing bracket are allowed.

    Raises:
        ValueError: It is not JSON.
    """
    bare = _COMMENT_OR_TEXT.sub(lambda m: m[0] if m[0].startswith('"') else " ", text)
    bare = _COMMA_OR_TEXT.sub(lambda m: m[0] if m[0].startswith('"') else "", bare)
    return json.loads(bare) if bare.strip() else {}


def parse_toml(text: str) -> object:
    """Read TOML.

    Raises:
        ValueError: It is not TOML.
    """
    return tomllib.loads(text)


def parse_yaml(text: str) -> object:
    """Read YAML, plain values only.

    Raises:
        ValueError: It is not YAML; the message does not quote the file.
    """
    import yaml  # only where such a file exists

    try:
        return yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = "" if mark is None else f" at line {mark.line + 1}"
        raise ValueError(f"it is not valid YAML{line}") from None
    except yaml.YAMLError:
        raise ValueError("it is not valid YAML") from None
