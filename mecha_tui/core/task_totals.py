"""Sums over all tasks that were seen, and over the last hour, in fixed memory.

A task shorter than the time between two looks may not be seen at all; the server's own
counters (:class:`~mecha_tui.core.server.Counters`) have it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from mecha_tui.core.tasks import Task

HOUR_S = 3600.0
BUCKET_S = 60.0


@dataclass(frozen=True, slots=True)
class Rereads:
    """Tasks that read again what was held before, added up."""

    count: int = 0
    tokens: int = 0
    seconds: float = 0.0
    """Of those for which a reading rate was known."""
    without_seconds: int = 0
    """Tasks for which none was known."""

    def __add__(self, other: Rereads) -> Rereads:
        """Return both together."""
        return Rereads(
            self.count + other.count,
            self.tokens + other.tokens,
            self.seconds + other.seconds,
            self.without_seconds + other.without_seconds,
        )


@dataclass(frozen=True, slots=True)
class Totals:
    """What all tasks did since the server is watched."""

    task_count: int = 0
    """Tasks that were seen to end; more may have come and gone between two looks."""
    partial_count: int = 0
    """Those of which not all was seen."""
    cut_count: int = 0
    """Those that ended because their slot was full."""
    read_tokens: int = 0
    """Over the tasks that ended, as far as they were seen."""
    reused_tokens: int = 0
    written_tokens: int = 0
    rereads: Rereads = field(default_factory=Rereads)
    minutes: tuple[tuple[int, Rereads], ...] = ()
    """Re-reads of the last hour, by the number of their minute, oldest first."""

    def with_tasks(self, tasks: Iterable[Task]) -> Totals:
        """Return the sums with some tasks that ended."""
        totals = self
        for task in tasks:
            totals = replace(
                totals,
                task_count=totals.task_count + 1,
                partial_count=totals.partial_count + task.is_partial,
                cut_count=totals.cut_count + task.is_cut,
                read_tokens=totals.read_tokens + (task.read_tokens or 0),
                reused_tokens=totals.reused_tokens + (task.reused_tokens or 0),
                written_tokens=totals.written_tokens + (task.written_tokens or 0),
            )
        return totals

    def with_rereads(self, tasks: Iterable[Task], at_s: float) -> Totals:
        """Return the sums with some tasks of which it is now known that they read again."""
        totals = self
        for one in tasks:
            if one.reread is not None:
                seconds = one.reread.seconds
                more = Rereads(1, one.reread.tokens, seconds or 0.0, int(seconds is None))
                totals = totals._with_reread(more, at_s)
        return totals

    def _with_reread(self, more: Rereads, at_s: float) -> Totals:
        minute = int(at_s // BUCKET_S)
        kept = [one for one in self.minutes if one[0] > minute - HOUR_S / BUCKET_S]
        if kept and kept[-1][0] == minute:
            kept[-1] = (minute, kept[-1][1] + more)
        else:
            kept.append((minute, more))
        return replace(self, rereads=self.rereads + more, minutes=tuple(kept))

    def last_hour(self, now_s: float) -> Rereads:
        """Return the re-reads of the last hour, to the minute."""
        first = int(now_s // BUCKET_S) - HOUR_S / BUCKET_S
        total = Rereads()
        for minute, more in self.minutes:
            if minute > first:
                total += more
        return total
