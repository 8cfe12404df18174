"""Watching memory costs the machine little, and never more the more there is to see."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mecha_tui.collect.memory.holders import Holders
from mecha_tui.collect.memory.kept import Kept
from mecha_tui.collect.memory.server_uses import ServerUses
from mecha_tui.core.memory import GpuUse, MemoryKind, Role
from mecha_tui.core.server import ServerProcess
from tests.nvml import FakeGpu, FakeNvml, installed
from tests.unit.memory.roots import meminfo, patient_reader, process, write

SERVER = 4711


class Timer:
    """A stopwatch on which every reading takes as long as the test says."""

    def __init__(self, step_s: float) -> None:
        self.step_s = step_s
        self.now_s = 0.0

    def __call__(self) -> float:
        self.now_s += self.step_s
        return self.now_s


def host_bytes(uses: ServerUses, now_s: float) -> tuple[int | None, str | None]:
    told = uses.host(uses.pids(now_s), now_s)[0]
    return told.value, told.source


def test_a_process_whose_pss_takes_long_is_left_in_peace_for_longer(tmp_path: Path) -> None:
    write(tmp_path, process(SERVER, pss_kib=1000))
    uses = ServerUses(tmp_path, ServerProcess(SERVER), Timer(0.25))
    assert host_bytes(uses, 100.0) == (1000 * 1024, "PSS of 1 process, read every 50 s")
    write(tmp_path, process(SERVER, pss_kib=2000))
    assert host_bytes(uses, 149.0)[0] == 1000 * 1024
    assert host_bytes(uses, 150.0)[0] == 2000 * 1024


def test_a_process_that_stays_as_it_is_is_read_again_only_after_a_while(tmp_path: Path) -> None:
    write(tmp_path, process(SERVER, pss_kib=1000))
    uses = ServerUses(tmp_path, ServerProcess(SERVER), Timer(0.0))
    host_bytes(uses, 100.0)
    rollup = tmp_path / f"proc/{SERVER}/smaps_rollup"
    rollup.write_text("Pss: 900 kB\n")
    assert host_bytes(uses, 129.0)[0] == 1000 * 1024
    assert host_bytes(uses, 130.0)[0] == 900 * 1024


def test_a_small_process_that_moves_is_read_at_every_look(tmp_path: Path) -> None:
    uses = ServerUses(tmp_path, ServerProcess(SERVER), Timer(0.0001))
    for pss in (1000, 2000, 3000):
        write(tmp_path, process(SERVER, pss_kib=pss))
        assert host_bytes(uses, 100.0 + pss) == (pss * 1024, "PSS of 1 process")


def test_all_processes_are_gone_through_only_now_and_then(tmp_path: Path) -> None:
    write(tmp_path, process(900, "early", pss_kib=5000))
    holders = Holders(tmp_path)
    names = [one.name for one in holders.named((), frozenset(), 1, 100.0)]
    assert names == ["early"]
    write(tmp_path, process(901, "late", pss_kib=6000))
    assert len(holders.named((), frozenset(), 1, 219.0)) == 1
    assert [one.name for one in holders.named((), frozenset(), 1, 220.0)] == ["late", "early"]


def test_ours_is_always_named_however_small_it_is(tmp_path: Path) -> None:
    for pid in range(900, 920):
        write(tmp_path, process(pid, "large", pss_kib=900_000))
    write(tmp_path, process(77, "mecha-tui", pss_kib=40_000))
    found = {one.pid: one for one in Holders(tmp_path).named((), frozenset(), 77, 1.0)}
    assert found[77].role is Role.OURS
    assert found[77].host_bytes == 40_000 * 1024


@pytest.mark.parametrize(
    ("name", "arguments", "shown"),
    [
        ("python3.11", "python3 -m vllm.serve --api-key sk-secret", "python3.11 -m vllm.serve"),
        ("python3", "python3 -u /opt/train.py --token sk-secret", "python3 train.py"),
        ("python3", "python3 -c print('sk-secret')", "python3"),
        ("llama-server", "llama-server -m /m/a.gguf --api-key sk-secret", "llama-server a.gguf"),
        ("llama-server", "llama-server --api-key sk-secret -m", "llama-server"),
        ("mysqld", "mysqld --password=sk-secret -m x", "mysqld"),
        ("bash", "", "bash"),
    ],
)
def test_a_holder_is_named_by_what_it_runs_and_by_no_secret(
    tmp_path: Path, name: str, arguments: str, shown: str
) -> None:
    write(tmp_path, {**process(900, name), "proc/900/cmdline": arguments.replace(" ", "\0")})
    (found,) = Holders(tmp_path).named((), frozenset(), 1, 1.0)
    assert found.name == shown


def test_a_scan_that_takes_too_long_stops(tmp_path: Path) -> None:
    for pid in range(900, 1000):
        write(tmp_path, process(pid, "many", pss_kib=pid))
    holders = Holders(tmp_path, Timer(0.05))
    assert len(holders.named((), frozenset(), 1, 100.0)) < 6


def test_a_holder_whose_pid_was_reused_loses_its_figure(tmp_path: Path) -> None:
    write(tmp_path, process(900, "early", pss_kib=5000))
    holders = Holders(tmp_path)
    holders.named((), frozenset(), 1, 100.0)
    write(tmp_path, process(900, "another", start_ticks=777))
    (found,) = holders.named((), frozenset(), 1, 110.0)
    assert (found.name, found.host_bytes) == ("another", None)


def test_holders_on_the_gpu_are_summed_over_devices_and_ours_is_named(tmp_path: Path) -> None:
    write(tmp_path, {**process(900, "other"), **process(77, "mecha-tui")})
    uses = (GpuUse(900, 3 << 30), GpuUse(900, 4 << 30), GpuUse(5, 9 << 30, is_visible=False))
    found = {one.pid: one for one in Holders(tmp_path).named(uses, frozenset(), 77, 1.0)}
    assert found[900].gpu_bytes == 7 << 30
    assert found[77].role is Role.OURS
    assert found[5].role is Role.UNATTRIBUTED


def test_servers_read_in_the_same_moment_share_one_look_at_the_driver(tmp_path: Path) -> None:
    write(tmp_path, {"proc/meminfo": meminfo(9000, 10), **process(SERVER), **process(4712)})
    library = FakeNvml([FakeGpu()])
    reader = patient_reader(tmp_path, lambda: 100.0)
    with installed(library):
        for pid in (SERVER, 4712, None):
            reader.read(None if pid is None else ServerProcess(pid))
    assert library.calls.count("nvmlDeviceGetMemoryInfo") == 1


def test_a_look_at_a_machine_at_rest_reads_only_a_handful_of_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    servers = [ServerProcess(pid) for pid in (SERVER, 4712)]
    write(tmp_path, {"proc/meminfo": meminfo(9000, 10), "proc/vmstat": "oom_kill 0\n"})
    for pid in range(4700, 4760):
        write(tmp_path, process(pid))
    now = [100.0]
    reader = patient_reader(tmp_path, lambda: now[0])
    with installed(FakeNvml([FakeGpu()])):
        for process_of in servers:
            reader.read(process_of)
        opened: list[str] = []
        real_open = os.open

        def counted(path: str | Path, *rest: int) -> int:
            opened.append(str(path))
            return real_open(path, *rest)

        monkeypatch.setattr("os.open", counted)
        now[0] += 2.0
        for process_of in servers:
            reader.read(process_of)
    assert 0 < len(opened) <= 12, opened
    assert not any(path.endswith("smaps_rollup") for path in opened)


def test_a_sleeping_card_is_not_woken(tmp_path: Path) -> None:
    card = "sys/bus/pci/devices/0000:01:00.0"
    files = {
        "proc/meminfo": meminfo(9000, 10),
        f"{card}/vendor": "0x10de\n",
        f"{card}/class": "0x030200\n",
        f"{card}/power/runtime_status": "suspended\n",
    }
    write(tmp_path, files)
    library = FakeNvml([FakeGpu()])
    with installed(library):
        memory = patient_reader(tmp_path).read(None)
        assert library.calls == []
        assert memory.kind is MemoryKind.UNKNOWN
        assert "would wake it" in memory.why["pool_total_bytes"]
        write(tmp_path, {f"{card}/power/runtime_status": "active\n"})
        assert patient_reader(tmp_path).read(None).kind is MemoryKind.DISCRETE


def test_a_value_is_kept_for_its_time_and_for_its_question() -> None:
    counted = iter(range(10))
    kept = Kept[int](5.0)
    assert [kept.get(now_s, lambda: next(counted)) for now_s in (1.0, 5.9, 6.0)] == [0, 0, 1]
    assert kept.get(6.0, lambda: next(counted), "another") == 2
