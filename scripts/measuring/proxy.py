"""A TCP proxy on loopback that counts what passes: connections, and requests within them."""

from __future__ import annotations

import contextlib
import re
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass

_REQUEST_LINE = re.compile(rb"(?:GET|POST|HEAD) (\S+) HTTP/1\.[01]\r\n")


@dataclass
class Counts:
    """What a proxy has seen so far."""

    url: str
    connections: int = 0
    requests: int = 0


@contextlib.contextmanager
def counting_proxy(host: str, port: int) -> Iterator[Counts]:
    """Run a proxy to ``host:port`` for the length of a ``with`` block."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        counts = Counts(f"http://127.0.0.1:{listener.getsockname()[1]}")
        threading.Thread(target=_accept, args=(listener, (host, port), counts), daemon=True).start()
        yield counts
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts


def _accept(listener: socket.socket, server: tuple[str, int], counts: Counts) -> None:
    while True:
        try:
            client, _ = listener.accept()
        except OSError:  # closed: the measurement is over
            return
        counts.connections += 1
        try:
            upstream = socket.create_connection(server)
        except OSError:  # the server is down, and so this is too
            client.close()
            continue
        pairs = ((client, upstream, counts), (upstream, client, None))
        for source, target, counted in pairs:
            threading.Thread(target=_pass_on, args=(source, target, counted), daemon=True).start()


def _pass_on(source: socket.socket, target: socket.socket, counts: Counts | None) -> None:
    with contextlib.suppress(OSError):
        while chunk := source.recv(65536):
            if counts is not None:
                counts.requests += len(_REQUEST_LINE.findall(chunk))
            target.sendall(chunk)
    for end in (source, target):
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
        end.close()
