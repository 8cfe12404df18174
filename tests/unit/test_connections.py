"""Connections are counted without our own, and only where the socket is the server's."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from mecha_tui.collect.connections import connections_to, connections_to_socket, watchers_address
from mecha_tui.collect.unix_peers import peer_inodes
from tests.servers import wait_until

HEAD = (
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout\n"
)


def row(local: int, remote: int, state: str, owner: int = 1000) -> str:
    return (
        f"   0: 0100007F:{local:04X} 0100007F:{remote:04X} {state} 00000000:00000000 00:00000000"
        f" 00000000  {owner}        0 12345 1 0000000000000000 100 0 0 10 0\n"
    )


def tables(root: Path, *rows: str, v6: str = "") -> Path:
    (root / "tcp").write_text(HEAD + "".join(rows))
    (root / "tcp6").write_text(HEAD + v6)
    return root


def test_established_connections_to_the_port_are_counted_but_for_our_own(tmp_path: Path) -> None:
    root = tables(
        tmp_path,
        row(8080, 0, "0A"),
        row(8080, 5001, "01"),
        row(8080, 5002, "01"),
        row(8080, 5003, "06"),
        row(5001, 8080, "01"),
        row(8081, 5004, "01"),
        v6=row(8080, 5005, "01"),
    )
    assert connections_to(8080, frozenset({5002}), is_known=True, root=root) == 2


@pytest.mark.parametrize(
    ("owner", "is_known", "count"),
    [
        (0, True, 0),
        (0, False, None),
        (os.getuid(), False, None),
        (os.getuid() + 4321, False, 0),
    ],
)
def test_a_door_that_may_be_a_containers_is_not_trusted(
    tmp_path: Path, owner: int, is_known: bool, count: int | None
) -> None:
    root = tables(tmp_path, row(8080, 0, "0A", owner))
    assert connections_to(8080, frozenset(), is_known=is_known, root=root) == count


def test_nobody_listening_or_no_table_is_unknown_and_not_zero(tmp_path: Path) -> None:
    assert connections_to(8080, frozenset(), is_known=True, root=tmp_path) is None
    root = tables(tmp_path, row(8080, 5001, "01"))
    assert connections_to(8080, frozenset(), is_known=True, root=root) is None


@pytest.mark.skipif(sys.platform != "linux", reason="the tables are Linux's")
def test_real_connections_are_counted() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        place = server.getsockname()
        with socket.create_connection(place) as one, socket.create_connection(place):
            own = frozenset({one.getsockname()[1]})
            wait_until(
                lambda: connections_to(place[1], frozenset(), is_known=True) == 2, "two seen"
            )
            assert connections_to(place[1], own, is_known=True) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="the addresses are Linux's")
@pytest.mark.parametrize(
    ("family", "bound"), [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::")]
)
def test_connections_of_other_watchers_are_not_counted(
    family: socket.AddressFamily, bound: str
) -> None:
    with socket.create_server((bound, 0), family=family, dualstack_ipv6=bound == "::") as server:
        place = ("127.0.0.1", server.getsockname()[1])
        ours = (watchers_address() or "", 0)
        with (
            socket.create_connection(place, source_address=ours) as watcher,
            socket.create_connection(place),
        ):
            assert watcher.getsockname()[0] == ours[0]
            wait_until(
                lambda: connections_to(place[1], frozenset(), is_known=True) == 1, "one seen"
            )


CLIENT = """
import socket, sys
with socket.socket(getattr(socket, sys.argv[1])) as one:
    one.connect(eval(sys.argv[2]))
    print("connected", flush=True)
    sys.stdin.read()
"""


@contextmanager
def client(script: Path, family: str, place: object) -> Iterator[None]:
    """Run a program of a certain name that is connected."""
    script.write_text(CLIENT)
    command = [sys.executable, str(script), family, repr(place)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"connected\n"
        yield
        process.kill()


@pytest.mark.skipif(sys.platform != "linux", reason="the tables are Linux's")
def test_over_ipv6_a_watcher_is_told_by_its_program(tmp_path: Path) -> None:
    with socket.create_server(("::1", 0), family=socket.AF_INET6) as server:
        place = server.getsockname()[:2]
        with client(tmp_path / "mecha-tui", "AF_INET6", place):
            assert connections_to(place[1], frozenset(), is_known=True) == 0
            with client(tmp_path / "agent.py", "AF_INET6", place):
                assert connections_to(place[1], frozenset(), is_known=True) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's answer is Linux's")
def test_over_a_unix_socket_watchers_and_we_are_not_counted(tmp_path: Path) -> None:
    path = str(tmp_path / "llama.sock")
    with ExitStack() as open_, socket.socket(socket.AF_UNIX) as server:
        server.bind(path)
        server.listen()

        def accepted() -> None:
            open_.enter_context(server.accept()[0])

        assert connections_to_socket(path) == 0
        open_.enter_context(client(tmp_path / "mecha-tui", "AF_UNIX", path))
        open_.enter_context(socket.socket(socket.AF_UNIX)).connect(path)
        accepted()
        accepted()
        assert len(peer_inodes(path) or ()) == 2
        assert connections_to_socket(path) == 0
        open_.enter_context(client(tmp_path / "agent.py", "AF_UNIX", path))
        accepted()
        assert connections_to_socket(path) == 1


def test_a_unix_socket_that_is_not_there_is_unknown_and_not_zero(tmp_path: Path) -> None:
    assert connections_to_socket(str(tmp_path / "none.sock")) is None
