"""Which sockets belong to mecha-tui, told by the process that holds them.

Over IPv4 watchers know each other by their address, which costs nothing. IPv6 has one
loopback address only, and a Unix socket's client none, so there the holder is looked at:
once for each connection, and only among the processes that run mecha-tui.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from mecha_tui.collect.program import is_watcher

_COMMAND_LIMIT_BYTES = 1_000
_REMEMBERED = 512


@lru_cache(maxsize=_REMEMBERED)
def is_watchers_socket(inode: int) -> bool:
    """Whether a process of mecha-tui that may be looked at holds a socket, this one or another."""
    wanted = f"socket:[{inode}]"
    return any(wanted in _sockets(pid) for pid in (os.getpid(), *_watchers()))


def _watchers() -> Iterator[int]:
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with Path(f"/proc/{name}/cmdline").open("rb") as file:
                words = file.read(_COMMAND_LIMIT_BYTES).decode("utf-8", "replace").split("\0")
        except OSError:
            continue
        if is_watcher(words):
            yield int(name)


def _sockets(pid: int) -> set[str]:
    folder = Path(f"/proc/{pid}/fd")
    with suppress(OSError):
        return {target for name in os.listdir(folder) if (target := _target(folder / name))}
    return set()


def _target(link: Path) -> str:
    try:
        return os.readlink(link)
    except OSError:
        return ""
