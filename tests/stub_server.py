"""A real socket server that answers as badly as a test wants."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

Script = Callable[[str], Iterable[bytes]]
"""Gives the raw bytes to send for a request's target; the connection stays open after them."""


class HangUpError(Exception):
    """Raised by a script to close the connection at once."""


def reply(body: bytes | object, status: str = "200 OK", *headers: str) -> bytes:
    """Return a whole HTTP reply; what is not bytes is sent as JSON."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(content)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + content


@dataclass
class StubServer:
    """What a stub heard, and where it listens."""

    port: int
    targets: list[str] = field(default_factory=list)
    """Every request's target, in order."""
    heads: list[str] = field(default_factory=list)
    """Every request's whole head."""
    connections: int = 0
    """How many were opened."""
    ended: int = 0
    """How many of them the other end has closed."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextlib.contextmanager
def stub_server(
    script: Script, host: str = "127.0.0.1", path: str | None = None
) -> Iterator[StubServer]:
    """Serve a script for the length of a ``with`` block."""
    family = socket.AF_UNIX if path else socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family)
    listener.bind(path or (host, 0))
    listener.listen()
    stub = StubServer(0 if path else int(listener.getsockname()[1]))
    opened: list[socket.socket] = []

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            stub.connections += 1
            opened.append(connection)
            threading.Thread(target=_serve, args=(connection, script, stub), daemon=True).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield stub
    finally:
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(10)
        for connection in opened:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()


def _serve(connection: socket.socket, script: Script, stub: StubServer) -> None:
    pending = b""
    with contextlib.suppress(OSError, HangUpError):
        while True:
            while b"\r\n\r\n" not in pending:
                data = connection.recv(65536)
                if not data:
                    stub.ended += 1
                    return
                pending += data
            head, pending = pending.split(b"\r\n\r\n", 1)
            target = head.split(b" ", 2)[1].decode()
            stub.targets.append(target)
            stub.heads.append(head.decode())
            for part in script(target):
                connection.sendall(part)
    connection.close()
