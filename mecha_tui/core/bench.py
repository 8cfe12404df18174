"""What a measurement of a server is made of: runs, their rates, and what all will cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

SINGLE_TOKENS = 300
"""What a stream writes, unless told otherwise."""
SHORT_PROMPT_TOKENS = 32
"""Enough that a prompt is one, and few enough to cost nothing."""


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
class StreamsRun:
    """Several answers written at once."""

    streams: int
    together: Rate
    """All tokens written, over the wall clock from the first request to the last reply."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a conversation that grows."""

    prompt_tokens: int
    new_tokens: int
    """Of the prompt, what the server never processed before."""
    timed: Timed

    @property
    def reread_tokens(self) -> int:
        """Prompt tokens processed though the server had processed them in an earlier turn."""
        return max(0, self.timed.reading.tokens - self.new_tokens)


@dataclass(frozen=True, slots=True)
class BenchResults:
    """What was measured so far, run by run."""

    single: tuple[Timed, ...] = ()
    streams: tuple[StreamsRun, ...] = ()
    reading: tuple[Timed, ...] = ()
    turns: tuple[Turn, ...] = ()

    def with_single(self, run: Timed) -> BenchResults:
        """Return the results with one more run of a single stream."""
        return replace(self, single=(*self.single, run))

    def with_streams(self, run: StreamsRun) -> BenchResults:
        """Return the results with one more run of several streams."""
        return replace(self, streams=(*self.streams, run))

    def with_reading(self, run: Timed) -> BenchResults:
        """Return the results with one more reading of a long prompt."""
        return replace(self, reading=(*self.reading, run))

    def with_turn(self, turn: Turn) -> BenchResults:
        """Return the results with one more turn."""
        return replace(self, turns=(*self.turns, turn))


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
