"""A program that watches a server, and what watching costs it."""

from __future__ import annotations

import contextlib
import statistics
import subprocess
import sys
import time
import urllib.parse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from scripts.measuring.proxy import counting_proxy
from scripts.measuring.terminal import in_terminal

SLOT_WINDOW = r"8,?192"
"""A slot's window on these servers: once it is drawn, the screen shows the server."""
WARM_UP_S = 3.0
PEER = "llamastat==0.3.0"


@dataclass(frozen=True, slots=True)
class Watcher:
    """A program that watches a server."""

    name: str
    command: Callable[[str], Sequence[str]]
    """From the server's address to the command."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What one watcher cost during one window."""

    cpu_percent: float
    """Of one core, the watcher's children included, by the scheduler's clock where it tells."""
    rss_mib: float
    uss_mib: float
    """Memory that no other process shares."""
    peak_rss_mib: float
    first_frame_s: float
    """From the start to the first frame that shows the server's slots."""
    terminal_bytes_per_s: float
    requests_per_s: float
    connections_per_s: float


def mecha_tui() -> Watcher:
    """Return this project's dashboard."""
    return Watcher("mecha-tui", lambda url: (sys.executable, "-m", "mecha_tui", "--url", url))


def llamastat(folder: Path, given: Path | None) -> Watcher:
    """Return the nearest peer, installed into a virtual environment of its own if need be."""
    program = given or folder / "peer" / "bin" / "llamastat"
    if given is None:
        subprocess.run([sys.executable, "-m", "venv", str(folder / "peer")], check=True)
        python = str(folder / "peer" / "bin" / "python")
        install = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", PEER)
        subprocess.run(install, check=True)
    return Watcher("llamastat", lambda url: (str(program), "-u", url))


def measured(watcher: Watcher, url: str, window_s: float) -> Figures:
    """Measure one watcher twice: directly, and through a proxy that counts requests."""
    with in_terminal(watcher.command(url), SLOT_WINDOW) as terminal:
        first_frame_s = terminal.wait_for(SLOT_WINDOW)
        time.sleep(WARM_UP_S)
        process = psutil.Process(terminal.process.pid)
        before = cpu_seconds(process), terminal.written_bytes, time.monotonic()
        time.sleep(window_s)
        after = cpu_seconds(process), terminal.written_bytes, time.monotonic()
        memory, peak_bytes = process.memory_full_info(), peak_rss_bytes(process)
    passed_s = after[2] - before[2]
    address = urllib.parse.urlsplit(url)
    assert address.hostname is not None
    assert address.port is not None
    with (
        counting_proxy(address.hostname, address.port) as counts,
        in_terminal(watcher.command(counts.url), SLOT_WINDOW) as terminal,
    ):
        terminal.wait_for(SLOT_WINDOW)
        time.sleep(WARM_UP_S)
        seen = counts.requests, counts.connections, time.monotonic()
        time.sleep(window_s / 2)
        now = counts.requests, counts.connections, time.monotonic()
    return Figures(
        cpu_percent=100 * (after[0] - before[0]) / passed_s,
        rss_mib=memory.rss / 2**20,
        uss_mib=memory.uss / 2**20,
        peak_rss_mib=peak_bytes / 2**20,
        first_frame_s=first_frame_s,
        terminal_bytes_per_s=(after[1] - before[1]) / passed_s,
        requests_per_s=(now[0] - seen[0]) / (now[2] - seen[2]),
        connections_per_s=(now[1] - seen[1]) / (now[2] - seen[2]),
    )


def cpu_seconds(process: psutil.Process) -> float:
    """Return the processor time of a process and its running children."""
    return sum(_own_cpu_s(one) for one in [process, *process.children(recursive=True)])


def _own_cpu_s(process: psutil.Process) -> float:
    """Return a process's processor time; ticks, which the fallback counts, miss short work."""
    passed_ns = 0
    for file in Path(f"/proc/{process.pid}/task").glob("*/schedstat"):
        with contextlib.suppress(OSError):  # the thread ended
            passed_ns += int(file.read_text().split()[0])
    return passed_ns / 1e9 if passed_ns else sum(process.cpu_times()[:2])


def peak_rss_bytes(process: psutil.Process) -> int:
    """Return the most memory a process ever held; what it holds now where that is not told."""
    with contextlib.suppress(OSError):
        for row in Path(f"/proc/{process.pid}/status").read_text().splitlines():
            if row.startswith("VmHWM:"):
                return int(row.split()[1]) * 1024
    return int(process.memory_info().rss)


def medians(rounds: Sequence[Figures]) -> Figures:
    """Return each figure's median over all rounds."""
    names = Figures.__dataclass_fields__
    return Figures(
        *(statistics.median(getattr(figures, name) for figures in rounds) for name in names)
    )
