"""mecha-tui beside its nearest peer, on one loaded server, in turn, in one run.

Figures depend on the machine, so read the ratios. What is measured is told in
docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from mecha_tui.demo.stage import stage
from scripts.measuring.proxy import counting_proxy
from scripts.measuring.rounds import rounds_table
from scripts.measuring.server_cost import SLOT_WINDOW, speed_with_and_without
from scripts.measuring.terminal import in_terminal

PEER = "llamastat==0.3.0"
WARM_UP_S = 3.0


@dataclass(frozen=True, slots=True)
class Figures:
    """What one watcher cost during one window."""

    cpu_percent: float
    """Of one core, the watcher's children included."""
    rss_mib: float
    uss_mib: float
    """Memory that no other process shares."""
    first_frame_s: float
    """From the start to the first frame that shows the server's slots."""
    terminal_bytes_per_s: float
    requests_per_s: float
    connections_per_s: float


@dataclass(frozen=True, slots=True)
class Watcher:
    """A program that watches a server."""

    name: str
    command: Callable[[str], Sequence[str]]
    """From the server's address to the command."""


def measured(watcher: Watcher, url: str, window_s: float) -> Figures:
    """Measure one watcher twice: directly, and through a proxy that counts requests."""
    with in_terminal(watcher.command(url), SLOT_WINDOW) as terminal:
        first_frame_s = terminal.wait_for(SLOT_WINDOW)
        time.sleep(WARM_UP_S)
        process = psutil.Process(terminal.process.pid)
        before = cpu_seconds(process), terminal.written_bytes, time.monotonic()
        time.sleep(window_s)
        after = cpu_seconds(process), terminal.written_bytes, time.monotonic()
        memory = process.memory_full_info()
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
        first_frame_s=first_frame_s,
        terminal_bytes_per_s=(after[1] - before[1]) / passed_s,
        requests_per_s=(now[0] - seen[0]) / (now[2] - seen[2]),
        connections_per_s=(now[1] - seen[1]) / (now[2] - seen[2]),
    )


def cpu_seconds(process: psutil.Process) -> float:
    """Return the processor time of a process and its children, past ones included."""
    everyone = [process, *process.children(recursive=True)]
    return float(sum(sum(one.cpu_times()[:4]) for one in everyone))


def medians(rounds: Sequence[Figures]) -> Figures:
    """Return each figure's median over all rounds."""
    names = Figures.__dataclass_fields__
    return Figures(
        *(statistics.median(getattr(figures, name) for figures in rounds) for name in names)
    )


def table(ours: Figures, theirs: Figures, peer: str) -> str:
    """Return the figures side by side, with the ratio of ours to theirs."""
    rows = [f"{'':24}{'mecha-tui':>12}{peer:>18}{'ratio':>10}"]
    for name in Figures.__dataclass_fields__:
        our, their = getattr(ours, name), getattr(theirs, name)
        ratio = f"{our / their:.2f}" if their else "–"
        rows.append(f"{name:24}{our:12.2f}{their:18.2f}{ratio:>10}")
    return "\n".join(rows)


def peer_command(folder: Path, given: Path | None) -> str:
    """Return the peer's program, installed into a virtual environment of its own if need be."""
    if given is not None:
        return str(given)
    subprocess.run([sys.executable, "-m", "venv", str(folder / "peer")], check=True)
    python = str(folder / "peer" / "bin" / "python")
    install = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", PEER)
    subprocess.run(install, check=True)
    return str(folder / "peer" / "bin" / "llamastat")


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="turns of each (default 3)")
    parser.add_argument("--seconds", type=float, default=36.0, help="one window (default 36)")
    parser.add_argument("--llamastat", type=Path, help="use this one, do not install any")
    parser.add_argument("--no-server-cost", action="store_true", help="skip the second table")
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="mecha-tui-bench-") as folder:
        program = peer_command(Path(folder), options.llamastat)
        ours = Watcher("mecha-tui", lambda url: (sys.executable, "-m", "mecha_tui", "--url", url))
        theirs = Watcher("llamastat", lambda url: (program, "-u", url))
        taken: dict[str, list[Figures]] = {ours.name: [], theirs.name: []}
        with stage(sends_texts=False) as running:
            for number in range(options.rounds):
                for watcher in (ours, theirs) if number % 2 else (theirs, ours):
                    figures = measured(watcher, running.url, options.seconds)
                    taken[watcher.name].append(figures)
                    print(number + 1, watcher.name, figures, file=sys.stderr)
            cost_of_rounds = rounds_table(running.url)
        print(f"Medians of {options.rounds} rounds of {options.seconds:g} s, in turn, one server:")
        print(table(medians(taken[ours.name]), medians(taken[theirs.name]), PEER))
        print(cost_of_rounds)
        if not options.no_server_cost:
            print(speed_with_and_without([ours, theirs], options.rounds))
    return 0


if __name__ == "__main__":
    sys.exit(main())
