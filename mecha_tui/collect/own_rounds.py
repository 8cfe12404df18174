"""The rounds of one target, which go on while others are looked at."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from mecha_tui.collect.target import WatchedTarget
from mecha_tui.core.polling import AWAY_INTERVAL_S, CALM_INTERVAL_S
from mecha_tui.core.replies import Replies
from mecha_tui.core.sample import ServerSample


class OwnRounds:
    """Never more than one round of a target is under way, and nobody has to wait for it."""

    def __init__(self, watched: WatchedTarget, clock: Callable[[], float]) -> None:
        self.watched = watched
        self._clock = clock
        self._task: asyncio.Task[tuple[ServerSample, ...]] | None = None
        self._last: tuple[ServerSample, ...] = (ServerSample(watched.url),)
        self._due_s: float | None = None

    def begin(self) -> asyncio.Task[tuple[ServerSample, ...]] | None:
        """Begin a round when it is due and none is under way; return it, to be waited for."""
        is_due = self._due_s is None or self._clock() >= self._due_s
        if self._task is not None or not is_due:
            return None
        self._task = asyncio.create_task(self.watched.sample())
        return self._task

    def take(self) -> tuple[ServerSample, ...]:
        """Return what a finished round saw; else the same servers, with nothing new of them."""
        if self._task is None or not self._task.done():
            return tuple(
                replace(one, replies=Replies(), is_quiet=False, connections=None, log=None)
                for one in self._last
            )
        ended, self._task = self._task, None
        self._last = ended.result()
        self._due_s = self._clock() + AWAY_INTERVAL_S if self.watched.is_away else None
        return self._last

    @property
    def pause_s(self) -> float:
        """So long the next look may wait."""
        if self._task is None and self._due_s is not None:
            return max(0.0, self._due_s - self._clock())
        return CALM_INTERVAL_S if self._task is None and self.watched.is_calm else 0.0

    async def aclose(self) -> None:
        """End what is under way, and close every connection."""
        ended, self._task = self._task, None
        if ended is not None:
            ended.cancel()
            await asyncio.gather(ended, return_exceptions=True)
        await self.watched.aclose()
