"""Who talks to a real server is told by name, over every kind of connection, and only on demand."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from mecha_tui.collect.talkers import ELSEWHERE, LocalTalkers
from mecha_tui.core.talkers import Talkers
from tests.servers import BUILDS, OLD, PATIENCE_S, running_server, wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the kernel's tables are Linux's")

AGENT = """
import socket, sys
kind, place, count = sys.argv[1:]
host, _, port = place.rpartition(":")
where = place if kind == "AF_UNIX" else (host, int(port))
held = [socket.socket(getattr(socket, kind)) for _ in range(int(count))]
for one in held:
    one.connect(where)
print("connected", flush=True)
sys.stdin.read()
"""
Told = tuple[str, int | None, int]


@contextmanager
def agent(folder: Path, name: str, kind: str, place: str, count: int) -> Iterator[int]:
    """Run a client of its own name that holds connections, and return its pid."""
    script = folder / name
    script.write_text(AGENT)
    command = [sys.executable, str(script), kind, place, str(count)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"connected\n"
        try:
            yield process.pid
        finally:
            process.kill()


async def seen(url: str) -> list[Told]:
    found = await LocalTalkers().talkers(url)
    assert found.is_known, found.reason
    assert found.hidden == 0
    return [(who.name.split()[-1], who.pid, who.count) for who in found.found]


def wait_for_listening(log: Path) -> None:
    wait_until(lambda: "listening on" in log.read_text("utf-8", "replace"), "listening")


@pytest.mark.parametrize("build", BUILDS)
async def test_programs_are_told_by_name_pid_and_count(
    build: str, tiny_model: Path, tmp_path: Path
) -> None:
    with running_server(build, tiny_model, "-np", "1", "-c", "1024") as server, ExitStack() as both:
        place = f"127.0.0.1:{server.port}"
        one = both.enter_context(agent(tmp_path, "planner.py", "AF_INET", place, 1))
        two = both.enter_context(agent(tmp_path, "reviewer.py", "AF_INET", place, 3))
        told = await seen(server.url)
    assert told == [("reviewer.py", two, 3), ("planner.py", one, 1)]


@pytest.mark.parametrize("build", BUILDS)
async def test_programs_are_told_over_ipv6(build: str, tiny_model: Path, tmp_path: Path) -> None:
    flags = ("-c", "1024", "--host", "::1")
    with running_server(build, tiny_model, *flags, wait=False) as server:
        wait_for_listening(server.log)
        with agent(tmp_path, "six.py", "AF_INET6", f"::1:{server.port}", 2) as pid:
            assert await seen(f"http://[::1]:{server.port}") == [("six.py", pid, 2)]


@pytest.mark.skipif(OLD not in BUILDS, reason="the binary runs on Linux x86-64 only")
def test_programs_are_told_over_a_unix_socket(tiny_model: Path, tmp_path: Path) -> None:
    path = tmp_path / "llama.sock"
    flags = ("-c", "1024", "--host", str(path))
    with running_server(OLD, tiny_model, *flags, wait=False) as server:
        wait_for_listening(server.log)
        with agent(tmp_path, "local.py", "AF_UNIX", str(path), 2) as pid:
            # The kernel names the server's end of a connection once it was accepted.
            wanted = [("local.py", pid, 2)]
            wait_until(lambda: asyncio.run(seen(f"unix:{path}")) == wanted, "both connections")


def test_another_watcher_is_told_apart(tiny_model: Path) -> None:
    with running_server(BUILDS[0], tiny_model, "-c", "1024") as server:
        command = f"{sys.executable} -m mecha_tui status --sample 60 --url {server.url}"
        server.complete_in_background("hello", 1_000_000)
        with subprocess.Popen(command.split(), stdout=subprocess.DEVNULL) as watcher:
            found = asyncio.run(until_known(server.url, watcher.pid))
            watcher.kill()
    assert [one.is_watching for one in found.found if one.pid == watcher.pid] == [True]
    assert [one.name for one in found.found if one.pid == watcher.pid] == ["mecha-tui"]


async def until_known(url: str, pid: int) -> Talkers:
    loop = asyncio.get_running_loop()
    deadline_s = loop.time() + PATIENCE_S
    while loop.time() < deadline_s:
        found = await LocalTalkers().talkers(url)
        if any(one.pid == pid for one in found.found):
            return found
        await asyncio.sleep(0.05)
    raise AssertionError("the watcher was never seen")


async def test_of_another_machines_server_nothing_is_claimed() -> None:
    found = await LocalTalkers().talkers("http://192.0.2.7:8080")
    assert found == Talkers(reason=ELSEWHERE, taken_s=found.taken_s)
