"""Rounds written down as JSON lines, and read back as the same values.

Every dataclass is an object with its fields by name, without those that have their
default; an enum is its value. The types themselves say how to read it back.
"""

from __future__ import annotations

import gzip
import json
import types
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from mecha_tui.core.sample import Round

_Hint = Any
_Loose = Any
_FILE_TIME = 0
"""The same rounds make the same file, whenever they are written."""


def write_rounds(path: Path, rounds: Iterable[Round]) -> None:
    """Write rounds into a gzip file, one line each."""
    lines = "".join(json.dumps(as_json(one), ensure_ascii=False) + "\n" for one in rounds)
    path.write_bytes(gzip.compress(lines.encode(), mtime=_FILE_TIME))


def read_rounds(path: Path) -> list[Round]:
    """Return the rounds of a file that ``write_rounds`` made.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is not a recording.
    """
    text = gzip.decompress(path.read_bytes()).decode()
    try:
        return [from_json(Round, json.loads(line)) for line in text.splitlines()]
    except (KeyError, TypeError) as error:
        raise ValueError(f"{path} is not a recording: {error!r}") from None


def as_json(value: object) -> object:
    """Return a value of ours as what JSON can hold."""
    if is_dataclass(value) and not isinstance(value, type):
        told = ((one, getattr(value, one.name)) for one in fields(value))
        return {
            one.name: as_json(found)
            for one, found in told
            if one.default is MISSING or found != one.default
        }
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(name): as_json(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_json(one) for one in value]
    return value


_T = TypeVar("_T")


def from_json(kind: type[_T], value: object) -> _T:
    """Return what ``as_json`` wrote, as the type it was."""
    found: _T = _read(kind, value, {})
    return found


def _read(hint: _Hint, value: _Loose, given: Mapping[Any, _Hint]) -> _Loose:
    hint = given.get(hint, hint) if isinstance(hint, TypeVar) else hint
    origin: _Loose = get_origin(hint)
    arguments = get_args(hint)
    if value is None or hint in (object, Any):
        return value
    if origin in (Union, types.UnionType):
        return _read(next(one for one in arguments if one is not type(None)), value, given)
    if origin is tuple:
        return _read_tuple(arguments, value, given)
    if origin is not None and is_dataclass(origin):
        parameters = getattr(origin, "__parameters__", ())
        resolved = [given.get(one, one) for one in arguments]
        return _read_dataclass(origin, value, dict(zip(parameters, resolved, strict=True)))
    if isinstance(hint, type) and is_dataclass(hint):
        return _read_dataclass(hint, value, {})
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint(value)
    return value


def _read_tuple(arguments: tuple[_Hint, ...], value: _Loose, given: Mapping[Any, _Hint]) -> _Loose:
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        return tuple(_read(arguments[0], one, given) for one in value)
    return tuple(_read(one, each, given) for one, each in zip(arguments, value, strict=True))


def _read_dataclass(kind: _Loose, value: _Loose, given: Mapping[Any, _Hint]) -> _Loose:
    hints = get_type_hints(kind)
    return kind(**{name: _read(hints[name], one, given) for name, one in value.items()})
