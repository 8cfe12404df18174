"""A value with the place it was read from, or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Reading(Generic[T_co]):
    """One value that may be unknown. Unknown is never zero and never a guess."""

    value: T_co | None
    """The value; None when it is not known."""
    source: str | None = None
    """Where a known value stands, such as ``argv`` or ``/props``."""
    reason: str | None = None
    """Why the value is not known, in words for the user; None when it is known."""

    @property
    def is_known(self) -> bool:
        """Whether there is a value."""
        return self.value is not None


def known(value: T, source: str) -> Reading[T]:
    """Return a reading that has a value."""
    return Reading(value, source)


def unknown(reason: str) -> Reading[T]:
    """Return a reading that has none, and says why."""
    return Reading(None, None, reason)
