"""Names the programs that are connected to a server, out of the kernel's tables.

All sockets and all programs' descriptors are walked for that: tens of milliseconds. So it
is done only while somebody looks.
"""

from __future__ import annotations

import asyncio
import ipaddress
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import psutil

from mecha_tui.collect.address import ServerAddress, parse_address
from mecha_tui.collect.background import Background
from mecha_tui.collect.memory.processes import identity
from mecha_tui.collect.memory.program_name import program_name
from mecha_tui.collect.program import is_watcher
from mecha_tui.collect.sockets import is_local
from mecha_tui.collect.unix_peers import holders_of, peer_inodes
from mecha_tui.core.talkers import Talker, Talkers

INTERVAL_S = 2.0
FIRST_WAIT_S = 0.5
"""So long the first look is waited for."""
ELSEWHERE = "the server runs on another machine, and only that one can tell"
ADMINISTRATOR = "this system shows connections only to an administrator"
UNTOLD = "this system does not tell who is connected to a Unix socket"

Place = tuple[str, int]
"""An IP address in its plain form, and a port."""


@dataclass(frozen=True, slots=True)
class Peer:
    """The client's end of one connection."""

    pid: int | None
    """None where the kernel does not tell this user, and for another machine."""
    machine: str | None = None
    """The address of another machine; None for this one."""


class LocalTalkers:
    """Tells who talks to servers of this machine; the source that the screen asks."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._servers: dict[str, _TalkersOfServer] = {}

    async def talkers(self, url: str) -> Talkers:
        """Return who talks to a server now, at most some seconds old."""
        if url not in self._servers:
            self._servers[url] = _TalkersOfServer(parse_address(url), self._clock)
        return await self._servers[url].look()


class _TalkersOfServer:
    """Who talks to one server, remembered from look to look."""

    def __init__(self, address: ServerAddress, clock: Callable[[], float]) -> None:
        self._address = address
        self._clock = clock
        self._found: Background[Talkers] = Background(Talkers(), INTERVAL_S)
        self._since_s: dict[tuple[str, int | None], float] = {}

    async def look(self) -> Talkers:
        reading = self._found.refresh(self._read, self._clock())
        if self._found.value.taken_s is None and reading is not None:
            loop = asyncio.get_running_loop()
            deadline_s = loop.time() + FIRST_WAIT_S
            while not reading.done() and loop.time() < deadline_s:  # noqa: ASYNC110  # a thread
                await asyncio.sleep(0.005)
            self._found.take()
        if self._found.fault is not None:
            name = type(self._found.fault).__name__
            return Talkers(reason=f"connections cannot be read ({name})")
        return self._found.value

    def _read(self) -> Talkers:
        now_s = self._clock()
        peers = _peers(self._address)
        if isinstance(peers, str):
            return Talkers(reason=peers, taken_s=now_s)
        found = talkers_among(peers, now_s)
        since_s = {one.key: self._since_s.get(one.key, now_s) for one in found.found}
        self._since_s = since_s
        told = tuple(replace(one, since_s=since_s[one.key]) for one in found.found)
        return replace(found, found=told)


def _peers(address: ServerAddress) -> list[Peer] | str:
    """Return the clients' ends of all connections to an address, or why they are not known."""
    if address.socket_path is not None:
        inodes = peer_inodes(address.socket_path)
        if inodes is None:
            return UNTOLD
        holders = holders_of(set(inodes))
        return [Peer(holders.get(inode)) for inode in inodes]
    if not is_local(address.host):
        return ELSEWHERE
    try:
        return tcp_peers(address.port)
    except psutil.AccessDenied:
        return ADMINISTRATOR


def tcp_peers(port: int) -> list[Peer]:
    """Return the clients' ends of all connections to a port of this machine.

    Where the client's end is in the kernel's tables, its program is known or hidden; where
    only the server's is, the client is another machine or in a container.
    """
    own = {"127.0.0.1", "::1"}
    for entries in psutil.net_if_addrs().values():
        own |= {_plain(entry.address) for entry in entries}
    ends: dict[tuple[Place, Place], int | None] = {
        (_place(one.laddr), _place(one.raddr)): one.pid
        for one in psutil.net_connections("tcp")
        if one.status == psutil.CONN_ESTABLISHED and one.laddr and one.raddr
    }
    found = []
    for (near, far), pid in ends.items():
        is_own = far[0] in own or far[0].startswith("127.")
        if far[1] == port and is_own:
            found.append(Peer(pid))
        elif near[1] == port and (far, near) not in ends:
            found.append(Peer(None, None if is_own else far[0]))
    return found


def _place(end: tuple[str, int]) -> Place:
    return _plain(end[0]), end[1]


def _plain(text: str) -> str:
    """Return an IP address without a zone, and an IPv4 one as such."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return text
    return str(getattr(address, "ipv4_mapped", None) or address)


def talkers_among(peers: Iterable[Peer], now_s: float) -> Talkers:
    """Return connections by program: clients first, with most connections on top."""
    by_pid: Counter[int] = Counter()
    by_machine: Counter[str] = Counter()
    hidden = 0
    for peer in peers:
        if peer.machine is not None:
            by_machine[peer.machine] += 1
        elif peer.pid is None:
            hidden += 1
        else:
            by_pid[peer.pid] += 1
    found = [_program(pid, count) for pid, count in by_pid.items()]
    found += [Talker(address, None, count) for address, count in by_machine.items()]
    found.sort(key=lambda one: (one.is_watching, -one.count, one.name, one.pid or 0))
    return Talkers(tuple(found), hidden, "", now_s)


def _program(pid: int, count: int) -> Talker:
    try:
        process = psutil.Process(pid)
        name = _name(process)
        is_watching = pid == os.getpid() or is_watcher(process.cmdline())
    except psutil.Error:
        return Talker(f"pid {pid}", pid, count)
    return Talker("mecha-tui" if is_watching else name, pid, count, is_watching)


def _name(process: psutil.Process) -> str:
    """Return a program's name and its script, if it runs one; no other argument."""
    who = identity(Path("/"), process.pid)
    return process.name() if who is None else program_name(Path("/"), who)
