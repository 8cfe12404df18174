"""Which servers to watch when nobody says so."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Container, Iterable, Sequence

import psutil

from mecha_tui.collect.address import parse_address
from mecha_tui.collect.program import is_llama_server
from mecha_tui.errors import UsageError

USUAL_PORTS = (8080, 9931)
"""llama-server's default port, and the one it is announced to move to."""
_CONNECT_LIMIT_S = 0.3
_PREFIX_FLAG = "--api-prefix"


def find_servers(providers: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the addresses to watch, never none.

    Args:
        providers: Addresses that a client's settings name. They come first, for the
            user's own word counts most; ones that cannot be understood are passed over.

    Returns:
        The providers' addresses, else those of the llama-server processes that run here,
        else the usual port on which somebody listens, else the first usual one.
    """
    return _usable(providers) or _usable(running_servers()) or (_usual(),)


def running_servers() -> list[str]:
    """Return the addresses on which this user's llama-server processes listen.

    A server started by another one is left out: it is a router's child, which its
    router shows. A script of the server's name that listens nowhere is no router.
    """
    running = {process.pid: _arguments(process) for process in psutil.process_iter()}
    doors = {
        pid: found
        for pid, arguments in sorted(running.items())
        if is_llama_server(arguments) and (found := _doors(pid, arguments))
    }
    return [door for pid, found in doors.items() for door in found if not _has_parent(pid, doors)]


def _has_parent(pid: int, among: Container[int]) -> bool:
    try:
        return any(parent.pid in among for parent in psutil.Process(pid).parents())
    except psutil.Error:
        return False


def _arguments(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def _doors(pid: int, arguments: Sequence[str]) -> list[str]:
    try:
        opened = psutil.Process(pid).net_connections("all")
    except psutil.Error:
        return []
    prefix = _value_of(arguments, _PREFIX_FLAG).rstrip("/")
    doors: dict[str, None] = {}
    for one in opened:
        if one.family == socket.AF_UNIX:
            path = str(one.laddr)
            if path.startswith("/") and path in arguments:
                doors[f"unix:{path}"] = None
        elif one.status == psutil.CONN_LISTEN:
            doors[f"http://{_reachable(one.laddr.ip)}:{one.laddr.port}{prefix}"] = None
    return list(doors)[:1]


def _reachable(bound: str) -> str:
    """Return the host by which a socket bound to an address is reached from here."""
    address = ipaddress.ip_address(bound.partition("%")[0])
    if address.is_unspecified:
        return "127.0.0.1" if address.version == 4 else "[::1]"
    return str(address) if address.version == 4 else f"[{address}]"


def _value_of(arguments: Sequence[str], flag: str) -> str:
    for argument, value in zip(arguments, (*arguments[1:], ""), strict=True):
        if argument == flag:
            return value
        if argument.startswith(f"{flag}="):
            return argument.partition("=")[2]
    return ""


def _usable(addresses: Iterable[str]) -> tuple[str, ...]:
    understood = dict.fromkeys(map(_understood, addresses))
    return tuple(url for url in understood if url is not None)


def _understood(address: str) -> str | None:
    try:
        return parse_address(address).url
    except UsageError:
        return None


def _usual() -> str:
    ports = [port for port in USUAL_PORTS if _is_open(port)] or USUAL_PORTS
    return f"http://127.0.0.1:{ports[0]}"


def _is_open(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), _CONNECT_LIMIT_S).close()
    except OSError:
        return False
    return True
