"""Who holds the GPU is named when nobody listens any more (vllm-project/vllm#55510)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from mecha_tui.core.state import Condition, ServerState
from mecha_tui.present.pages.memory import memory_page
from mecha_tui.present.text import plain
from mecha_tui.present.view import View
from tests.app import scenes
from tests.nvml import FakeGpu, FakeNvml, installed
from tests.unit.memory.roots import GIB, meminfo, patient_reader, process, write


def test_55510_a_worker_left_on_the_gpu_is_named_with_what_it_holds(tmp_path: Path) -> None:
    worker = process(900, "VLLM::Worker", pss_kib=4096)
    root = write(tmp_path, {"proc/meminfo": meminfo(65536000, 60000000), **worker})
    card = FakeGpu("NVIDIA GeForce RTX 3090", (24 * GIB, 2 * GIB), ((900, 21 * GIB),))
    with installed(FakeNvml([card])):
        memory = patient_reader(root).read(None)
    (holder,) = (one for one in memory.holders if one.pid == 900)
    assert (holder.name, holder.gpu_bytes) == ("VLLM::Worker", 21 * GIB)
    gone = replace(
        scenes.fresh(ServerState.DOWN), condition=Condition(ServerState.DOWN), memory=memory
    )
    page = "\n".join(plain(line) for line in memory_page(View(picture=gone), 100).lines)
    assert "VLLM::Worker" in page
    assert "900" in page
