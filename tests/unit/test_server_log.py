"""A server's log is found and read wherever a real process sends it, and nowhere else."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

from mecha_tui.collect.log_command import ContainerLog, Journal
from mecha_tui.collect.log_file import LOOK_LIMIT_BYTES, LogFile, place_of
from mecha_tui.collect.printed import printed
from mecha_tui.collect.server_log import NoLog, ServerLog, log_of
from mecha_tui.core.server import ServerProcess
from tests.servers import wait_until

WRITER = "import sys\nfor line in sys.stdin: sys.stderr.write(line); sys.stderr.flush()"
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="descriptors are read in /proc")


@contextmanager
def writer(error: int | IO[bytes]) -> Iterator[subprocess.Popen[str]]:
    """Run a process that writes to its standard error what it is told."""
    with subprocess.Popen(
        [sys.executable, "-c", WRITER],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=error,
        text=True,
    ) as process:
        yield process
        process.kill()


def says_nothing(command: tuple[str, ...], *, with_errors: bool = False) -> str:
    del command, with_errors
    return ""


def tell(process: subprocess.Popen[str], text: str) -> None:
    assert process.stdin is not None
    process.stdin.write(text)
    process.stdin.flush()


def found(pid: int) -> ServerLog:
    log = log_of(ServerProcess(pid))
    assert isinstance(log, ServerLog), log
    return log


def lines_of(log: ServerLog, count: int) -> list[str]:
    lines: list[str] = []

    def is_whole() -> bool:
        lines.extend(log.new_lines())
        return len(lines) >= count

    wait_until(is_whole, f"{count} lines in {log.name}")
    return lines


@linux_only
def test_a_redirected_log_is_read_from_where_it_was_found(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    path.write_text("old\n")
    with path.open("ab") as output, writer(output) as process:
        log = found(process.pid)
        assert log.name == str(path)
        assert log.new_lines() == ()
        tell(process, "one\ntwo\nhal")
        tell(process, "f\n")
        assert lines_of(log, 3) == ["one", "two", "half"]
        assert log.tail(2) == ("two", "half")


@linux_only
def test_a_log_that_is_moved_away_is_followed_and_one_in_its_place_is_not(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    with path.open("ab") as output, writer(output) as process:
        log = found(process.pid)
        path.rename(tmp_path / "server.log.1")
        path.write_text("another file\n")
        tell(process, "one\n")
        assert lines_of(log, 1) == ["one"]
    assert log.tail(10) == ()


@linux_only
def test_a_log_that_is_emptied_is_read_from_its_start(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    path.write_text("a long line that was there before\n")
    with path.open("ab") as output, writer(output) as process:
        log = found(process.pid)
        os.truncate(path, 0)
        tell(process, "one\n")
        assert lines_of(log, 1) == ["one"]


@linux_only
def test_a_tail_is_there_after_the_end_and_has_no_keys(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    with path.open("ab") as output, writer(output) as process:
        log = found(process.pid)
        tell(process, "\x1b[31mstarted with --api-key abcdefgh\n")
        lines_of(log, 1)
    assert log.tail(5) == ("started with --api-key ***",)


@linux_only
def test_the_file_told_on_the_command_line_is_found_beside_the_process(tmp_path: Path) -> None:
    script = "import sys, time; held = open(sys.argv[2], 'w'); held.write('hi\\n'); held.flush()"
    command = [sys.executable, "-c", f"{script}; time.sleep(600)", "--log-file", "own.log"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, cwd=tmp_path) as process:
        path = tmp_path / "own.log"
        wait_until(lambda: path.is_file() and path.read_text(), "the file is open")
        assert found(process.pid).tail(3) == ("hi",)
        assert found(process.pid).name == str(path)
        process.kill()


@linux_only
def test_pipes_devices_and_terminals_are_never_opened_and_said_to_be_so() -> None:
    reasons = {}
    leader, follower = os.openpty()
    for name, error in {
        "pipe": subprocess.PIPE,
        "null": subprocess.DEVNULL,
        "terminal": follower,
    }.items():
        with writer(error) as process:
            log = log_of(ServerProcess(process.pid), says_nothing)
            assert isinstance(log, NoLog)
            reasons[name] = log.reason
    os.close(leader)
    os.close(follower)
    start = "its log cannot be read: its standard error "
    assert reasons["null"] == f"{start}is thrown away"
    assert reasons["terminal"] == f"{start}is a terminal, so look there"
    assert reasons["pipe"].startswith(start) or "journal" in reasons["pipe"]


def test_a_file_that_is_none_has_no_place(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "link").symlink_to("/etc/hostname")
    for path in (tmp_path / "fifo", tmp_path / "link", tmp_path, Path("/dev/zero")):
        assert place_of(path) is None


def test_a_link_put_in_a_logs_place_is_not_followed(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    path.write_text("mine\n")
    place = place_of(path)
    assert place is not None
    log = LogFile(place)
    path.rename(tmp_path / "moved")
    path.symlink_to(tmp_path / "moved")
    assert log.tail(5) == ()


def test_of_a_flood_only_the_end_is_read(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    path.write_text("")
    place = place_of(path)
    assert place is not None
    log = LogFile(place)
    path.write_bytes(b"0123456789abcde\n" * LOOK_LIMIT_BYTES)
    lines = log.new_lines()
    assert lines[-1] == "0123456789abcde"
    assert len(lines) * 16 <= LOOK_LIMIT_BYTES + 16
    assert log.new_lines() == ()


JOURNALCTL = """#!{python}
import json, sys
entries = {entries}
words = dict(word.partition("=")[::2] for word in sys.argv[1:])
assert words["--unit"] == "llama.service", sys.argv
after = words.get("--after-cursor")
at = 0 if after is None else [one["__CURSOR"] for one in entries].index(after) + 1
for entry in entries[at:][-int(words["--lines"]):]:
    print(json.dumps(entry))
"""


def program(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def journal_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Journal, Callable[[object], None]]:
    """Return a journal read through a program that prints entries as journalctl does."""
    entries: list[dict[str, object]] = []

    def add(message: object) -> None:
        entries.append({"__CURSOR": f"s=1;i={len(entries)}", "MESSAGE": message})
        text = JOURNALCTL.format(python=sys.executable, entries=repr(entries))
        program(tmp_path / "journalctl", text)

    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    add("before")
    return Journal("llama.service", is_users=False), add


def test_a_journal_is_read_on_from_its_cursor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal, add = journal_of(tmp_path, monkeypatch)
    assert journal.is_readable
    assert journal.new_lines() == ()
    add("one")
    add([27, 91, 51, 49, 109, 114, 101, 100])
    add(None)
    assert journal.new_lines() == ("one", "\x1b[31mred")
    assert journal.new_lines() == ()
    assert journal.tail(2) == ("\x1b[31mred",)
    assert journal.name == "journal of llama.service"


def test_a_journal_that_shows_nothing_is_not_readable() -> None:
    journal = Journal("llama.service", is_users=True, ask=says_nothing)
    assert not journal.is_readable
    assert journal.new_lines() == ()


@pytest.mark.parametrize("zone", ["Z", "+00:00"])
def test_a_containers_log_is_read_on_from_its_newest_line(zone: str) -> None:
    shown = [f"2026-12-07T10:00:00.{n:09d}{zone} line {n}" for n in range(3)]
    asked: list[tuple[str, ...]] = []

    def ask(command: tuple[str, ...], *, with_errors: bool = False) -> str:
        assert with_errors
        asked.append(command)
        return "\n".join(["Error: a warning", *shown])

    log = ContainerLog("docker", "0123456789ab", ask, wall_clock=lambda: 1_000_000.0)
    assert log.new_lines() == ("line 0", "line 1", "line 2")
    assert log.new_lines() == ()
    shown.append(f"2026-12-07T10:00:01{zone} later")
    assert log.new_lines() == ("later",)
    assert asked[-1][3:5] == ("--since", f"2026-12-07T10:00:00.000000002{zone}")


@pytest.mark.needs("podman")
def test_a_real_containers_log_is_read(tmp_path: Path) -> None:
    name = f"mecha-tui-log-{os.getpid()}"
    limits = ("--ulimit", "nofile=1000:1000", "--ulimit", "nproc=1000:1000")
    start = ("podman", "--runtime", "runc", "--cgroup-manager", "cgroupfs", "run", "-d")
    binds = [
        word
        for folder in ("/bin", "/lib", "/lib64", "/usr")
        for word in ("-v", f"{folder}:{folder}:ro")
    ]
    (tmp_path / "root").mkdir()
    loop = "echo before; sleep 1; while true; do echo after >&2; sleep 0.2; done"
    what = ("--rootfs", str(tmp_path / "root"), "/bin/sh", "-c", loop)
    done = subprocess.run(
        [*start, "--name", name, "--network", "host", *limits, *binds, *what],
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        assert done.returncode == 0, done.stderr
        inspected = printed(("podman", "inspect", name, "--format", "{{.State.Pid}} {{.Id}}"))
        pid, identifier = inspected.split()
        log = log_of(ServerProcess(int(pid), time.time(), f"podman {identifier[:12]}"))
        assert isinstance(log, ServerLog), log
        assert "after" in lines_of(log, 1)
        assert "after" in log.tail(3)
    finally:
        subprocess.run(["podman", "rm", "-f", "-t", "0", name], capture_output=True, check=False)
