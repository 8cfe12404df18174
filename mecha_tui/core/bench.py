"""What a measurement of a server is made of: runs, their rates, and what all will cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True, slots=True)
class Rate:
    """Tokens over seconds."""

    tokens: int
    seconds: float

    @property
    def tokens_per_s(self) -> float | None:
        """The rate; None where no time passed."""
        return self.tokens / self.seconds if self.seconds > 0 else None


@dataclass(frozen=True, slots=True)
class Timed:
    """One request as the server timed it.

    Source:
        ``timings`` in the reply of ``POST /completion``.
    """

    reading: Rate
    """Prompt tokens that were processed, and how long that took; reused ones are not in it."""
    writing: Rate
    """Tokens generated, and how long that took."""
    wall_s: float
    """Seconds from sending the request to its whole reply, by our clock."""
    reused_tokens: int | None = None
    """Prompt tokens taken over from a cache; None where the server does not say."""
    is_truncated: bool = False
    """Whether the answer ended because its slot was full."""
    answer: tuple[int, ...] = ()
    """The tokens generated, where they were asked for."""


@dataclass(frozen=True, slots=True)
class Spread:
    """The middle of several rates, and the ends of them, in tokens a second."""

    median: float
    low: float
    high: float


def spread(rates: Sequence[Rate]) -> Spread | None:
    """Return the middle and the ends of some runs' rates; None without any."""
    known = [rate.tokens_per_s for rate in rates if rate.tokens_per_s is not None]
    return Spread(median(known), min(known), max(known)) if known else None
