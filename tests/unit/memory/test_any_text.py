"""No text in a kernel file raises, and none makes a figure that cannot be."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from mecha_tui.collect.memory.drm import client_from_fdinfo
from mecha_tui.collect.memory.meminfo import host_from_meminfo, parse_meminfo
from mecha_tui.core.memory_device import device_name
from mecha_tui.core.memory_parts import memory_parts
from mecha_tui.core.reading import unknown
from mecha_tui.core.server import ServerProcess
from tests.nvml import FakeGpu, FakeNvml, installed
from tests.unit.memory.roots import patient_reader, process, write

NAMES = ("MemTotal", "MemFree", "MemAvailable", "Cached", "Shmem", "SwapTotal", "SwapFree")
NUMBERS = st.one_of(
    st.integers(-5, 2**80).map(str), st.text(max_size=6), st.sampled_from(["", "0", "\x1b[31m"])
)
MEMINFO = st.lists(st.tuples(st.sampled_from(NAMES), NUMBERS, st.sampled_from([" kB", ""]))).map(
    lambda rows: "".join(f"{name}: {value}{unit}\n" for name, value, unit in rows)
)
AMOUNTS = st.integers(0, 2**64 - 1)


@given(st.one_of(MEMINFO, st.text()))
def test_any_meminfo_gives_figures_within_the_whole(text: str) -> None:
    host = host_from_meminfo(parse_meminfo(text), unknown("no ZFS here"))
    total = host.total_bytes.value
    for part in (host.available_bytes, host.free_bytes, host.page_cache_bytes):
        if total is not None and part.value is not None:
            assert 0 <= part.value <= total
        assert part.is_known or part.reason


@given(st.text())
def test_any_fdinfo_is_read(text: str) -> None:
    client = client_from_fdinfo(text, "3")
    assert client is None or client.held_bytes >= 0


@given(st.text(max_size=400))
def test_any_name_is_made_safe(text: str) -> None:
    name = device_name(text)
    assert name.isprintable()
    assert 0 < len(name) <= 60


@settings(deadline=None, max_examples=40)
@given(
    MEMINFO,
    st.text(max_size=60),
    st.tuples(AMOUNTS, AMOUNTS),
    st.sampled_from(["NVIDIA GB10", "NVIDIA GeForce RTX 3090"]),
    AMOUNTS,
)
def test_any_machine_is_read_and_its_parts_add_up(
    meminfo: str, rollup: str, memory: tuple[int, int], name: str, held: int
) -> None:
    with TemporaryDirectory() as folder:
        root = write(Path(folder), {**process(4711), "proc/meminfo": meminfo})
        (root / "proc/4711/smaps_rollup").write_text(rollup, "utf-8", "replace")
        library = FakeNvml([FakeGpu(name, memory, ((4711, held),))])
        with installed(library):
            told = patient_reader(root).read(ServerProcess(4711))
    parts = memory_parts(told)
    if parts is not None:
        pieces = (parts.server_bytes or 0, parts.other_bytes, parts.cache_bytes, parts.free_bytes)
        assert min(pieces) >= 0
        assert sum(pieces) == parts.total_bytes
