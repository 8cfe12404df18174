"""A real server's memory, as the kernel of this machine tells it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from mecha_tui.collect.memory.reader import MemoryReader
from mecha_tui.core.memory import Memory, Role
from mecha_tui.core.memory_parts import memory_parts
from mecha_tui.core.server import ServerProcess
from mecha_tui.demo.model import write_model
from tests.servers import BUILDS, OLD, RunningServer, running_server, wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="PSS is told by Linux only")
PAGE_BYTES = 4096


def read(server: RunningServer) -> Memory:
    return MemoryReader().read(ServerProcess(server.pid))


def pss_bytes(server: RunningServer) -> tuple[int, int]:
    """Return a server's PSS, summed mapping by mapping, and how many mappings it has."""
    text = Path(f"/proc/{server.pid}/smaps").read_text("utf-8", "replace")
    parts = [int(kilobytes) * 1024 for kilobytes in re.findall(r"^Pss:\s+(\d+) kB", text, re.M)]
    return sum(parts), len(parts)


@pytest.mark.parametrize("build", BUILDS)
def test_host_bytes_are_the_sum_of_all_mappings(build: str, tiny_model: Path) -> None:
    with running_server(build, tiny_model, "-c", "4096", "-np", "2") as server:
        server.complete("hello", 4)

        def is_equal() -> bool:
            memory = read(server)
            held, mappings = pss_bytes(server)
            assert memory.server_host_bytes.source == "PSS of 1 process"
            told = memory.server_host_bytes.value
            return told is not None and abs(told - held) <= mappings * PAGE_BYTES

        wait_until(is_equal, "host bytes within a page for each mapping")


@pytest.mark.skipif(OLD not in BUILDS, reason="the binary maps its model")
def test_a_mapped_model_is_counted_once_and_as_reclaimable(tmp_path: Path) -> None:
    model = tmp_path / "mapped.gguf"
    write_model(model, embedding=512, blocks=4, name="mapped")
    size = model.stat().st_size
    with running_server(OLD, model, "-c", "2048", "-np", "1", "--no-warmup") as server:
        server.complete("hello " * 20, 2)
        maps = Path(f"/proc/{server.pid}/maps").read_text("utf-8", "replace")
        assert str(model) in maps
        memory = read(server)
    cached = memory.server_cache_bytes.value
    held, parts = memory.server_host_bytes.value, memory_parts(memory)
    assert cached is not None
    assert held is not None
    assert parts is not None
    assert cached > size * 0.8
    assert memory.page_cache_bytes.value is not None
    assert memory.page_cache_bytes.value >= size * 0.8
    assert parts.server_bytes == held - cached
    assert parts.total_bytes == (
        held - cached + parts.other_bytes + parts.cache_bytes + parts.free_bytes
    )


def test_the_server_and_we_ourselves_are_among_the_holders(tiny_model: Path) -> None:
    with running_server(BUILDS[-1], tiny_model, "-c", "4096", "-np", "2") as server:
        memory = read(server)
    roles = {one.pid: one.role for one in memory.holders}
    assert roles[server.pid] is Role.SERVER
    assert Role.OURS in roles.values()


def test_a_server_that_ended_is_told_as_gone(tiny_model: Path) -> None:
    with running_server(BUILDS[-1], tiny_model, "-c", "4096", "-np", "2") as server:
        reader = MemoryReader()
        assert reader.read(ServerProcess(server.pid)).server_host_bytes.is_known
    memory = reader.read(ServerProcess(server.pid))
    assert memory.server_host_bytes.value is None
    assert memory.pool_available_bytes.is_known
