"""Watches a real server through the real sampler, for contract tests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from mecha_tui.collect.address import parse_address
from mecha_tui.collect.computing import cpu_s
from mecha_tui.collect.http import ApiKey
from mecha_tui.collect.process import LocalProcesses
from mecha_tui.collect.router_models import RouterModels
from mecha_tui.collect.sampler import HttpSampler
from mecha_tui.collect.target import Target
from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.watch import Pictures, next_pictures
from tests.servers import PATIENCE_S

ROUND_S = 0.1


class Watcher:
    """Looks at one address round by round and keeps the pictures."""

    def __init__(self, sampler: HttpSampler) -> None:
        self._sampler = sampler
        self.pictures: Pictures = {}

    async def look(self) -> ServerPicture:
        """Look once, and return the picture of the address itself."""
        self.pictures = next_pictures(self.pictures, await self._sampler.sample())
        return next(iter(self.pictures.values()))

    async def until(self, met: Callable[[ServerPicture], bool], what: str) -> ServerPicture:
        """Look until the picture shows something; a slow machine only takes longer."""
        loop = asyncio.get_running_loop()
        deadline_s = loop.time() + PATIENCE_S
        while True:
            picture = await self.look()
            if met(picture):
                return picture
            if loop.time() > deadline_s:
                raise AssertionError(f"never seen: {what}; last: {picture}")
            await asyncio.sleep(ROUND_S)


@asynccontextmanager
async def watching(url: str, key: str | None = None) -> AsyncIterator[Watcher]:
    """Watch an address for the length of a ``with`` block."""
    sampler = HttpSampler(
        [Target(parse_address(url), ApiKey(key) if key else None)],
        processes=LocalProcesses(),
        launch=RouterModels(),
        cpu=cpu_s,
    )
    try:
        yield Watcher(sampler)
    finally:
        await sampler.aclose()
