"""Without a word from the user, the servers that run here are found and no other is asked."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mecha_tui.collect import discovery
from mecha_tui.collect.discovery import find_servers, running_servers
from tests.servers import free_port, wait_until

LISTENER = """
import socket, sys
if sys.argv[1] == "--host":
    server = socket.socket(socket.AF_UNIX)
    server.bind(sys.argv[2])
    server.listen()
else:
    server = socket.create_server((sys.argv[1], int(sys.argv[2])),
        family=socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET)
print("listening", flush=True)
sys.stdin.read()
"""


@contextmanager
def listening_program(folder: Path, *arguments: str) -> Iterator[None]:
    """Run a program that is called llama-server and listens, as far as a process list tells."""
    program = folder / "llama-server"
    if not program.exists():
        program.write_text(LISTENER)
    process = subprocess.Popen(
        [sys.executable, str(program), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"listening\n"
        yield
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    ("host", "shown"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("0.0.0.0", "127.0.0.1"),
        ("::1", "[::1]"),
        ("::", "[::1]"),
    ],
)
def test_a_running_server_is_found_by_the_socket_it_listens_on(
    tmp_path: Path, host: str, shown: str
) -> None:
    port = free_port()
    with listening_program(tmp_path, host, str(port), "--api-prefix", "/llama/"):
        assert f"http://{shown}:{port}/llama" in running_servers()


def test_a_server_on_a_unix_socket_is_found(tmp_path: Path) -> None:
    path = tmp_path / "s.sock"
    with listening_program(tmp_path, "--host", str(path)):
        assert f"unix:{path}" in running_servers()


def test_a_server_started_by_a_script_of_its_name_is_found(tmp_path: Path) -> None:
    """The script listens nowhere, so it is no router that would show the server."""
    (tmp_path / "llama-server").write_text(LISTENER)
    script = tmp_path / "llama-server.sh"
    script.write_text('"$@"\ntrue\n')
    port = free_port()
    server = [sys.executable, str(tmp_path / "llama-server"), "127.0.0.1", str(port)]
    process = subprocess.Popen(
        ["/bin/bash", str(script), *server],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"listening\n"
        assert f"http://127.0.0.1:{port}" in running_servers()
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def test_other_programs_are_not_taken_for_servers() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert not any(f":{port}" in url for url in running_servers())


def test_what_a_clients_settings_name_comes_first_and_once() -> None:
    named = ["http://127.0.0.1:1/v1", "http://127.0.0.1:1", "no url at all://", "http://h:2/x/"]
    assert find_servers(named) == ("http://127.0.0.1:1", "http://h:2/x")


def test_else_the_usual_port_on_which_somebody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "running_servers", list)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        monkeypatch.setattr(discovery, "USUAL_PORTS", (free_port(), port))
        assert find_servers() == (f"http://127.0.0.1:{port}",)


def test_and_else_the_first_usual_port(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "running_servers", list)
    first = free_port()
    monkeypatch.setattr(discovery, "USUAL_PORTS", (first, free_port()))
    assert find_servers() == (f"http://127.0.0.1:{first}",)


def test_a_server_that_has_ended_is_not_found(tmp_path: Path) -> None:
    port = free_port()
    with listening_program(tmp_path, "127.0.0.1", str(port)):
        pass
    wait_until(lambda: not any(f":{port}" in url for url in running_servers()), "gone")
