"""The last hour of memory keeps what was seen, once, and shows a gap as a gap."""

from __future__ import annotations

from dataclasses import replace

from mecha_tui.core.memory import Memory
from mecha_tui.core.memory_history import BUCKETS, MemoryHistory
from mecha_tui.core.reading import known, unknown
from tests.app.memory_scenes import gb10

GIB = 1 << 30


def seen(available_gib: int, taken_s: float) -> Memory:
    return replace(
        gb10(),
        pool_total_bytes=known(128 * GIB, "a test"),
        pool_available_bytes=known(available_gib * GIB, "a test"),
        taken_s=taken_s,
    )


def test_what_was_in_use_is_kept_by_time() -> None:
    history = MemoryHistory().with_memory(seen(100, 15.0)).with_memory(seen(90, 30.0))
    assert history.used.values == (28 * GIB, 38 * GIB)
    assert history.server.values[-1] is not None


def test_a_look_that_is_already_in_it_changes_nothing() -> None:
    history = MemoryHistory().with_memory(seen(100, 15.0))
    assert history.with_memory(seen(50, 15.0)) is history
    assert history.with_memory(seen(50, 14.0)) is history
    assert history.with_memory(Memory()) is history


def test_what_was_not_known_and_times_without_a_look_are_gaps() -> None:
    history = MemoryHistory().with_memory(seen(100, 15.0))
    blind = replace(seen(1, 30.0), pool_available_bytes=unknown("not told"))
    history = history.with_memory(blind).with_memory(seen(90, 60.0))
    assert history.used.values == (28 * GIB, None, None, 38 * GIB)


def test_no_more_than_an_hour_is_kept() -> None:
    history = MemoryHistory()
    for step in range(BUCKETS + 50):
        history = history.with_memory(seen(100, 15.0 * step))
    assert len(history.used.values) == BUCKETS
