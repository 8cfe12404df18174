"""Reads small kernel files below a root directory, and says why when it cannot."""

from __future__ import annotations

import os
from pathlib import Path

from mecha_tui.core.reading import Reading, known, unknown

SIZE_LIMIT_BYTES = 1 << 20
PIECE_BYTES = 1 << 16
LARGEST = (1 << 63) - 1
"""No amount of memory is above this; a larger figure is a fault or a sentinel."""


def read_text(path: Path) -> Reading[str]:
    """Return a file's text, or why it cannot be read. Undecodable bytes become U+FFFD."""
    try:
        return known(_read(path).decode("utf-8", "replace"), _shown(path))
    except PermissionError:
        return unknown(f"no permission to read {_shown(path)}")
    except (FileNotFoundError, ProcessLookupError, NotADirectoryError):
        return unknown(f"there is no {_shown(path)}")
    except OSError as error:
        return unknown(f"{_shown(path)}: {error.strerror or 'cannot be read'}")


def _read(path: Path) -> bytes:
    """Read without any buffer between: most of these files are one line, and asked often."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        pieces = []
        left = SIZE_LIMIT_BYTES
        while left > 0:
            piece = os.read(descriptor, min(left, PIECE_BYTES))
            if not piece:
                break
            pieces.append(piece)
            left -= len(piece)
        return b"".join(pieces)
    finally:
        os.close(descriptor)


def read_number(path: Path) -> Reading[int]:
    """Return the one number that a file holds."""
    text = read_text(path)
    if text.value is None:
        return unknown(text.reason or "")
    return number(text.value.strip(), text.source or "")


def number(text: str, source: str) -> Reading[int]:
    """Return a count of bytes that makes sense: not negative, and below 2⁶³."""
    if not (text.isascii() and text.isdigit()):
        return unknown(f"{source} holds no number")
    value = int(text) if len(text) < 25 else LARGEST + 1
    return unknown(f"{source} is out of range") if value > LARGEST else known(value, source)


def exists(path: Path) -> bool:
    """Return whether a path is there and visible; a forbidden one is not."""
    return os.path.exists(path)


def directory(path: Path) -> Reading[tuple[str, ...]]:
    """Return the names in a directory, sorted, or why it cannot be listed."""
    try:
        return known(tuple(sorted(one.name for one in path.iterdir())), _shown(path))
    except PermissionError:
        return unknown(f"no permission to list {_shown(path)}")
    except OSError:
        return unknown(f"there is no {_shown(path)}")


def _shown(path: Path) -> str:
    """Name a file as the user knows it, whatever the root is."""
    parts = path.parts
    for top in ("proc", "sys", "etc"):
        if top in parts:
            return "/" + "/".join(parts[parts.index(top) :])
    return str(path)
