"""AMD, Intel, Jetson and Apple: what each machine says, and what it cannot say."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import psutil
import pytest

from mecha_tui.collect.memory.apple import apple_device, apple_limit, sysctl
from mecha_tui.collect.memory.drm import client_from_fdinfo
from mecha_tui.collect.memory.reader import MemoryReader
from mecha_tui.core.memory import Memory, MemoryKind, Role
from mecha_tui.core.server import ServerProcess
from tests import nvml
from tests.nvml import FakeGpu, FakeNvml, installed
from tests.unit.memory.roots import GIB, KIB, meminfo, patient_reader, process, write

SERVER = 4711
CARD = "sys/class/drm/card0/device"
STRIX_HALO = {
    f"{CARD}/uevent": "DRIVER=amdgpu\nPCI_SLOT_NAME=0000:c5:00.0\n",
    f"{CARD}/device": "0x1586\n",
    f"{CARD}/revision": "0xc1\n",
    f"{CARD}/mem_info_vram_total": "4294967296\n",
    f"{CARD}/mem_info_vram_used": f"{4294967296 - 40 * 1024**2}\n",
    f"{CARD}/mem_info_gtt_total": "103079215104\n",
    f"{CARD}/mem_info_gtt_used": f"{25 * GIB}\n",
    "usr/share/libdrm/amdgpu.ids": "# list\n1586,\tC1,\tRadeon 8060S Graphics\n",
}
MEMORY = meminfo(125_000_000, 90_000_000)


def read(root: Path, library: FakeNvml | None = None) -> Memory:
    with installed(library):
        return patient_reader(root).read(ServerProcess(SERVER))


def open_file(root: Path, pid: int, descriptor: int, target: str, fdinfo: str = "") -> None:
    link = root / f"proc/{pid}/fd/{descriptor}"
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(target)
    write(root, {f"proc/{pid}/fdinfo/{descriptor}": fdinfo})


def amd_client(client_id: int, gtt_kib: int, vram_kib: int) -> str:
    return (
        "pos:\t0\nflags:\t02100002\ndrm-driver:\tamdgpu\n"
        f"drm-client-id:\t{client_id}\ndrm-pdev:\t0000:c5:00.0\n"
        f"drm-memory-vram:\t{vram_kib} KiB\ndrm-memory-gtt: \t{gtt_kib} KiB\n"
        "drm-memory-cpu: \t900 KiB\n"
        f"drm-resident-gtt:\t{gtt_kib} KiB\ndrm-resident-vram:\t{vram_kib} KiB\n"
    )


@pytest.fixture
def strix(tmp_path: Path) -> Path:
    return write(tmp_path, {"proc/meminfo": MEMORY, **STRIX_HALO, **process(SERVER)})


def test_strix_halo_counts_each_client_once_and_no_memory_twice(strix: Path) -> None:
    for descriptor in (7, 8):
        open_file(strix, SERVER, descriptor, "/dev/dri/renderD128", amd_client(3, 25258000, 5348))
    memory = read(strix)
    assert memory.kind is MemoryKind.UNIFIED
    assert memory.devices[0].name == "Radeon 8060S Graphics"
    assert memory.server_gpu_bytes.value == (25258000 + 5348) * KIB
    assert memory.server_gpu_bytes.source == "fdinfo, by process"


def test_strix_halos_pool_is_its_carve_out_and_what_it_may_map(strix: Path) -> None:
    memory = read(strix)
    assert memory.pool_total_bytes.value == 4294967296 + 103079215104
    assert memory.pool_available_bytes.value == 40 * 1024**2 + 103079215104 - 25 * GIB
    write(strix, {"proc/meminfo": meminfo(125_000_000, 1_000_000)})
    assert read(strix).headroom_bytes.value == 40 * 1024**2 + 1_000_000 * KIB


def test_carve_out_and_mappable_memory_never_exceed_what_is_built_in(strix: Path) -> None:
    write(
        strix,
        {
            "proc/meminfo": meminfo(120 * 1024**2 - 2_000_000, 90_000_000),
            f"{CARD}/mem_info_vram_total": "8589934592\n",
            f"{CARD}/mem_info_gtt_total": "133143986176\n",
        },
    )
    total = read(strix).pool_total_bytes.value
    assert total is not None
    assert total <= 128 * GIB


def test_a_radeon_card_shows_its_own_memory_alone(strix: Path) -> None:
    write(
        strix,
        {
            f"{CARD}/device": "0x744c\n",
            f"{CARD}/product_name": "Radeon RX 7900 XTX\n",
            f"{CARD}/hwmon/hwmon3/in0_label": "vddgfx\n",
            f"{CARD}/mem_info_vram_total": f"{24 * GIB}\n",
            f"{CARD}/mem_info_vram_used": f"{4 * GIB}\n",
        },
    )
    memory = read(strix)
    assert memory.kind is MemoryKind.DISCRETE
    assert memory.kind_note == "Radeon RX 7900 XTX"
    assert memory.pool_total_bytes.value == 24 * GIB
    assert memory.pool_available_bytes.value == 20 * GIB


def test_a_voltage_sensor_tells_an_unlisted_processor_graphics(strix: Path) -> None:
    write(strix, {f"{CARD}/device": "0xffff\n", f"{CARD}/hwmon/hwmon3/in1_label": "vddnb\n"})
    assert read(strix).kind is MemoryKind.UNIFIED


def test_an_amd_gpu_of_which_nothing_tells_the_kind_is_not_guessed(strix: Path) -> None:
    write(strix, {f"{CARD}/device": "0xffff\n"})
    memory = read(strix)
    assert memory.kind is MemoryKind.UNKNOWN
    assert memory.pool_total_bytes.value is None


def test_more_used_than_there_is_makes_only_what_is_left_unknown(strix: Path) -> None:
    write(strix, {f"{CARD}/mem_info_gtt_used": f"{1 << 62}\n"})
    memory = read(strix)
    assert memory.pool_available_bytes.value is None
    assert memory.pool_total_bytes.value is not None


def test_a_server_with_no_gpu_file_open_holds_nothing_there(strix: Path) -> None:
    open_file(strix, SERVER, 0, "/dev/null")
    memory = read(strix)
    assert memory.server_gpu_bytes.value == 0
    assert memory.server_gpu_bytes.source == "the server has no GPU open"


def test_others_on_an_amd_gpu_are_named_by_their_open_files(strix: Path) -> None:
    write(strix, process(900, "blender"))
    open_file(strix, 900, 4, "/dev/dri/renderD128", amd_client(9, 2048, 1024))
    (blender,) = (one for one in read(strix).holders if one.pid == 900)
    assert (blender.name, blender.role) == ("blender", Role.OTHER)
    assert blender.gpu_bytes == 3072 * KIB


def test_intels_newer_fields_are_summed_over_regions() -> None:
    client = client_from_fdinfo(
        "drm-driver: xe\ndrm-client-id: 5\ndrm-pdev: 0000:00:02.0\n"
        "drm-total-gtt: 900 MiB\ndrm-resident-gtt: 192 KiB\ndrm-resident-system: 1 MiB\n",
        "3",
    )
    assert client is not None
    assert client.held_bytes == (192 + 1024) * KIB


@pytest.mark.parametrize(
    "text", ["", "drm-client-id: 5\n", "drm-memory-vram: 99999999999999999999 KiB\n", "\x1b[31m\0"]
)
def test_an_fdinfo_without_a_usable_amount_tells_nothing(text: str) -> None:
    assert client_from_fdinfo(text, "3") is None


def test_intels_integrated_gpu_that_needs_privileges_is_unknown_and_not_zero(
    tmp_path: Path,
) -> None:
    write(
        tmp_path,
        {
            "proc/meminfo": MEMORY,
            f"{CARD}/uevent": "DRIVER=xe\nPCI_SLOT_NAME=0000:00:02.0\n",
            f"{CARD}/device": "0x64a0\n",
            **process(SERVER),
        },
    )
    open_file(tmp_path, SERVER, 5, "/dev/dri/renderD128")
    memory = read(tmp_path)
    assert memory.kind is MemoryKind.UNIFIED
    assert memory.pool_total_bytes.value == 125_000_000 * KIB
    assert memory.server_gpu_bytes.value is None
    assert memory.server_gpu_bytes.reason


def test_a_broken_nvidia_driver_is_not_hidden_behind_integrated_graphics(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "proc/meminfo": MEMORY,
            f"{CARD}/uevent": "DRIVER=i915\nPCI_SLOT_NAME=0000:00:02.0\n",
            **process(SERVER),
        },
    )
    memory = read(tmp_path, FakeNvml(init=nvml.VERSION_MISMATCH))
    assert memory.kind is MemoryKind.UNKNOWN
    assert memory.pool_total_bytes.value is None
    assert "versions differ" in memory.why["pool_total_bytes"]


def test_an_unknown_device_is_not_hidden_behind_integrated_graphics(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "proc/meminfo": MEMORY,
            f"{CARD}/uevent": "DRIVER=i915\nPCI_SLOT_NAME=0000:00:02.0\n",
            **process(SERVER),
        },
    )
    library = FakeNvml([FakeGpu("NVIDIA X9000", nvml.NOT_SUPPORTED)])
    memory = read(tmp_path, library)
    assert memory.kind is MemoryKind.UNKNOWN
    assert memory.pool_total_bytes.value is None


def test_a_card_beside_integrated_graphics_is_where_models_live(strix: Path) -> None:
    memory = read(strix, FakeNvml([FakeGpu(memory=(24 * GIB, 9 * GIB))]))
    assert memory.kind is MemoryKind.DISCRETE
    assert memory.pool_total_bytes.value == 24 * GIB
    assert len(memory.devices) == 2


def test_a_server_on_integrated_graphics_is_shown_there_though_a_card_is_built_in(
    strix: Path,
) -> None:
    open_file(strix, SERVER, 7, "/dev/dri/renderD128", amd_client(3, 2048, 0))
    memory = read(strix, FakeNvml([FakeGpu()]))
    assert memory.kind is MemoryKind.UNIFIED
    assert memory.server_gpu_bytes.value == 2048 * KIB


def test_a_jetson_without_nvml_is_known_by_the_kernels_count(tmp_path: Path) -> None:
    files = {"proc/meminfo": meminfo(32000000, 20000000, NvMapMemUsed=5000000)}
    memory = read(write(tmp_path, {**files, **process(SERVER)}))
    assert memory.kind is MemoryKind.UNIFIED
    assert memory.gpu_used_bytes.value == 5000000 * KIB


def test_apples_limit_of_zero_is_the_default_and_not_unlimited() -> None:
    limit = apple_limit(lambda _: "0")
    assert limit.limit_bytes.value is None
    assert "default" in (limit.limit_bytes.reason or "")
    assert apple_limit(lambda _: "114688").limit_bytes.value == 112 * GIB


@pytest.mark.parametrize("text", [None, "", "-1", "many"])
def test_apples_limit_that_cannot_be_read_is_unknown(text: str | None) -> None:
    assert apple_limit(lambda _: text).limit_bytes.value is None


def test_apples_limit_is_asked_from_a_real_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = tmp_path / "sysctl"
    command.write_text('#!/bin/sh\n[ "$*" = "-n iogpu.wired_limit_mb" ] && echo 114688\n')
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert apple_limit(sysctl).limit_bytes.value == 112 * GIB
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    assert apple_limit(sysctl).limit_bytes.value is None


def test_only_apples_own_chips_share_their_memory() -> None:
    device = apple_device(1.0, "arm64")
    assert device is not None
    assert device.kind is MemoryKind.UNIFIED
    assert apple_device(1.0, "x86_64") is None


def test_a_whole_mac_is_read_without_proc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = tmp_path / "sysctl"
    command.write_text("#!/bin/sh\necho 114688\n")
    command.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setattr("sys.platform", "darwin")
    monkeypatch.setattr("platform.machine", lambda: "arm64")
    with installed(None):
        memory = MemoryReader().read(ServerProcess(os.getpid()))
    assert memory.kind is MemoryKind.UNIFIED
    assert memory.kind_note == "Apple GPU: no separate VRAM"
    assert memory.pool_total_bytes.value == psutil.virtual_memory().total
    assert memory.pool_available_bytes.source == "psutil"
    assert memory.server_host_bytes.source == "RSS of 1 process"
    assert memory.server_gpu_bytes.value is None
    assert "macOS does not tell" in (memory.server_gpu_bytes.reason or "")
    (limit,) = memory.limits
    assert limit.limit_bytes.value == 112 * GIB
    assert memory.holders == ()
