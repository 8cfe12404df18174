"""Whether a process uses the processor: evidence of work that costs a server nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import psutil

from mecha_tui.collect.sources import CpuSource, ProcessFacts
from mecha_tui.core.server import ServerProcess

SPAN_S = 0.15
"""The kernel counts in steps of 10 ms, so nothing is said of a shorter time."""
SHARE = 0.05
"""A server that is watched but idle stays far below this share of one processor, and one
that works is far above it, also while the graphics card does the work."""


def cpu_s(process: ServerProcess) -> float | None:
    """Return the processor time of a process, and of no other that has its number by now."""
    try:
        seen = psutil.Process(process.pid)
        if seen.create_time() != process.started_wall_s:
            return None
        times = seen.cpu_times()
    except psutil.Error:
        return None
    return float(times.user + times.system)


class Computing:
    """Compares a process's processor time from look to look."""

    def __init__(self, source: CpuSource, clock: Callable[[], float]) -> None:
        self._source = source
        self._clock = clock
        self._process: ServerProcess | None = None
        self._mark: tuple[float, float] | None = None
        self._is_computing: bool | None = None

    async def decide(self, facts: ProcessFacts) -> bool | None:
        """Return what :meth:`look` does; a first look at one that may sleep is made twice.

        Nothing may be asked of such a server before its work is seen.
        """
        is_computing = self.look(facts.process)
        may_sleep = (facts.launch.sleep_idle_s.value or 0) > 0
        if may_sleep and is_computing is None and self._mark is not None:
            await asyncio.sleep(SPAN_S)
            is_computing = self.look(facts.process)
        return is_computing

    def look(self, process: ServerProcess | None) -> bool | None:
        """Return whether a process computed since the look before; None when it is not seen."""
        used_s = None if process is None else self._source(process)
        if used_s is None or process != self._process:
            self._process, self._mark, self._is_computing = process, None, None
        if used_s is None:
            return None
        now_s = self._clock()
        if self._mark is None:
            self._mark = now_s, used_s
            return None
        span_s = now_s - self._mark[0]
        if span_s >= SPAN_S:
            self._is_computing = used_s - self._mark[1] > SHARE * span_s
            self._mark = now_s, used_s
        return self._is_computing
