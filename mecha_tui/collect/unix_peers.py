"""The clients' ends of connections to a Unix socket, asked of the kernel (``sock_diag``).

``/proc/net/unix`` names the server's end only; this interface tells both.
"""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Iterator
from pathlib import Path

_SOCK_DIAG = 4
_BY_FAMILY = 20
_REQUEST_DUMP = 0x301
_ERROR, _DONE = 2, 3
_ESTABLISHED = 1
_SHOW_FILE_AND_PEER = 2 | 4
_FILE, _PEER = 1, 2
_HEAD_BYTES = 16
"""Of a message, and again of a socket in it."""
_PATIENCE_S = 1.0
_READ_BYTES = 256 * 1024


def peer_inodes(path: str) -> list[int] | None:
    """Return the inode of the client's end of every connection to a Unix socket.

    Returns:
        None where the socket's file is not there, or the kernel does not tell.
    """
    try:
        file = os.stat(path)
        answers = list(_dump())
    except (OSError, AttributeError, struct.error):
        return None
    wanted = (file.st_ino & 0xFFFFFFFF, os.major(file.st_dev), os.minor(file.st_dev))
    found = []
    for attributes in answers:
        told, peer = attributes.get(_FILE), attributes.get(_PEER)
        if told is None or peer is None:
            continue
        inode, device = struct.unpack_from("=II", told)
        if (inode, device >> 20, device & 0xFFFFF) == wanted:
            found.append(struct.unpack_from("=I", peer)[0])
    return found


def _dump() -> Iterator[dict[int, bytes]]:
    """Return the attributes of every connected socket."""
    states = 1 << _ESTABLISHED
    body = struct.pack("=BBHIIIII", socket.AF_UNIX, 0, 0, states, 0, _SHOW_FILE_AND_PEER, 0, 0)
    size = _HEAD_BYTES + len(body)
    head = struct.pack("=IHHII", size, _BY_FAMILY, _REQUEST_DUMP, 1, 0)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _SOCK_DIAG) as kernel:
        kernel.settimeout(_PATIENCE_S)
        kernel.send(head + body)
        while True:
            answer = kernel.recv(_READ_BYTES)
            at = 0
            while at + _HEAD_BYTES <= len(answer):
                length, kind = struct.unpack_from("=IH", answer, at)
                if kind == _DONE:
                    return
                if kind == _ERROR or length < _HEAD_BYTES:
                    raise OSError("the kernel does not list Unix sockets")
                yield dict(_attributes(answer[at + 2 * _HEAD_BYTES : at + length]))
                at += _padded(length)


def _attributes(raw: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 4 <= len(raw):
        length, kind = struct.unpack_from("=HH", raw, at)
        if length < 4:
            return
        yield kind, raw[at + 4 : at + length]
        at += _padded(length)


def _padded(length: int) -> int:
    return -(-length // 4) * 4


def holders_of(inodes: set[int]) -> dict[int, int]:
    """Return which process holds each of some sockets open, as far as this user may see it."""
    wanted = {f"socket:[{inode}]": inode for inode in inodes}
    found: dict[int, int] = {}
    for pid in (int(name) for name in os.listdir("/proc") if name.isdigit()) if wanted else ():
        folder = Path(f"/proc/{pid}/fd")
        try:
            names = os.listdir(folder)
        except OSError:
            continue
        for name in names:
            try:
                inode = wanted.get(os.readlink(folder / name))
            except OSError:
                continue
            if inode is not None:
                found.setdefault(inode, pid)
    return found
