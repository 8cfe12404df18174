"""What one round of looking costs the dashboard's process: the server's part and memory's."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Callable

from mecha_tui.collect.address import parse_address
from mecha_tui.collect.memory.reader import MemoryReader
from mecha_tui.collect.process import LocalProcesses
from mecha_tui.collect.router_child import MEMORY_INTERVAL_S
from mecha_tui.collect.sampler import HttpSampler
from mecha_tui.collect.target import Target

ROUNDS = 15
INTERVAL_S = 1.0
"""As far apart as in real use: caches have grown cold by then."""


def rounds_table(url: str) -> str:
    """Return the processor time of a server's round and of a read of memory, and their ratio."""
    server_s = asyncio.run(_server_rounds(url))
    process = LocalProcesses()(url).process
    reader = MemoryReader()
    reader.read(process)  # the first read finds out what this machine has
    memory_s = [_cpu_s(lambda: reader.read(process)) for _ in range(ROUNDS)]
    server_ms, memory_ms = 1000 * statistics.mean(server_s), 1000 * statistics.mean(memory_s)
    return (
        f"Processor time of one round: server {server_ms:.2f} ms, memory {memory_ms:.2f} ms "
        f"(every {MEMORY_INTERVAL_S:g} s); memory ÷ server {memory_ms / server_ms:.2f}"
    )


async def _server_rounds(url: str) -> list[float]:
    """Look at the server alone: no process, no client, no memory."""
    sampler = HttpSampler([Target(parse_address(url))])
    await sampler.sample()
    taken = []
    for _ in range(ROUNDS):
        await asyncio.sleep(INTERVAL_S)
        began_s = time.process_time()
        await sampler.sample()
        taken.append(time.process_time() - began_s)
    await sampler.aclose()
    return taken


def _cpu_s(work: Callable[[], object]) -> float:
    time.sleep(INTERVAL_S)
    began_s = time.process_time()
    work()
    return time.process_time() - began_s
