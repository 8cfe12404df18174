"""Counts the connections to a server, out of the kernel's tables and without privileges."""

from __future__ import annotations

import os
import re
from pathlib import Path

PROC_NET = Path("/proc/net")
_LISTEN = b"0A"
_SIZE_LIMIT_BYTES = 8 * 1024 * 1024


def connections_to(
    port: int, but_from: frozenset[int], *, is_known: bool, root: Path = PROC_NET
) -> int | None:
    """Return how many TCP connections to a port of this machine are established.

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
    row = re.compile(
        rb"^ *\d+: [0-9A-F]+:%04X [0-9A-F]+:([0-9A-F]{4}) (01|0A) \S+ \S+ \S+ +(\d+) " % port,
        re.MULTILINE,
    )
    is_listening = False
    count = 0
    for name in ("tcp", "tcp6"):
        try:
            with (root / name).open("rb") as file:
                table = file.read(_SIZE_LIMIT_BYTES)
        except OSError:
            continue
        for remote_port, state, owner in row.findall(table):
            if state == _LISTEN:
                is_listening = is_listening or is_known or int(owner) not in (0, os.getuid())
            elif int(remote_port, 16) not in but_from:
                count += 1
    return count if is_listening else None
