"""Waits until a process's memory has come back: it does so some time after its end."""

from __future__ import annotations

import asyncio

from mecha_tui.collect.memory.reader import MemoryReader
from mecha_tui.control.restart.course import Course

LIMIT_S = 15.0
LOOK_INTERVAL_S = 0.3
SMALL_RATIO = 0.002
"""Memory that grows by less than this share of the pool in one look has settled."""


async def settle(course: Course) -> None:
    """Return when no more memory comes back, or when the time is over."""
    reader = MemoryReader()
    deadline_s = course.now_s + LIMIT_S
    before = None
    while course.now_s < deadline_s:
        memory = await asyncio.to_thread(reader.read, None)
        free, total = memory.pool_available_bytes.value, memory.pool_total_bytes.value
        if free is None or not total:
            return
        if before is not None and free - before < total * SMALL_RATIO:
            return
        before = free
        course.tell(note="memory is coming back")
        await asyncio.sleep(LOOK_INTERVAL_S)
