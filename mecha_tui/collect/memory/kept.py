"""A value that is read anew only now and then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Kept(Generic[T]):
    """Keeps one value for some seconds, and only as long as it answers the same question."""

    def __init__(self, for_s: float) -> None:
        self._for_s = for_s
        self._value: tuple[T] | None = None
        self._question: object = None
        self._due_s = float("-inf")

    def get(self, now_s: float, read: Callable[[], T], question: object = None) -> T:
        """Return the value, read anew when it is due or when the question is another one."""
        if self._value is None or now_s >= self._due_s or question != self._question:
            self._value = (read(),)
            self._question = question
            self._due_s = now_s + self._for_s
        return self._value[0]
