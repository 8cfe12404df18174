"""Values of a settings file, each checked for its type, with where it stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from mecha_tui.core.client import SILENT
from mecha_tui.core.reading import Reading, known, unknown
from mecha_tui.core.text import plain_text

T = TypeVar("T", int, str, bool)

_WORDS = {int: "a whole number above 0", str: "a text", bool: "true or false"}


@dataclass(frozen=True, slots=True)
class Found:
    """One value and the place it was found in, such as ``~/.mecha/config.toml [agent]``."""

    value: object
    place: str
    file: str = ""
    """The file itself; empty where it is none."""


Table = Mapping[str, Found]
"""A merged table: for every key the value that counts, and where it stands."""


def read_value(table: Table, key: str, kind: type[T]) -> Reading[T]:
    """Return a key's value; unknown where it is absent or of another type."""
    found = table.get(key)
    if found is None or found.value is None:
        return unknown(SILENT)
    value = found.value
    if type(value) is not kind or (kind is int and isinstance(value, int) and value <= 0):
        return unknown(f"{found.place} {key} is not {_WORDS[kind]}")
    return known(plain_text(value) if isinstance(value, str) else value, found.place)


def as_table(value: object) -> Mapping[str, object]:
    """Return a table as it is, and anything else as an empty one."""
    return value if isinstance(value, dict) else {}
