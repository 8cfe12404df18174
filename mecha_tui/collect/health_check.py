"""Asks ``/health`` over a connection of its own, to tell a busy server from one that hangs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from mecha_tui.collect.asking import Asker
from mecha_tui.collect.endpoints import HEALTH
from mecha_tui.collect.http import Connection
from mecha_tui.core.replies import Answer

WAIT_S = 0.5
"""A server that is only busy answers ``/health`` in milliseconds."""


class HealthCheck:
    """One question at a time, and none while all is well."""

    def __init__(self, connection: Connection, clock: Callable[[], float]) -> None:
        self._connection = connection
        self._asker = Asker(HEALTH, None, clock)
        self._clock = clock
        self._task: asyncio.Task[Answer[bool]] | None = None

    @property
    def local_port(self) -> int | None:
        """Our end's port."""
        return self._connection.local_port

    async def check(self) -> Answer[bool]:
        """Return what the server says, be it nothing."""
        if self._task is None:
            self._task = asyncio.create_task(self._asker.ask(self._connection))
            await asyncio.wait({self._task}, timeout=WAIT_S)
        if self._task.done():
            ended, self._task = self._task, None
            return ended.result()
        return self._asker.pending(self._clock(), "")

    async def leave(self) -> None:
        """Close the connection, once nothing is late any more."""
        if self._task is not None and self._task.done():
            self._task = None
        if self._task is None and self._connection.is_open:
            await self._connection.aclose()

    async def aclose(self) -> None:
        """End what is under way, and close the connection."""
        ended, self._task = self._task, None
        if ended is not None:
            ended.cancel()
            await asyncio.gather(ended, return_exceptions=True)
        await self._connection.aclose()
