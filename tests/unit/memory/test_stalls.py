"""A driver that stalls costs its own figures their freshness, and nothing else."""

from __future__ import annotations

from pathlib import Path
from threading import Event

from mecha_tui.collect.memory.patient import Patient
from mecha_tui.collect.memory.reader import MemoryReader
from mecha_tui.core.memory import Memory, MemoryKind
from tests.nvml import FakeGpu, FakeNvml, installed
from tests.servers import wait_until
from tests.unit.memory.roots import GIB, meminfo, write


def test_a_stalled_driver_leaves_the_host_fresh_and_its_own_values_old(tmp_path: Path) -> None:
    write(tmp_path, {"proc/meminfo": meminfo(9000, 5000)})
    now, released, stalls = [100.0], Event(), Event()
    library = FakeNvml([FakeGpu(memory=(24 * GIB, 9 * GIB))])

    def stall(name: str) -> None:
        if stalls.is_set() and name == "nvmlDeviceGetMemoryInfo":
            released.wait(60.0)

    library.before_call = stall
    reader = MemoryReader(tmp_path, clock=lambda: now[0], patience_s=0.05)
    with installed(library):
        wait_until(lambda: _is_fresh(_after(now, reader), 9 * GIB), "a first answer")
        good_s = now[0]
        stalls.set()
        write(tmp_path, {"proc/meminfo": meminfo(9000, 4000)})
        library.change(0, memory=(24 * GIB, 8 * GIB))
        for _ in range(3):
            memory = _after(now, reader)
            assert memory.host.available_bytes.value == 4000 * 1024
            assert memory.pool_available_bytes.value == 9 * GIB
            assert memory.taken_s == good_s
            assert "has not answered" in (memory.devices[0].error or "")
        assert library.calls.count("nvmlShutdown") == 0
        stalls.clear()
        released.set()
        wait_until(lambda: _is_fresh(_after(now, reader), 8 * GIB), "a fresh answer")


def _is_fresh(memory: Memory, available: int) -> bool:
    if memory.pool_available_bytes.value != available:
        return False
    return all(device.error is None for device in memory.devices)


def _after(now: list[float], reader: MemoryReader) -> Memory:
    now[0] += 2.0
    return reader.read(None)


def test_a_driver_that_never_answered_is_not_replaced_by_ram(tmp_path: Path) -> None:
    write(tmp_path, {"proc/meminfo": meminfo(9000, 5000)})
    released = Event()
    library = FakeNvml([FakeGpu()])

    def stall(_name: str) -> None:
        released.wait(60.0)

    library.before_call = stall
    reader = MemoryReader(tmp_path, patience_s=0.01)
    with installed(library):
        memory = reader.read(None)
        released.set()
        assert memory.kind is MemoryKind.UNKNOWN
        assert memory.pool_total_bytes.value is None
        assert memory.host.total_bytes.value == 9000 * 1024
        wait_until(lambda: reader._machine._nvml.asked_s is None, "the driver's answer")


def test_a_question_that_stalls_is_never_asked_twice_at_once() -> None:
    released, asked = Event(), []

    def ask(now_s: float) -> float:
        asked.append(now_s)
        released.wait(60.0)
        return now_s

    patient = Patient(ask, 0.01)
    assert [patient.newest(float(now_s)) for now_s in (1, 2, 3)] == [None, None, None]
    assert asked == [1.0]
    assert patient.asked_s == 1.0
    released.set()
    wait_until(lambda: patient.asked_s is None, "the answer")
    assert patient.newest(4.0) == 4.0
