"""What `scripts/bench` and `scripts/soak` measure is what happened."""

from __future__ import annotations

import socket
import sys
import threading
import urllib.request
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import psutil
import pytest

from scripts.measuring.bench import table
from scripts.measuring.proxy import counting_proxy
from scripts.measuring.soak import Usage, complaints
from scripts.measuring.terminal import in_terminal
from scripts.measuring.watcher import Figures, cpu_seconds, medians, peak_rss_bytes
from tests.servers import wait_until


class Hello(BaseHTTPRequestHandler):
    """Answers everything, and keeps its connections."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"hello")

    def log_message(self, *_: object) -> None:
        """Stay silent."""


def test_the_proxy_counts_requests_and_connections_apart() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Hello) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        host, port = server.server_address[:2]
        with counting_proxy(str(host), port) as counts:
            kept = HTTPConnection(counts.url.removeprefix("http://"))
            for _ in range(3):
                kept.request("GET", "/slots")
                assert kept.getresponse().read() == b"hello"
            kept.close()
            with urllib.request.urlopen(f"{counts.url}/props") as reply:
                assert reply.read() == b"hello"
        server.shutdown()
    assert (counts.connections, counts.requests) == (2, 4)


def test_a_proxy_without_a_server_behind_it_closes_its_clients() -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    with counting_proxy("127.0.0.1", port) as counts:
        host, _, own_port = counts.url.removeprefix("http://").partition(":")
        with socket.create_connection((host, int(own_port)), timeout=20) as client:
            assert client.recv(1) == b""


def test_a_terminal_counts_bytes_and_finds_text_between_escape_sequences() -> None:
    code = (
        r"import sys; sys.stdout.write('\x1b[1m8,\x1b[31m192\x1b[0m'); sys.stdout.flush(); input()"
    )
    with in_terminal((sys.executable, "-c", code), "8,192", "never") as terminal:
        assert terminal.wait_for("8,192") > 0
        assert "never" not in terminal.first_seen_s
        wait_until(lambda: terminal.written_bytes == 18, "all bytes counted")


def test_a_terminal_has_the_promised_size_and_can_be_resized() -> None:
    code = (
        "import os, signal\n"
        "signal.signal(signal.SIGWINCH, lambda *_: print(os.get_terminal_size(), flush=True))\n"
        "print(os.get_terminal_size(), flush=True)\n"
        "while True: signal.pause()\n"
    )
    first, then = r"columns=120, lines=40", r"columns=77, lines=11"
    with in_terminal((sys.executable, "-c", code), first, then) as terminal:
        terminal.wait_for(first)
        terminal.resize(11, 77)
        terminal.wait_for(then)


def test_waiting_for_what_a_dead_program_never_drew_tells_what_it_drew() -> None:
    with (
        in_terminal((sys.executable, "-c", "print('only this')"), "8,192") as terminal,
        pytest.raises(RuntimeError, match="never drawn"),
    ):
        terminal.wait_for("8,192")


def test_processor_time_grows_with_work() -> None:
    process = psutil.Process()
    before = cpu_seconds(process)
    wait_until(lambda: sum(range(100_000)) and cpu_seconds(process) > before, "some work")


def test_the_peak_of_memory_outlives_what_was_given_back() -> None:
    process = psutil.Process()
    block = b"x" * 50_000_000
    del block
    assert peak_rss_bytes(process) > process.memory_info().rss + 20_000_000


def test_the_table_gives_ratios_of_medians() -> None:
    ours = medians([Figures(*[value] * 8) for value in (1.0, 2.0, 9.0)])
    text = table("idle", ours, Figures(*[*[4.0] * 7, 0.0]))
    assert text.splitlines()[2] == "| cpu_percent | 2.00 | 4.00 | 0.500 |"
    assert text.splitlines()[-1] == "| connections_per_s | 2.00 | 0.00 | – |"


def test_steady_usage_is_no_complaint_though_the_start_was_small() -> None:
    assert complaints(Usage([1] * 10 + [100] * 90, [9] * 100, [3] * 100, [20] * 100)) == []


@pytest.mark.parametrize(
    ("usage", "grown"),
    [
        (Usage(list(range(100, 200)), [9] * 100, [3] * 100, [20] * 100), "memory"),
        (Usage([100] * 100, list(range(100)), [3] * 100, [20] * 100), "open files"),
        (Usage([100] * 100, [9] * 100, list(range(100)), [20] * 100), "threads"),
        (Usage([100] * 100, [9] * 100, [3] * 100, list(range(100))), "CPU ms per s"),
    ],
)
def test_growth_is_a_complaint(usage: Usage, grown: str) -> None:
    (complaint,) = complaints(usage)
    assert complaint.startswith(f"{grown} grew from")
