"""Which local process listens at an address."""

from __future__ import annotations

import ipaddress
import os
import pwd
import socket
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    from psutil._ntuples import pconn, sconn

_LISTENING_STATE = "0A"


@dataclass(frozen=True, slots=True)
class Listener:
    """The process that listens at an address."""

    pid: int | None
    reason: str = ""
    """Why it is not known; empty when it is."""
    owner_uid: int | None = None
    """Whose socket it is, where the process itself may not be seen; None otherwise."""
    socket_link: Path | None = None
    """Where the kernel shows the open socket, which is quick to look at again."""
    socket_name: str = ""
    """What the link says as long as it is the same socket."""

    @property
    def is_hidden(self) -> bool:
        """Whether something listens there that may not be looked at."""
        return self.owner_uid is not None

    @property
    def is_listening(self) -> bool:
        """Whether the process still holds the socket; False also where that cannot be told."""
        try:
            return self.socket_link is not None and os.readlink(self.socket_link) == (
                self.socket_name
            )
        except OSError:
            return False


@dataclass(frozen=True, slots=True)
class Door:
    """Where a server listens, as far as sockets are concerned."""

    host: str
    port: int
    socket_path: str | None = None

    def is_open_in(self, connection: sconn | pconn) -> bool:
        """Whether a socket listens here."""
        bound: object = connection.laddr
        if self.socket_path is not None:
            return bound == self.socket_path
        return (
            connection.status == psutil.CONN_LISTEN
            and getattr(bound, "port", None) == self.port
            and listens_for(getattr(bound, "ip", ""), self.host)
        )

    @property
    def kind(self) -> str:
        """What psutil calls such sockets."""
        return "unix" if self.socket_path is not None else "tcp"


def is_local(host: str) -> bool:
    """Whether a host is this machine: loopback, or one of its own addresses or names."""
    addresses = _addresses(host)
    if any(address.is_loopback for address in addresses):
        return True
    own = {
        entry.address.partition("%")[0]
        for entries in psutil.net_if_addrs().values()
        for entry in entries
    }
    return any(str(address) in own for address in addresses)


def listens_for(bound: str, host: str) -> bool:
    """Whether a socket bound to one address takes connections made to a host.

    ``localhost`` may mean either loopback address, and an address of all zeros takes all.
    """
    try:
        address = ipaddress.ip_address(bound)
    except ValueError:
        return False
    address = getattr(address, "ipv4_mapped", None) or address
    return address.is_unspecified or address in _addresses(host)


def listener(door: Door) -> Listener:
    """Return the local process that listens at an address, or why it cannot be told."""
    if door.socket_path is None and not is_local(door.host):
        return Listener(None, f"the server runs on another machine ({door.host})")
    try:
        open_here = [
            (one.pid, one.fd) for one in psutil.net_connections(door.kind) if door.is_open_in(one)
        ]
    except psutil.AccessDenied:
        open_here = list(_own_sockets(door))
        if not open_here:
            return Listener(
                None,
                "none of this user's processes listens there, and this system "
                "shows those of others only to an administrator",
            )
    except (OSError, psutil.Error) as error:
        return Listener(None, f"sockets cannot be read ({type(error).__name__})")
    held = {pid: descriptor for pid, descriptor in open_here if pid}
    pids = {pid for pid in held if not _has_ancestor(pid, held)}
    is_alone = all(pid for pid, _ in open_here)
    if len(pids) == 1 and is_alone:
        (pid,) = pids
        return _found(pid, held[pid])
    if pids:
        listed = ", ".join(str(pid) for pid in sorted(pids))
        more = "" if is_alone else " and one that may not be read"
        return Listener(None, f"several processes listen there (pids {listed}{more})")
    if not open_here:
        return Listener(
            None, "no local process listens there: it may run in a container or behind a tunnel"
        )
    uid = _socket_owner(door)
    return Listener(None, _why_hidden(uid), uid)


def _own_sockets(door: Door) -> Iterator[tuple[int, int]]:
    """Return who listens at a door among the processes that may be looked at one by one.

    macOS shows a user the sockets of each of their own processes, but no list of all.
    """
    for process in psutil.process_iter():
        try:
            sockets = process.net_connections(door.kind)
        except (OSError, psutil.Error):
            continue
        yield from ((process.pid, one.fd) for one in sockets if door.is_open_in(one))


def _found(pid: int, descriptor: int) -> Listener:
    link = Path(f"/proc/{pid}/fd/{descriptor}")
    try:
        return Listener(pid, "", None, link, os.readlink(link))
    except OSError:
        return Listener(pid)


def user_name(uid: int) -> str:
    """Return a user's name, or the number where there is none."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _why_hidden(uid: int | None) -> str:
    if uid is None:
        return "its process is not visible to this user"
    if os.geteuid() in (0, uid):
        return "its process is not visible from here: one of the two runs in a container"
    return f"its process runs as user {user_name(uid)} and may not be read by this one"


def _socket_owner(door: Door) -> int | None:
    """Return the user whose socket listens on a port; None where the kernel does not list it."""
    for name in ("tcp", "tcp6"):
        try:
            lines = Path(f"/proc/net/{name}").read_text("utf-8").splitlines()[1:]
        except (OSError, ValueError):
            continue
        for line in lines:
            fields = line.split()
            port = int(fields[1].rpartition(":")[2], 16)
            if port == door.port and fields[3] == _LISTENING_STATE:
                return int(fields[7])
    return None


def _has_ancestor(pid: int, others: Iterable[int]) -> bool:
    try:
        return any(parent.pid in others for parent in psutil.Process(pid).parents())
    except psutil.Error:
        return False


def _addresses(host: str) -> set[ipaddress.IPv4Address | ipaddress.IPv6Address]:
    if host == "localhost":
        return {ipaddress.ip_address("127.0.0.1"), ipaddress.ip_address("::1")}
    try:
        return {ipaddress.ip_address(host.partition("%")[0])}
    except ValueError:
        pass
    try:
        found = socket.getaddrinfo(host, None, proto=socket.IPPROTO_TCP)
    except (OSError, UnicodeError):
        return set()
    return {ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in found}
