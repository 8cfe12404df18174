"""One function of the driver that fails, in whatever way, costs its own figure alone."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from mecha_tui.core.memory import Memory, MemoryKind
from mecha_tui.core.server import ServerProcess
from tests.nvml import FakeGpu, FakeNvml, installed
from tests.unit.memory.roots import GIB, meminfo, patient_reader, process, write

SERVER = 4711
CODES = (1, 2, 3, 4, 6, 7, 10, 13, 15, 16, 17, 999, 4242)
LISTS = ("compute", "graphics", "mps")


def look(root: Path, library: FakeNvml) -> Memory:
    write(root, {"proc/meminfo": meminfo(65536000, 60000000), **process(SERVER)})
    with installed(library):
        return patient_reader(root).read(ServerProcess(SERVER))


def card(**changes: object) -> FakeGpu:
    given = {"memory": (24 * GIB, 9 * GIB), "compute": ((SERVER, GIB),), **changes}
    return FakeGpu(**given)  # type: ignore[arg-type]  # each test gives what the field takes


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("failing", LISTS)
def test_a_process_list_that_fails_costs_no_memory_figure(
    tmp_path: Path, failing: str, code: int
) -> None:
    memory = look(tmp_path, FakeNvml([card(**{failing: code})]))
    assert memory.pool_available_bytes.value == 9 * GIB
    assert memory.devices[0].error is None
    if failing == "compute":
        assert memory.server_gpu_bytes.value is None
    else:
        assert memory.server_gpu_bytes.value == GIB


@pytest.mark.parametrize("code", [3, 4, 13])
def test_memory_that_is_not_told_costs_no_process(tmp_path: Path, code: int) -> None:
    memory = look(tmp_path, FakeNvml([card(memory=code)]))
    assert memory.kind is MemoryKind.UNKNOWN
    assert memory.server_gpu_bytes.value == GIB
    assert memory.why["pool_total_bytes"].startswith("NVML: ")


@pytest.mark.parametrize("code", [1, 2, 6, 10, 15, 16, 17, 999, 4242])
def test_a_device_that_fails_is_named_with_its_error(tmp_path: Path, code: int) -> None:
    memory = look(tmp_path, FakeNvml([card(), card(error=code)]))
    assert memory.devices[0].error is None
    assert (memory.devices[1].error or "").startswith("NVML: ")
    assert memory.pool_total_bytes.value == 24 * GIB
    assert memory.server_gpu_bytes.value == GIB


@pytest.mark.parametrize(
    "missing",
    ["nvmlDeviceGetName", "nvmlDeviceGetMemoryInfo", "nvmlDeviceGetHandleByIndex_v2"],
)
def test_a_library_without_a_function_still_tells_the_rest(tmp_path: Path, missing: str) -> None:
    memory = look(tmp_path, FakeNvml([card()], missing={missing}))
    assert len(memory.devices) == 1
    assert memory.devices[0].name


@pytest.mark.parametrize("missing", ["nvmlInitWithFlags", "nvmlDeviceGetCount_v2"])
def test_a_library_that_cannot_even_start_is_named(tmp_path: Path, missing: str) -> None:
    memory = look(tmp_path, FakeNvml([card()], missing={missing}))
    assert memory.kind is MemoryKind.UNKNOWN
    assert "function not found" in memory.why["pool_total_bytes"]


def test_a_driver_that_never_wants_to_say_how_many_processes_there_are(tmp_path: Path) -> None:
    memory = look(tmp_path, FakeNvml([card(compute=7)]))
    assert memory.server_gpu_bytes.value is None


def test_another_package_of_the_modules_name_is_told_as_too_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    impostor = SimpleNamespace(NVMLError=RuntimeError, NVMLLibraryMismatchError=KeyError)
    monkeypatch.setitem(sys.modules, "pynvml", impostor)
    memory = look(tmp_path, FakeNvml())
    assert memory.kind is MemoryKind.UNKNOWN
    assert "nvidia-ml-py has no nvmlInit" in memory.why["pool_total_bytes"]


def test_without_the_package_that_is_what_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", None)
    memory = look(tmp_path, FakeNvml())
    assert "nvidia-ml-py is missing" in memory.why["pool_total_bytes"]
