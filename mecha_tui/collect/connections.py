"""Counts the connections to a server, out of the kernel's tables and without privileges."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import sys
from functools import lru_cache
from pathlib import Path

from mecha_tui.collect.unix_peers import peer_inodes
from mecha_tui.collect.watchers import is_watchers_socket

PROC_NET = Path("/proc/net")
WATCHER = "127.77.84.85"
"""Where mecha-tui's own connections within this machine come from, on Linux. By it, two that
watch one server know each other, and do not take each other for clients at work."""
_WATCHER_ROW = b"%08X" % int.from_bytes(socket.inet_aton(WATCHER), sys.byteorder)
"""The address as the kernel prints it."""
_LOOPBACK_6 = b"%08X" % 0 * 3 + b"%08X" % int.from_bytes(b"\0\0\0\1", sys.byteorder)
_LISTEN = b"0A"
_SIZE_LIMIT_BYTES = 8 * 1024 * 1024


def connections_to(
    port: int, but_from: frozenset[int], *, is_known: bool, root: Path = PROC_NET
) -> int | None:
    """Return how many TCP connections to a port of this machine clients have established.

    Those of other mecha-tui processes are not counted.

    Args:
        port: The port on which the server listens.
        but_from: Ports of our own ends, which are not counted.
        is_known: Whether the process that listens was seen to be the server itself.
            Where it was not, only the socket of an unprivileged other user is trusted:
            root's may be a container's door, which most connections pass by.
        root: Where the kernel's ``tcp`` and ``tcp6`` tables are.

    Returns:
        None where the tables cannot be read, or nobody who can be trusted listens.
    """
    return count_in(read_tables(root), port, but_from, is_known=is_known)


def read_tables(root: Path = PROC_NET) -> bytes:
    """Return the kernel's tables of all TCP sockets; what cannot be read is left out.

    The kernel walks all its sockets for that, so whoever asks for several ports reads once.
    """
    tables = []
    for name in ("tcp", "tcp6"):
        with contextlib.suppress(OSError), (root / name).open("rb") as file:
            tables.append(file.read(_SIZE_LIMIT_BYTES))
    return b"\n".join(tables)


def count_in(tables: bytes, port: int, but_from: frozenset[int], *, is_known: bool) -> int | None:
    """Return what :func:`connections_to` does, out of tables already read."""
    row = re.compile(
        rb"^ *\d+: [0-9A-F]+:%04X ([0-9A-F]+):([0-9A-F]{4}) (01|0A) \S+ \S+ \S+ +(\d+) " % port,
        re.MULTILINE,
    )
    is_listening = False
    count = 0
    for remote, remote_port, state, owner in row.findall(tables):
        if state == _LISTEN:
            is_listening = is_listening or is_known or int(owner) not in (0, os.getuid())
        elif remote.endswith(_WATCHER_ROW) or int(remote_port, 16) in but_from:
            continue
        elif remote != _LOOPBACK_6 or not _is_watchers_end(tables, remote_port, port):
            count += 1
    return count if is_listening else None


def _is_watchers_end(tables: bytes, client_port: bytes, port: int) -> bool:
    """Whether the client's end of an IPv6 connection within this machine is mecha-tui's."""
    end = re.search(
        rb"^ *\d+: %b:%b %b:%04X 01 \S+ \S+ \S+ +\d+ +\d+ (\d+) "
        % (_LOOPBACK_6, client_port, _LOOPBACK_6, port),
        tables,
        re.MULTILINE,
    )
    return end is not None and is_watchers_socket(int(end[1]))


def connections_to_socket(path: str) -> int | None:
    """Return how many connections to a Unix socket clients have; None where nobody tells.

    Those of mecha-tui, this one or another, are not counted.
    """
    inodes = peer_inodes(path)
    return None if inodes is None else sum(not is_watchers_socket(one) for one in inodes)


@lru_cache(maxsize=1)
def watchers_address() -> str | None:
    """Return where our own connections within this machine come from; None for no matter.

    Linux lets a program use any address that begins with 127.
    """
    if sys.platform != "linux":
        return None
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            probe.bind((WATCHER, 0))
    except OSError:
        return None
    return WATCHER
