"""mecha-tui beside its nearest peer, on one server, loaded and idle, in turn, in one run.

Figures depend on the machine, so read the ratios. What is measured is told in
docs/performance.md.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import psutil

from mecha_tui.demo.stage import stage
from scripts.measuring.rounds import rounds_table
from scripts.measuring.server_cost import quiet_server, speed_with_and_without
from scripts.measuring.watcher import (
    PEER,
    Figures,
    Watcher,
    llamastat,
    measured,
    mecha_tui,
    medians,
)

_SLOTS = (1, 4, 64, 256)


def in_turn(
    watchers: Sequence[Watcher], url: str, rounds: int, window_s: float
) -> dict[str, Figures]:
    """Return each watcher's medians on one server; the first changes from round to round."""
    taken: dict[str, list[Figures]] = {watcher.name: [] for watcher in watchers}
    for number in range(rounds):
        for watcher in watchers if number % 2 else reversed(watchers):
            taken[watcher.name].append(measured(watcher, url, window_s))
            print(number + 1, watcher.name, taken[watcher.name][-1], file=sys.stderr)
    return {name: medians(figures) for name, figures in taken.items()}


def table(title: str, ours: Figures, theirs: Figures) -> str:
    """Return the figures side by side as markdown, with the ratio of ours to theirs."""
    rows = [f"| {title} | mecha-tui | {PEER} | ratio |", "|---|---|---|---|"]
    for name in Figures.__dataclass_fields__:
        our, their = getattr(ours, name), getattr(theirs, name)
        ratio = f"{our / their:.3f}" if their else "–"
        rows.append(f"| {name} | {our:,.2f} | {their:,.2f} | {ratio} |")
    return "\n".join(rows)


def by_slots(window_s: float) -> dict[int, float]:
    """Return mecha-tui's processor time, in percent of a core, by the server's slots."""
    found: dict[int, float] = {}
    for slots in _SLOTS:
        with quiet_server(slots) as url:
            found[slots] = measured(mecha_tui(), url, window_s).cpu_percent
    return found


def status_s(url: str, runs: int = 5) -> float:
    """Return how long one ``status`` takes from start to end, in seconds."""
    taken = []
    for _ in range(runs):
        began_s = time.monotonic()
        command = (sys.executable, "-m", "mecha_tui", "status", "--url", url)
        subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
        taken.append(time.monotonic() - began_s)
    return statistics.median(taken)


def machine() -> str:
    """Return what was measured on."""
    memory = psutil.virtual_memory().total / 2**30
    return (
        f"{platform.system()} {platform.machine()}, {psutil.cpu_count()} processors, "
        f"{memory:.0f} GiB, Python {platform.python_version()}"
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="turns of each (default 3)")
    parser.add_argument("--seconds", type=float, default=36.0, help="one window (default 36)")
    parser.add_argument("--llamastat", type=Path, help="use this one, do not install any")
    parser.add_argument("--json", type=Path, help="write the figures to this file, too")
    parser.add_argument("--no-server-cost", action="store_true", help="skip the server's speed")
    parser.add_argument("--no-slots", action="store_true", help="skip the table by slots")
    options = parser.parse_args(argv)
    figures: dict[str, Mapping[str, Figures]] = {}
    told: dict[str, object] = {"machine": machine()}
    with tempfile.TemporaryDirectory(prefix="mecha-tui-bench-") as folder:
        watchers = [mecha_tui(), llamastat(Path(folder), options.llamastat)]
        with stage(sends_texts=False) as running:
            figures["loaded"] = in_turn(watchers, running.url, options.rounds, options.seconds)
            told["round"] = rounds_table(running.url)
        with quiet_server() as url:
            figures["idle"] = in_turn(watchers, url, options.rounds, options.seconds)
            told["status_s"] = status_s(url)
        if not options.no_slots:
            told["cpu_percent_by_slots"] = by_slots(options.seconds)
        if not options.no_server_cost:
            told["server"] = speed_with_and_without(watchers, options.rounds)
    for load, found in figures.items():
        print(table(load, found["mecha-tui"], found["llamastat"]), end="\n\n")
        told[load] = {name: asdict(one) for name, one in found.items()}
    print("\n".join(f"{name}: {one}" for name, one in told.items() if name not in figures))
    if options.json is not None:
        options.json.write_text(json.dumps(told, indent=1), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
