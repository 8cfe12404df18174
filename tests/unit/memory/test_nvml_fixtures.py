"""What NVIDIA's driver says on every kind of machine becomes the figures that are true there."""

from __future__ import annotations

from pathlib import Path

import pytest

from mecha_tui.core.memory import Memory, MemoryKind
from mecha_tui.core.server import ServerProcess
from tests import nvml
from tests.nvml import FakeGpu, FakeNvml, installed
from tests.unit.memory.roots import GIB, MIB, meminfo, patient_reader, process, write

SERVER = 4711
GB10 = FakeGpu("NVIDIA GB10", memory=nvml.NOT_SUPPORTED)
GB10_MEMORY = meminfo(127600748, 118566368)


def look(root: Path, library: FakeNvml | None, pid: int | None = SERVER) -> Memory:
    with installed(library):
        return patient_reader(root).read(None if pid is None else ServerProcess(pid))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path, {"proc/meminfo": meminfo(65536000, 60000000), **process(SERVER)})


def test_a_gb10_shows_its_unified_pool_by_what_is_available(root: Path) -> None:
    write(root, {"proc/meminfo": GB10_MEMORY, **process(900, "Xorg")})
    library = FakeNvml([FakeGpu("NVIDIA GB10", 3, ((SERVER, 43 * MIB),), ((900, 18 * MIB),))])
    memory = look(root, library)
    assert memory.kind is MemoryKind.UNIFIED
    assert memory.kind_note == "NVIDIA GB10: no separate VRAM"
    assert memory.pool_total_bytes.value == 127600748 * 1024
    assert f"{127600748 * 1024 / GIB:.2f}" == "121.69"
    assert memory.pool_available_bytes.value == 118566368 * 1024
    assert f"{118566368 * 1024 / GIB:.2f}" == "113.07"
    assert memory.server_gpu_bytes.value == 43 * MIB
    assert memory.gpu_used_bytes.value == 61 * MIB
    assert memory.why["vram"] == "NVML: not supported on NVIDIA GB10"


def test_page_cache_does_not_make_a_gb10_look_full(root: Path) -> None:
    def kib(gib: float) -> int:
        return round(gib * 1024 * 1024)

    lines = meminfo(127600748, kib(115.65), MemFree=kib(41.52), Cached=kib(72.64))
    write(root, {"proc/meminfo": lines})
    memory = look(root, FakeNvml([GB10]))
    assert memory.pool_available_bytes.value == kib(115.65) * 1024
    assert memory.page_cache_bytes.value == kib(72.64) * 1024
    assert memory.headroom_bytes.value == kib(115.65) * 1024


@pytest.mark.parametrize("total", [0, 7 * MIB, 127600748 * 1024])
def test_a_gb10_whose_driver_makes_up_a_total_is_still_unified(root: Path, total: int) -> None:
    write(root, {"proc/meminfo": GB10_MEMORY})
    memory = look(root, FakeNvml([FakeGpu("NVIDIA GB10", (total, 0))]))
    assert memory.kind is MemoryKind.UNIFIED
    assert memory.pool_available_bytes.value == 118566368 * 1024


@pytest.mark.parametrize("memory_answer", [nvml.NOT_SUPPORTED, (0, 0)])
def test_an_unknown_device_that_does_not_say_is_never_taken_for_unified(
    root: Path, memory_answer: tuple[int, int] | int
) -> None:
    memory = look(root, FakeNvml([FakeGpu("NVIDIA X9000", memory_answer)]))
    assert memory.kind is MemoryKind.UNKNOWN
    assert memory.pool_total_bytes.value is None
    assert memory.pool_available_bytes.value is None
    assert memory.why["pool_total_bytes"]


def test_a_process_that_is_not_visible_here_is_unattributed(root: Path) -> None:
    write(root, {"proc/meminfo": GB10_MEMORY})
    library = FakeNvml([FakeGpu("NVIDIA GB10", 3, ((114687, 19135 * MIB),))])
    memory = look(root, library)
    assert memory.unattributed_gpu_bytes == 19135 * MIB
    assert memory.server_gpu_bytes.value is None
    assert memory.gpu_used_bytes.value == 19135 * MIB


def test_pids_of_another_namespace_are_never_matched_to_local_ones(root: Path) -> None:
    (root / "proc/self/ns").mkdir(parents=True)
    (root / "proc/self/ns/pid").symlink_to("pid:[4026532201]")
    memory = look(root, FakeNvml([FakeGpu("NVIDIA GB10", 3, ((SERVER, 19135 * MIB),))]))
    assert memory.server_gpu_bytes.value is None
    assert memory.unattributed_gpu_bytes == 19135 * MIB


def test_a_card_shows_its_own_memory_and_nothing_of_the_hosts(root: Path) -> None:
    card = FakeGpu("NVIDIA GeForce RTX 3090", (25769803776, 20 * GIB), ((SERVER, 4 * GIB),))
    memory = look(root, FakeNvml([card]))
    assert memory.kind is MemoryKind.DISCRETE
    assert memory.pool_total_bytes.value == 24 * GIB
    assert memory.pool_available_bytes.value == 20 * GIB
    assert memory.server_gpu_bytes.value == 4 * GIB
    assert memory.vram.value == 24 * GIB
    assert memory.page_cache_bytes.value is None


def test_under_wsl_a_process_without_an_amount_is_unknown_and_not_zero(root: Path) -> None:
    card = FakeGpu(
        "NVIDIA GeForce RTX 4080", (16376 * MIB, 2016 * MIB), ((SERVER, nvml.NOT_AVAILABLE),)
    )
    memory = look(root, FakeNvml([card]))
    assert memory.pool_total_bytes.value == 16376 * MIB
    assert memory.pool_available_bytes.value == (16376 - 14360) * MIB
    assert memory.server_gpu_bytes.value is None
    assert "how much" in (memory.server_gpu_bytes.reason or "")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (nvml.LIBRARY_NOT_FOUND, "library not found"),
        (nvml.DRIVER_NOT_LOADED, "driver not loaded"),
        (nvml.VERSION_MISMATCH, "driver and library versions differ"),
        (nvml.UNKNOWN, "unknown error"),
    ],
)
def test_a_broken_driver_is_named_and_ram_is_not_shown_in_its_place(
    root: Path, code: int, words: str
) -> None:
    write(
        root,
        {
            "sys/bus/pci/devices/0000:01:00.0/vendor": "0x10de\n",
            "sys/bus/pci/devices/0000:01:00.0/class": "0x030000\n",
        },
    )
    memory = look(root, FakeNvml(init=code))
    assert memory.kind is MemoryKind.UNKNOWN
    assert memory.pool_total_bytes.value is None
    assert words in memory.why["pool_total_bytes"]
    assert words in memory.kind_note
    assert memory.host.total_bytes.value == 65536000 * 1024
    assert memory.server_host_bytes.value == 410624 * 1024


def test_no_library_and_no_card_is_a_machine_without_a_gpu(root: Path) -> None:
    memory = look(root, None)
    assert memory.kind is MemoryKind.NONE
    assert memory.pool_total_bytes.value == 65536000 * 1024
    assert memory.server_host_bytes.value == 410624 * 1024
    assert memory.server_host_bytes.source == "PSS of 1 process"


def test_one_lost_gpu_of_eight_costs_only_itself(root: Path) -> None:
    gpus = [FakeGpu() for _ in range(8)]
    library = FakeNvml(gpus)
    library.change(3, error=nvml.GPU_IS_LOST)
    memory = look(root, library)
    assert len(memory.devices) == 8
    assert [one.index for one in memory.devices if one.error] == [3]
    assert "GPU is lost" in (memory.devices[3].error or "")
    assert memory.pool_total_bytes.value == 7 * 24 * GIB
    assert "1 with an error" in memory.kind_note


def test_an_orin_answers_nothing_and_the_kernel_tells_what_the_gpu_maps(root: Path) -> None:
    write(root, {"proc/meminfo": meminfo(32000000, 20000000, NvMapMemUsed=9000000)})
    orin = FakeGpu("Orin (nvgpu)", 3, compute=3, graphics=3, mps=3)
    memory = look(root, FakeNvml([orin]))
    assert memory.kind is MemoryKind.UNIFIED
    assert memory.gpu_used_bytes.value == 9000000 * 1024
    assert memory.server_gpu_bytes.value is None


def test_a_thor_names_one_process_in_two_lists_and_it_counts_once(root: Path) -> None:
    held = (SERVER, 26316 * MIB)
    memory = look(root, FakeNvml([FakeGpu("NVIDIA Thor", 3, (held,), (held,))]))
    assert memory.kind is MemoryKind.UNIFIED
    assert memory.server_gpu_bytes.value == 26316 * MIB


def test_a_mig_device_without_permission_says_so(root: Path) -> None:
    memory = look(root, FakeNvml([FakeGpu("NVIDIA A100", memory=nvml.NO_PERMISSION)]))
    assert memory.kind is MemoryKind.UNKNOWN
    assert "no permission" in memory.why["pool_total_bytes"]


def test_one_process_in_two_mig_instances_is_summed(root: Path) -> None:
    card = FakeGpu(compute=((SERVER, 2 * GIB), (SERVER, 3 * GIB)), instances=(1, 2))
    assert look(root, FakeNvml([card])).server_gpu_bytes.value == 5 * GIB


def test_an_error_on_the_third_poll_keeps_the_last_value_and_its_age(root: Path) -> None:
    now = [100.0]
    library = FakeNvml([FakeGpu(memory=(24 * GIB, 9 * GIB))])
    reader = patient_reader(root, lambda: now[0])
    with installed(library):
        reader.read(None)
        now[0] = 105.0
        assert reader.read(None).taken_s == 105.0
        library.change(0, error=nvml.UNKNOWN)
        now[0] = 110.0
        memory = reader.read(None)
        assert memory.pool_available_bytes.value == 9 * GIB
        assert memory.taken_s == 105.0
        assert "unknown error" in (memory.devices[0].error or "")
        library.change(0, error=None, memory=(24 * GIB, 8 * GIB))
        now[0] = 115.0
        assert reader.read(None).pool_available_bytes.value == 8 * GIB


def test_after_a_driver_reload_the_library_is_opened_again(root: Path) -> None:
    now = [100.0]
    library = FakeNvml([FakeGpu()])
    reader = patient_reader(root, lambda: now[0])
    with installed(library):
        reader.read(None)
        library.init = nvml.VERSION_MISMATCH
        now[0] += 5.0
        assert "versions differ" in (reader.read(None).devices[0].error or "")
        library.init = 0
        library.gpus = [FakeGpu(memory=(24 * GIB, 1 * GIB))]
        now[0] += 5.0
        memory = reader.read(None)
    assert memory.devices[0].error is None
    assert memory.pool_available_bytes.value == 1 * GIB
    assert library.calls.count("nvmlInitWithFlags") >= 2


def test_a_driver_reloaded_between_two_looks_costs_none_of_them(root: Path) -> None:
    now = [100.0]
    library = FakeNvml([FakeGpu()])
    reader = patient_reader(root, lambda: now[0])
    with installed(library):
        reader.read(None)
        library.was_reloaded = True
        library.change(0, memory=(24 * GIB, 3 * GIB))
        now[0] += 5.0
        memory = reader.read(None)
    assert memory.pool_available_bytes.value == 3 * GIB
    assert memory.devices[0].error is None


def test_an_old_driver_without_the_newest_functions_is_asked_by_the_older_ones(root: Path) -> None:
    library = FakeNvml([FakeGpu(compute=((SERVER, GIB),))])
    library.missing = {
        "nvmlDeviceGetComputeRunningProcesses_v3",
        "nvmlDeviceGetGraphicsRunningProcesses_v3",
        "nvmlDeviceGetMPSComputeRunningProcesses_v3",
    }
    assert look(root, library).server_gpu_bytes.value == GIB


def test_a_pulled_gpu_disappears_and_sixteen_are_all_shown(root: Path) -> None:
    now = [100.0]
    library = FakeNvml([FakeGpu() for _ in range(16)])
    reader = patient_reader(root, lambda: now[0])
    with installed(library):
        assert len(reader.read(None).devices) == 16
        library.gpus.pop()
        now[0] += 5.0
        memory = reader.read(None)
    assert len(memory.devices) == 15
    assert memory.pool_total_bytes.value == 15 * 24 * GIB


@pytest.mark.parametrize("name", [b"\xff\xfe\x1b[31mX", "NVIDIA GB10\x1b[31m" + "x" * 300])
def test_a_hostile_device_name_is_made_safe(root: Path, name: str | bytes) -> None:
    device = look(root, FakeNvml([FakeGpu(name)])).devices[0]
    assert device.name.isprintable()
    assert len(device.name) <= 60


def test_figures_no_card_can_have_are_refused(root: Path) -> None:
    memory = look(root, FakeNvml([FakeGpu(memory=(2**63 + 5, 4))]))
    assert memory.pool_total_bytes.value is None
    memory = look(root, FakeNvml([FakeGpu(memory=(8 * GIB, 9 * GIB))]))
    assert memory.pool_total_bytes.value == 8 * GIB
    assert memory.pool_available_bytes.value is None
