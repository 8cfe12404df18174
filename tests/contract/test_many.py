"""Servers with every fault at once hold up nobody else's picture."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path

from mecha_tui.collect.address import parse_address
from mecha_tui.collect.sampler import HttpSampler
from mecha_tui.collect.target import Target
from mecha_tui.collect.timing import Timing
from mecha_tui.core.state import ServerState
from mecha_tui.core.watch import Pictures, next_pictures
from tests.servers import NEW, PATIENCE_S, running_server
from tests.stub_server import HangUpError, Script, reply, stub_server

ROUNDS, ROUND_S = 8, 1.0
BOTH = 2


def _hangs(_: str) -> Iterable[bytes]:
    return []


def _drips(_: str) -> Iterator[bytes]:
    for byte in reply({"total_slots": 1}):
        yield bytes([byte])
        time.sleep(1.0)


def _resets(_: str) -> Iterable[bytes]:
    raise HangUpError


def _floods(_: str) -> Iterable[bytes]:
    return [reply(b"x" * 10_000_000)]


def _flapping() -> Script:
    turns = count()

    def script(asked: str) -> Iterable[bytes]:
        if next(turns) % 3 == 0:
            raise HangUpError
        return _hangs(asked) if next(turns) % 2 else [reply({"total_slots": 1})]

    return script


async def test_fifty_faulty_servers_hold_up_nobody_elses_picture(tiny_model: Path) -> None:
    faults = [_hangs, _drips, _resets, _floods]
    with ExitStack() as stack:
        scripts = [*(faults[number % 4] for number in range(40)), *(_flapping() for _ in range(10))]
        stubs = [stack.enter_context(stub_server(script)) for script in scripts]
        flags = ("-c", "100000", "-np", "1")
        real = stack.enter_context(running_server(NEW, tiny_model, *flags))
        real.complete_in_background("hello", 90_000)
        urls = [*(stub.url for stub in stubs), real.url]
        # A round that waited for one that hangs would last until the test gives up.
        targets = [Target(parse_address(url)) for url in urls]
        sampler = HttpSampler(targets, timing=Timing(round_limit_s=PATIENCE_S * 10))
        try:
            seen = await asyncio.wait_for(_rounds_of(sampler, real.url), PATIENCE_S)
        finally:
            await sampler.aclose()
        assert len(seen) == ROUNDS
        for (before_s, _), _, (_, taken_s) in zip(seen, seen[1:], seen[BOTH:], strict=False):
            assert taken_s >= before_s, "the real server's picture is older than two rounds"


async def _rounds_of(sampler: HttpSampler, url: str) -> list[tuple[float, float]]:
    """Return when each round ended, and when the slots were read that it shows of a server."""
    pictures: Pictures = {}
    seen: list[tuple[float, float]] = []
    while len(seen) < ROUNDS:
        pictures = next_pictures(pictures, await sampler.sample())
        real = pictures[url]
        if real.slots_taken_s is not None:
            assert real.condition.state is ServerState.READY
            seen.append((real.now_s, real.slots_taken_s))
        await asyncio.sleep(ROUND_S)
    return seen
