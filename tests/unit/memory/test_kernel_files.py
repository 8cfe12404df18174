"""What the kernel's files say becomes figures; what is missing or absurd costs only itself."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mecha_tui.collect.memory.cgroup import memory_limit
from mecha_tui.collect.memory.meminfo import host_from_meminfo, parse_meminfo, read_host
from mecha_tui.collect.memory.pressure import PressureReader
from mecha_tui.collect.memory.processes import tree
from mecha_tui.core.memory import Host, Memory, MemoryKind, Role
from mecha_tui.core.memory_findings import memory_findings
from mecha_tui.core.reading import unknown
from mecha_tui.core.server import ServerProcess
from tests.unit.memory.roots import GIB, meminfo, patient_reader, process, write

SERVER = 4711


def read(root: Path, pid: int | None = SERVER) -> Memory:
    return patient_reader(root).read(None if pid is None else ServerProcess(pid))


def host(text: str) -> Host:
    return host_from_meminfo(parse_meminfo(text), unknown("no ZFS here"))


def test_llama_cpp_sees_only_the_free_huge_pages_where_there_are_any(tmp_path: Path) -> None:
    text = meminfo(127600748, 118566368) + (
        "HugePages_Total:    1024\nHugePages_Free:      512\nHugepagesize:       2048 kB\n"
    )
    write(
        tmp_path,
        {
            "proc/meminfo": text,
            "proc/device-tree/compatible": "nvidia,tegra234\0",
            "proc/device-tree/model": "NVIDIA Jetson AGX Orin Developer Kit\0",
        },
    )
    memory = read(tmp_path, None)
    assert memory.kind is MemoryKind.UNIFIED
    assert memory.llama_headroom_bytes.value == 1 * GIB
    assert memory.headroom_bytes.value == 118566368 * 1024
    assert memory.kind_note.startswith("NVIDIA Jetson AGX Orin Developer Kit")


@pytest.mark.parametrize("missing", ["MemTotal", "MemAvailable", "Cached"])
def test_a_missing_line_costs_only_its_own_figure(missing: str) -> None:
    lines = [
        line
        for line in meminfo(1000, 400, MemFree=100, Cached=200).splitlines()
        if not line.startswith(missing)
    ]
    figures = host("\n".join(lines) + "\n")
    known = {
        "MemTotal": figures.total_bytes,
        "MemAvailable": figures.available_bytes,
        "Cached": figures.page_cache_bytes,
    }
    assert known.pop(missing).value is None
    assert all(one.value for one in known.values())


@pytest.mark.parametrize(
    "line", ["MemAvailable: 99999999999999999999 kB", "MemAvailable: -5 kB", "MemAvailable: many"]
)
def test_an_absurd_line_is_unknown_and_never_a_number(line: str) -> None:
    figures = host(f"MemTotal: 1000 kB\n{line}\n")
    assert figures.available_bytes.value is None
    assert figures.available_bytes.reason
    assert figures.total_bytes.value == 1000 * 1024


def test_parts_larger_than_the_whole_and_negative_differences_are_refused() -> None:
    figures = host(meminfo(1000, 2000, Cached=5000, SwapTotal=10, SwapFree=20))
    assert figures.available_bytes.value is None
    assert figures.page_cache_bytes.value is None
    assert figures.swap_used_bytes.value is None
    assert figures.swap_total_bytes.value == 10 * 1024


def test_shared_memory_is_not_counted_as_cache_that_can_be_given_back() -> None:
    assert host(meminfo(9000, 5000, Cached=4000, Shmem=1000)).page_cache_bytes.value == 3000 * 1024


def test_zfs_tells_its_cache_above_the_lower_bound(tmp_path: Path) -> None:
    stats = "13 1 0x01 3 4 5\nname type data\nc_min 4 1000\nsize 4 9000\n"
    files = {"proc/meminfo": meminfo(9000, 10), "proc/spl/kstat/zfs/arcstats": stats}
    assert read_host(write(tmp_path, files)).arc_bytes.value == 8000


def gib(amount: float) -> str:
    return f"{round(amount * GIB)}\n"


def v2_group(root: Path, path: str, **files: str) -> None:
    write(root, {f"sys/fs/cgroup{path}/memory.{name}": text for name, text in files.items()})


def test_a_control_groups_limit_counts_cached_files_as_free(tmp_path: Path) -> None:
    write(tmp_path, {"proc/4711/cgroup": "0::/system.slice/llama.service\n"})
    stat = f"anon 5\ninactive_file {round(51.1 * GIB)}\nactive_file {round(15.7 * GIB)}\n"
    v2_group(
        tmp_path,
        "/system.slice/llama.service",
        max=gib(70),
        current=gib(69.55),
        stat=stat,
    )
    limit = memory_limit(tmp_path, SERVER)
    assert limit.name == "control group /system.slice/llama.service"
    assert limit.limit_bytes.value == 70 * GIB
    assert limit.left_bytes.value == pytest.approx(67.25 * GIB, abs=4)


def test_the_tightest_ancestor_is_the_one_that_is_told(tmp_path: Path) -> None:
    write(tmp_path, {"proc/4711/cgroup": "0::/user.slice/llama.scope\n"})
    files = "inactive_file 0\nactive_file 0\n"
    v2_group(tmp_path, "/user.slice/llama.scope", max=gib(70), current=gib(1), stat=files)
    v2_group(tmp_path, "/user.slice", max=gib(40), current=gib(39), stat=files)
    limit = memory_limit(tmp_path, SERVER)
    assert limit.name == "control group /user.slice"
    assert limit.left_bytes.value == 1 * GIB


def test_no_limit_and_an_unreadable_one_are_told_apart(tmp_path: Path) -> None:
    write(tmp_path, {"proc/4711/cgroup": "0::/free.scope\n", "proc/4712/cgroup": "0::/odd.scope\n"})
    v2_group(tmp_path, "/free.scope", max="max\n", current=gib(1))
    v2_group(tmp_path, "/odd.scope", current=gib(1))
    assert memory_limit(tmp_path, 4711).limit_bytes.reason == "no limit is set"
    assert "there is no" in (memory_limit(tmp_path, 4712).limit_bytes.reason or "")
    assert "there is no" in (memory_limit(tmp_path, 4713).limit_bytes.reason or "")


def test_version_one_of_control_groups_is_read_by_its_own_names(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "proc/4711/cgroup": "9:cpu:/a\n4:memory:/docker/abc\n0::/\n",
            "sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes": gib(8),
            "sys/fs/cgroup/memory/docker/abc/memory.usage_in_bytes": gib(7),
            "sys/fs/cgroup/memory/docker/abc/memory.stat": (
                f"total_inactive_file {2 * GIB}\ntotal_active_file {GIB}\n"
            ),
            "sys/fs/cgroup/memory/docker/memory.limit_in_bytes": "9223372036854771712\n",
            "sys/fs/cgroup/unified/cgroup.procs": "",
        },
    )
    limit = memory_limit(tmp_path, SERVER)
    assert limit.limit_bytes.value == 8 * GIB
    assert limit.left_bytes.value == 4 * GIB


def test_version_one_writes_a_huge_number_where_no_limit_is_set(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "proc/4711/cgroup": "4:memory:/a\n",
            "sys/fs/cgroup/memory/a/memory.limit_in_bytes": "9223372036854771712\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
        },
    )
    assert memory_limit(tmp_path, SERVER).limit_bytes.reason == "no limit is set"


def test_a_limit_that_is_nearly_reached_is_a_finding(tmp_path: Path) -> None:
    write(tmp_path, {"proc/4711/cgroup": "0::/a\n"})
    files = "inactive_file 0\nactive_file 0\n"
    v2_group(tmp_path, "/a", max=gib(40), current=gib(39), stat=files)
    (found,) = memory_findings(Memory(limits=(memory_limit(tmp_path, SERVER),)))
    assert found.code == "memory-limit-near"
    assert "leaves 1.0 GiB of its 40.0 GiB" in found.message
    v2_group(tmp_path, "/a", current=gib(20))
    assert memory_findings(Memory(limits=(memory_limit(tmp_path, SERVER),))) == ()


def test_locked_pages_of_a_mapped_model_cannot_be_given_back(tmp_path: Path) -> None:
    write(tmp_path, process(SERVER))
    rollup = "Pss: 9000 kB\nPss_Anon: 1000 kB\nPss_File: 8000 kB\nLocked: 7000 kB\n"
    (tmp_path / f"proc/{SERVER}/smaps_rollup").write_text(rollup)
    memory = read(tmp_path)
    assert memory.server_host_bytes.value == 9000 * 1024
    assert memory.server_cache_bytes.value == 1000 * 1024


def test_more_cached_files_than_use_leave_the_whole_limit(tmp_path: Path) -> None:
    write(tmp_path, {"proc/4711/cgroup": "0::/a\n"})
    stat = f"inactive_file {9 * GIB}\nactive_file 0\n"
    v2_group(tmp_path, "/a", max=gib(8), current=gib(7), stat=stat)
    assert memory_limit(tmp_path, SERVER).left_bytes.value == 8 * GIB


def test_a_group_outside_the_namespace_is_not_followed(tmp_path: Path) -> None:
    write(tmp_path, {"proc/4711/cgroup": "0::/../../etc\n", "sys/etc/memory.max": "4096\n"})
    (tmp_path / "sys/fs/cgroup").mkdir(parents=True)
    assert memory_limit(tmp_path, SERVER).limit_bytes.value is None


def test_kills_are_counted_from_the_first_look_on_and_matter_for_a_while(tmp_path: Path) -> None:
    reader = PressureReader(tmp_path)
    write(tmp_path, {"proc/vmstat": "nr_free_pages 1\noom_kill 41\n"})
    assert reader.read(100.0).oom_kills.value == 0
    write(tmp_path, {"proc/vmstat": "oom_kill 43\n"})
    seen = reader.read(110.0)
    assert (seen.oom_kills.value, seen.killed_s) == (2, 110.0)
    (found,) = memory_findings(Memory(pressure=seen, taken_s=110.0))
    assert found.code == "oom-kill"
    assert "2 processes" in found.message
    assert memory_findings(Memory(pressure=reader.read(2000.0), taken_s=2000.0)) == ()


def pressure_file(some: float) -> dict[str, str]:
    lines = (
        f"some avg10={some:.2f} avg60=1.00 avg300=0.00 total=9\n"
        "full avg10=12.00 avg60=0.00 avg300=0.00 total=0\n"
    )
    return {"proc/pressure/memory": lines}


def test_pressure_is_a_finding_with_plain_words_until_it_has_well_gone(tmp_path: Path) -> None:
    write(tmp_path, pressure_file(24.5))
    reader = PressureReader(tmp_path)
    pressure = reader.read(1.0)
    assert pressure.some_ratio.value == 0.245
    assert pressure.full_ratio.value == 0.12
    found = memory_findings(Memory(pressure=pressure))
    assert [one.code for one in found] == ["memory-pressure"]
    assert found[0].effect == "A server that loads now would stay slow."
    write(tmp_path, pressure_file(8.0))
    lower = Memory(pressure=reader.read(2.0))
    assert memory_findings(lower) == ()
    assert [one.code for one in memory_findings(lower, found)] == ["memory-pressure"]


def test_without_pressure_figures_nothing_is_claimed(tmp_path: Path) -> None:
    pressure = PressureReader(tmp_path).read(1.0)
    assert pressure.some_ratio.value is None
    assert pressure.oom_kills.value is None
    assert memory_findings(Memory(pressure=pressure)) == ()


def test_a_server_being_swapped_out_is_a_finding(tmp_path: Path) -> None:
    write(tmp_path, {"proc/meminfo": meminfo(9000, 10), **process(SERVER, swap_kib=3 << 20)})
    memory = read(tmp_path)
    assert memory.server_swap_bytes.value == 3 * GIB
    assert [one.code for one in memory_findings(memory)] == ["server-swapped"]


def test_children_are_summed_with_their_server(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "proc/meminfo": meminfo(65536000, 60000000),
            **process(SERVER, pss_kib=1000, children=(4712,)),
            **process(4712, pss_kib=2000, parent=SERVER, children=(4713,)),
            **process(4713, pss_kib=4000, parent=4712),
            **process(5000, pss_kib=8000),
        },
    )
    assert tree(tmp_path, SERVER) == (SERVER, 4712, 4713)
    memory = read(tmp_path)
    assert memory.server_host_bytes.value == 7000 * 1024
    assert memory.server_host_bytes.source == "PSS of 3 processes"
    roles = {one.pid: one.role for one in memory.holders}
    assert roles == {
        SERVER: Role.SERVER,
        4712: Role.SERVER,
        4713: Role.SERVER,
        5000: Role.OTHER,
    }


def test_without_pss_the_rss_is_told_and_named(tmp_path: Path) -> None:
    write(tmp_path, {"proc/meminfo": meminfo(9000, 10), **process(SERVER, pss_kib=1234)})
    (tmp_path / f"proc/{SERVER}/smaps_rollup").unlink()
    memory = read(tmp_path)
    assert memory.server_host_bytes.value == 1234 * 1024
    assert memory.server_host_bytes.source == "RSS of 1 process"
    assert memory.server_cache_bytes.value is None


def test_another_process_under_the_same_pid_is_not_the_server(tmp_path: Path) -> None:
    now = [100.0]
    reader = patient_reader(tmp_path, lambda: now[0])
    write(tmp_path, {"proc/meminfo": meminfo(9000, 10), **process(SERVER, pss_kib=1000)})
    assert reader.read(ServerProcess(SERVER)).server_host_bytes.value == 1000 * 1024
    write(tmp_path, process(SERVER, "bash", pss_kib=5, start_ticks=99999))
    now[0] += 10.0
    memory = reader.read(ServerProcess(SERVER))
    assert memory.server_host_bytes.value is None
    assert "another process" in (memory.server_host_bytes.reason or "")


def test_a_pid_that_is_younger_than_the_server_was_reused(tmp_path: Path) -> None:
    files = {"proc/stat": "cpu 1\nbtime 1000000\n", **process(SERVER, start_ticks=50000)}
    write(tmp_path, files)
    started_s = 1000000 + 50000 / os.sysconf("SC_CLK_TCK")
    told = patient_reader(tmp_path).read(ServerProcess(SERVER, started_s))
    assert told.server_host_bytes.value is not None
    late = patient_reader(tmp_path).read(ServerProcess(SERVER, started_s - 60))
    assert late.server_host_bytes.value is None


def test_a_server_that_is_gone_is_unknown_and_the_host_still_told(tmp_path: Path) -> None:
    write(tmp_path, {"proc/meminfo": meminfo(9000, 10)})
    memory = read(tmp_path)
    assert memory.server_host_bytes.value is None
    assert "4711" in (memory.server_host_bytes.reason or "")
    assert memory.pool_total_bytes.value == 9000 * 1024


def test_without_any_proc_everything_is_unknown_with_reasons(tmp_path: Path) -> None:
    memory = read(tmp_path)
    assert memory.pool_total_bytes.value is None
    assert set(memory.why) == {
        "vram",
        "pool_total_bytes",
        "pool_available_bytes",
        "server_gpu_bytes",
        "server_host_bytes",
    }
    assert all(memory.why.values())
    assert memory.holders == ()


def test_permission_denied_everywhere_is_told_and_breaks_nothing(tmp_path: Path) -> None:
    write(tmp_path, {"proc/meminfo": meminfo(9000, 10), **process(SERVER)})
    for place in tmp_path.rglob("*"):
        if place.is_file():
            place.chmod(0o000)
    with without_rights():
        memory = read(tmp_path)
    assert memory.pool_total_bytes.value is None
    assert "no permission to read /proc/meminfo" in (memory.pool_total_bytes.reason or "")
    assert memory.server_host_bytes.value is None
    assert all(memory.why.values())


@contextmanager
def without_rights() -> Iterator[None]:
    """Be nobody for a while when run by root, whom no file forbids anything."""
    if os.getuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_process_named_with_brackets_and_escapes_is_read_and_made_safe(tmp_path: Path) -> None:
    name = "a) S (b\x1b[31m[/b]"
    write(tmp_path, {"proc/meminfo": meminfo(9000, 10), **process(SERVER, name, pss_kib=77)})
    memory = read(tmp_path)
    assert memory.server_host_bytes.value == 77 * 1024
    assert memory.holders[0].name == "a) S (b[/b]"
    assert memory.holders[0].host_bytes == 77 * 1024


def test_without_a_gpu_a_tight_limit_is_what_is_really_left(tmp_path: Path) -> None:
    files = "inactive_file 0\nactive_file 0\n"
    group = {"proc/4711/cgroup": "0::/a\n", "proc/meminfo": meminfo(65536000, 60000000)}
    write(tmp_path, {**group, **process(SERVER)})
    v2_group(tmp_path, "/a", max=gib(8), current=gib(3), stat=files)
    memory = read(tmp_path)
    assert memory.headroom_bytes.value == 5 * GIB
    assert memory.pool_available_bytes.value == 60000000 * 1024
    assert memory.llama_headroom_bytes.value == 60000000 * 1024
