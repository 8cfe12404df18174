"""Watches a server that is loaded, stopped, killed and restarted at random, for a long time.

It fails when the dashboard ends, writes a traceback, no longer finds the server at the
end, or grows. Everything random follows from the seed, which is printed.
"""

from __future__ import annotations

import argparse
import random
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from mecha_tui.demo.model import write_model
from scripts.measuring.moody_server import MoodyServer
from scripts.measuring.terminal import Terminal, in_terminal

KEYS = (b"j", b"k", b"\x1b[A", b"\x1b[B", b"\r", b"\x1b", b"?", b"\x1b", b"a", b"\x1b", b"s", b"pp")
SIZES = ((40, 120), (24, 80), (15, 60), (8, 40), (3, 20), (60, 200))
READY = r"ready"
LARGEST_GROWTH = 1.15
"""Of memory, from the first fifth after the warm-up to the last."""
LARGEST_EXTRA_CPU_MS = 30
"""Processor time per second, likewise: the server's moods differ."""
LARGEST_EXTRA = 6
"""Open files and threads, likewise: a reconnection may be under way."""
WARM_UP_SHARE = 0.2
_SAMPLE_S = 1.0


@dataclass
class Usage:
    """What the dashboard held, looked at once a second."""

    rss_bytes: list[int] = field(default_factory=list)
    files: list[int] = field(default_factory=list)
    threads: list[int] = field(default_factory=list)
    cpu_ms: list[int] = field(default_factory=list)
    """Processor time that each look found used since the look before."""
    _cpu_s: float | None = None

    def look(self, process: psutil.Process) -> None:
        """Add one look."""
        self.rss_bytes.append(process.memory_info().rss)
        self.files.append(process.num_fds())
        self.threads.append(process.num_threads())
        times = process.cpu_times()
        before_s, self._cpu_s = self._cpu_s, times.user + times.system
        if before_s is not None:
            self.cpu_ms.append(round(1000 * (self._cpu_s - before_s)))


def early_and_late(values: Sequence[int]) -> tuple[float, float]:
    """Return the medians of the first fifth after the warm-up and of the last fifth."""
    steady = values[int(len(values) * WARM_UP_SHARE) :]
    fifth = max(1, len(steady) // 5)
    return statistics.median(steady[:fifth]), statistics.median(steady[-fifth:])


def complaints(usage: Usage) -> list[str]:
    """Print how each quantity grew, and return what grew too much."""
    found = []
    for name, values, allowed in (
        ("memory", usage.rss_bytes, None),
        ("open files", usage.files, LARGEST_EXTRA),
        ("threads", usage.threads, LARGEST_EXTRA),
        ("CPU ms per s", usage.cpu_ms, LARGEST_EXTRA_CPU_MS),
    ):
        early, late = early_and_late(values)
        ratio = late / max(early, 1)
        print(f"{name:12}{early:14,.0f} early{late:14,.0f} late{ratio:8.3f} late ÷ early")
        too_much = late - early > allowed if allowed else late / early > LARGEST_GROWTH
        if too_much:
            found.append(f"{name} grew from {early:,.0f} to {late:,.0f}")
    return found


def play(terminal: Terminal, server: MoodyServer, usage: Usage, minutes: float) -> None:
    """Do something random to server or dashboard every few seconds, until the time is over."""
    chosen = server.chosen
    process = psutil.Process(terminal.process.pid)
    ends_s = time.monotonic() + minutes * 60
    while time.monotonic() < ends_s:
        if chosen.random() < 0.5:
            print(f"{ends_s - time.monotonic():6.0f} s left: {server.change()}", file=sys.stderr)
        elif chosen.random() < 0.2:
            terminal.resize(*chosen.choice(SIZES))
        else:
            terminal.press(chosen.choice(KEYS))
        for _ in range(chosen.randint(1, 4)):
            time.sleep(_SAMPLE_S)
            if terminal.process.poll() is not None:
                raise SystemExit(f"the dashboard ended: {terminal.text()}")
            usage.look(process)


def main(argv: Sequence[str] | None = None) -> int:
    """Soak, and say what grew."""
    parser = argparse.ArgumentParser(prog="scripts/soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    options = parser.parse_args(argv)
    print(f"seed {options.seed}", file=sys.stderr)
    usage = Usage()
    with tempfile.TemporaryDirectory(prefix="mecha-tui-soak-") as folder:
        model = Path(folder) / "model.gguf"
        write_model(model, embedding=128, blocks=3, name="soak")
        server = MoodyServer(model, random.Random(options.seed))
        command = (sys.executable, "-m", "mecha_tui", "--url", server.url)
        with server.running(), in_terminal(command) as terminal:
            play(terminal, server, usage, options.minutes)
            server.calm_down()
            terminal.press(b"\x1b")
            terminal.wait_for_redrawn(READY)
            terminal.press(b"q")
            status = terminal.process.wait(20)
            text = terminal.text()
    found = complaints(usage)
    if status != 0:
        found.append(f"the dashboard's exit status was {status}")
    if "Traceback" in text:
        found.append(f"the dashboard wrote a traceback: {text}")
    for one in found:
        print(f"FAILED: {one}")
    return 1 if found else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main())
