"""Whether a client's base URL and a server's address are the same place."""

from __future__ import annotations

import ipaddress

from mecha_tui.collect.address import parse_address
from mecha_tui.errors import UsageError

_LOOPBACK = "loopback"
_LOCAL_NAMES = ("localhost", "::1", "0.0.0.0", "::")  # noqa: S104  # compared, not bound


def place_of(url: str) -> tuple[str, int, str] | None:
    """Return host, port and path prefix of a URL, so that equal places compare equal.

    ``localhost``, ``127.0.0.1``, ``[::1]`` and an address of all zeros are one host, a
    slash at the end and ``/v1`` make no difference, and a port that is not written is
    the scheme's own. None where the text is no such URL.
    """
    try:
        address = parse_address(url)
    except UsageError:
        return None
    if address.socket_path is not None:
        return f"unix:{address.socket_path}", 0, address.prefix
    is_local = address.host in _LOCAL_NAMES or address.host.startswith("127.")
    host = _LOOPBACK if is_local else address.host.rstrip(".")
    return host, address.port, address.prefix


def is_private(url: str) -> bool:
    """Whether a URL leads to this machine, or by number to one of its own network."""
    try:
        address = parse_address(url)
    except UsageError:
        return False
    if address.is_loopback:
        return True
    try:
        return ipaddress.ip_address(address.host).is_private
    except ValueError:
        return False


def is_same_place(one: str, other: str) -> bool:
    """Whether two URLs lead to the same server."""
    place = place_of(one)
    return place is not None and place == place_of(other)
