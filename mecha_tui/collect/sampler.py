"""Looks at every server at once, and hands over what came as one round."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence

from mecha_tui.collect.sources import (
    ClientSource,
    LaunchSource,
    MemorySource,
    ProcessSource,
    no_clients,
    no_launch,
    no_memory,
    no_processes,
)
from mecha_tui.collect.target import Sources, Target, WatchedTarget
from mecha_tui.collect.timing import Timing
from mecha_tui.core.sample import Round


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
            launch: Reads launch flags in a router child's command line; called directly.
            timing: By which clock to go, and how long to wait for one round.
            wall_clock: Seconds since the epoch.
        """
        sources = Sources(processes, clients, memory, launch)
        timing = timing or Timing()
        self._watched = [WatchedTarget(target, sources, timing) for target in targets]
        self._clock = timing.clock
        self._wall_clock = wall_clock

    async def sample(self) -> Round:
        """Look once at every server."""
        looks = await asyncio.gather(*(watched.sample() for watched in self._watched))
        servers = tuple(sample for look in looks for sample in look)
        return Round(self._clock(), self._wall_clock(), servers)

    async def aclose(self) -> None:
        """Close every connection; readings in threads are left to end by themselves."""
        await asyncio.gather(*(watched.aclose() for watched in self._watched))
