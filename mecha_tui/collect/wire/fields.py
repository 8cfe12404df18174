"""Reads single fields of a reply: a usable value, or None."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping

from mecha_tui.core.text import NAME_LIMIT, plain_text

LARGEST = 2**53
"""No count, size or task number of a real server is larger; a larger one is a fault."""
_DEPTH_LIMIT = 4
_ITEM_LIMIT = 300


def read_json(body: bytes) -> object:
    """Return the JSON value in a body, or None for anything else.

    Invalid UTF-8 is replaced, so that one bad character does not cost the reply.
    """
    text = body.decode("utf-8", "replace")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return json.loads(text, parse_int=_read_integer)  # an integer of thousands of digits
    except (ValueError, RecursionError):
        return None


def _read_integer(digits: str) -> int | None:
    return int(digits) if len(digits) <= 20 else None


def integer(value: object, low: int = 0) -> int | None:
    """Return a whole number of at least ``low``; ``true`` is not one."""
    return value if type(value) is int and low <= value <= LARGEST else None


def boolean(value: object) -> bool | None:
    """Return true or false; a number is neither."""
    return value if type(value) is bool else None


def number(value: object) -> float | None:
    """Return a finite number that is not negative."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if 0 <= value <= LARGEST else None


def text(value: object, limit: int = NAME_LIMIT) -> str | None:
    """Return one safe line that is not empty."""
    return (plain_text(value, limit) or None) if type(value) is str else None


def mapping(value: object) -> Mapping[str, object]:
    """Return an object's fields; anything else has none."""
    return value if isinstance(value, dict) else {}


def first_mapping(value: object) -> Mapping[str, object]:
    """Return an object, or the first of a list of them: builds differ here."""
    if isinstance(value, list):
        return mapping(value[0]) if value else {}
    return mapping(value)


def parameters(value: object) -> dict[str, object]:
    """Return named JSON values with every text in them made safe and cut."""
    items = list(mapping(value).items())[:_ITEM_LIMIT]
    return {plain_text(name): _plain(item, _DEPTH_LIMIT) for name, item in items}


def _plain(value: object, depth: int) -> object:
    if isinstance(value, str):
        return plain_text(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, int) and abs(value) > 2**64:
        return None
    if isinstance(value, list):
        return tuple(_plain(item, depth - 1) for item in value[:_ITEM_LIMIT]) if depth else None
    if isinstance(value, dict):
        return _plain_mapping(value, depth) if depth else None
    return value


def _plain_mapping(value: dict[str, object], depth: int) -> dict[str, object]:
    items = list(value.items())[:_ITEM_LIMIT]
    return {plain_text(name): _plain(item, depth - 1) for name, item in items}
