"""Looks at every server at once, each at its own pace, and hands over what came."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence

from mecha_tui.collect.background import Background
from mecha_tui.collect.own_rounds import OwnRounds
from mecha_tui.collect.sources import (
    ClientSource,
    CpuSource,
    LaunchSource,
    MemorySource,
    ProcessSource,
    Sources,
    no_clients,
    no_cpu,
    no_launch,
    no_memory,
    no_processes,
)
from mecha_tui.collect.target import Target, WatchedTarget
from mecha_tui.collect.timing import Timing
from mecha_tui.core.sample import Round

DISCOVERY_INTERVAL_S = 15.0
STRAGGLER_WAIT_S = 0.2
"""Of several servers, those that take longer do not hold up the others' pictures."""


class HttpSampler:
    """Samples running servers over HTTP; a :class:`~mecha_tui.core.sample.Sampler`."""

    def __init__(
        self,
        targets: Sequence[Target],
        *,
        processes: ProcessSource = no_processes,
        clients: ClientSource = no_clients,
        memory: MemorySource = no_memory,
        launch: LaunchSource = no_launch,
        cpu: CpuSource = no_cpu,
        discover: Callable[[], Sequence[Target]] | None = None,
        timing: Timing | None = None,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        """Watch these targets.

        Args:
            targets: What to watch, in the order of the screen.
            processes: Finds the process behind an address; called in a thread, as are
                ``clients`` and ``memory``.
            clients: Finds the clients that point at an address.
            memory: Reads where memory stands.
            launch: Finds a router child's process by its command line; called directly.
            cpu: Reads how long a process has used the processor; called directly.
            discover: Finds what else is to be watched, now and then and in a thread; None
                where the user has named all.
            timing: By which clock to go, and how long to wait for one round.
            wall_clock: Seconds since the epoch.
        """
        self._sources = Sources(processes, clients, memory, launch, cpu)
        self._timing = timing or Timing()
        self._clock = self._timing.clock
        self._wall_clock = wall_clock
        self._rounds = {one.address.url: self._begun(one) for one in targets}
        self._discover = discover
        self._found: Background[Sequence[Target]] = Background((), DISCOVERY_INTERVAL_S)

    async def sample(self) -> Round:
        """Look once at every server; who does not answer in time comes with a later round."""
        await self._look_around()
        rounds = list(self._rounds.values())
        begun = {task for one in rounds if (task := one.begin()) is not None}
        if begun:
            limit_s = STRAGGLER_WAIT_S if len(rounds) > 1 else None
            await asyncio.wait(begun, timeout=limit_s)
        else:
            await asyncio.sleep(0)  # those under way go on, however often somebody looks
        servers = tuple(sample for one in rounds for sample in one.take())
        pause_s = min((one.pause_s for one in rounds), default=0.0)
        return Round(self._clock(), self._wall_clock(), servers, pause_s)

    async def aclose(self) -> None:
        """Close every connection; readings in threads are left to end by themselves."""
        await asyncio.gather(*(one.aclose() for one in self._rounds.values()))

    def _begun(self, target: Target) -> OwnRounds:
        return OwnRounds(WatchedTarget(target, self._sources, self._timing), self._clock)

    async def _look_around(self) -> None:
        """Watch servers that have appeared, and no longer those that are gone for good."""
        if self._discover is None:
            return
        self._found.refresh(self._discover, self._clock())
        found = {one.address.url: one for one in self._found.value}
        for url in [url for url in found if url not in self._rounds]:
            self._rounds[url] = self._begun(found[url])
        for url in [url for url in self._rounds if found and url not in found]:
            if self._rounds[url].watched.is_away:
                await self._rounds.pop(url).aclose()
