"""Panels that are worked out again only when something they were made from changed."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from mecha_tui.core.picture import ServerPicture

T = TypeVar("T")

_KEPT = 4
"""Results kept of each function: a few sizes or servers between which one changes."""


class _Read:
    """Stands in for a picture and notes what is read of it."""

    def __init__(self, picture: ServerPicture) -> None:
        self._picture = picture
        self.seen: dict[str, object] = {}

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  # whatever the picture has there
        value = self.seen[name] = getattr(self._picture, name)
        return value


def remembered(function: Callable[..., T]) -> Callable[..., T]:
    """Return the function with a memory of its last results.

    A result is given again when all that the function read of its first argument, a
    picture, is as it was, and the other arguments are. What it read is noted, not listed,
    so nothing can be left out; its results are shared, so they must never be changed.
    """
    kept: deque[tuple[tuple[object, ...], dict[str, object], T]] = deque(maxlen=_KEPT)

    @wraps(function)
    def remembering(picture: ServerPicture, *others: object) -> T:
        for known, seen, result in kept:
            if known == others and _is_as(picture, seen):
                return result
        read = _Read(picture)
        result = function(cast(ServerPicture, read), *others)
        kept.appendleft((others, read.seen, result))
        return result

    return remembering


def _is_as(picture: ServerPicture, seen: dict[str, object]) -> bool:
    for name, then in seen.items():
        now = getattr(picture, name)
        if now is not then and now != then:
            return False
    return True
