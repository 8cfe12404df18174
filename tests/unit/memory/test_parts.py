"""The parts of a pool add up to it and never exceed it, whatever machines say."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mecha_tui.core.memory import Memory, MemoryKind
from mecha_tui.core.memory_parts import memory_parts
from mecha_tui.core.reading import Reading, known, unknown

GIB = 1 << 30
AMOUNTS = st.one_of(st.none(), st.integers(0, 2**63 - 1))


def reading(value: int | None) -> Reading[int]:
    return unknown("not told") if value is None else known(value, "a test")


@given(
    kind=st.sampled_from(MemoryKind),
    total=AMOUNTS,
    available=AMOUNTS,
    cache=AMOUNTS,
    gpu=AMOUNTS,
    host=AMOUNTS,
    host_cache=AMOUNTS,
)
def test_parts_always_add_up_and_are_never_negative(
    kind: MemoryKind,
    total: int | None,
    available: int | None,
    cache: int | None,
    gpu: int | None,
    host: int | None,
    host_cache: int | None,
) -> None:
    parts = memory_parts(
        Memory(
            kind,
            pool_total_bytes=reading(total),
            pool_available_bytes=reading(available),
            page_cache_bytes=reading(cache),
            server_gpu_bytes=reading(gpu),
            server_host_bytes=reading(host),
            server_cache_bytes=reading(host_cache),
        )
    )
    assert (parts is None) == (total is None or available is None)
    if parts is None:
        return
    pieces = (parts.server_bytes or 0, parts.other_bytes, parts.cache_bytes, parts.free_bytes)
    assert min(pieces) >= 0
    assert sum(pieces) == parts.total_bytes
    assert parts.used_bytes + parts.available_bytes == parts.total_bytes


def test_a_mapped_model_is_cache_and_not_the_servers_part_as_well() -> None:
    parts = memory_parts(
        Memory(
            MemoryKind.NONE,
            pool_total_bytes=known(64 * GIB, "a test"),
            pool_available_bytes=known(60 * GIB, "a test"),
            page_cache_bytes=known(20 * GIB, "a test"),
            server_host_bytes=known(21 * GIB, "PSS"),
            server_cache_bytes=known(20 * GIB, "PSS"),
        )
    )
    assert parts is not None
    assert parts.server_bytes == 1 * GIB
    assert parts.cache_bytes == 20 * GIB
    assert parts.other_bytes == 3 * GIB


def test_what_is_unknown_of_the_server_is_among_the_others_and_said_so() -> None:
    memory = Memory(
        MemoryKind.UNIFIED,
        pool_total_bytes=known(128 * GIB, "a test"),
        pool_available_bytes=known(100 * GIB, "a test"),
        server_host_bytes=known(GIB, "PSS"),
    )
    parts = memory_parts(memory)
    assert parts is not None
    assert parts.server_bytes == GIB
    assert not parts.server_is_whole
    assert parts.other_bytes == 27 * GIB
