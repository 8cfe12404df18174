"""Builds a small root directory with the kernel files that a test speaks of."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from mecha_tui.collect.memory.reader import MemoryReader

GIB = 1 << 30
MIB = 1 << 20
KIB = 1 << 10


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def meminfo(total_kib: int, available_kib: int, **lines: int) -> str:
    """Return a /proc/meminfo with these lines in kB and no others."""
    rows = {"MemTotal": total_kib, "MemAvailable": available_kib, **lines}
    return "".join(f"{name + ':':<16}{value:>8} kB\n" for name, value in rows.items())


def stat(pid: int, name: str, *, parent: int = 1, start_ticks: int = 500) -> str:
    return f"{pid} ({name}) S {parent} {' '.join(['0'] * 17)} {start_ticks} 0 0\n"


def process(
    pid: int,
    name: str = "llama-server",
    *,
    pss_kib: int = 410624,
    file_kib: int = 0,
    swap_kib: int = 0,
    children: tuple[int, ...] = (),
    parent: int = 1,
    start_ticks: int = 500,
) -> dict[str, str]:
    """Return the files of one process."""
    rollup = (
        "00400000-7fff0000 ---p 00000000 00:00 0    [rollup]\n"
        f"Rss: {pss_kib} kB\nPss: {pss_kib} kB\nPss_Anon: {pss_kib - file_kib} kB\n"
        f"Pss_File: {file_kib} kB\nSwapPss: {swap_kib} kB\nLocked: 0 kB\n"
    )
    return {
        f"proc/{pid}/stat": stat(pid, name, parent=parent, start_ticks=start_ticks),
        f"proc/{pid}/comm": f"{name}\n",
        f"proc/{pid}/statm": f"{pss_kib} {pss_kib // 4} 0 0 0 0 0\n",
        f"proc/{pid}/status": f"Name:\t{name}\nVmRSS:\t{pss_kib} kB\nVmSwap:\t{swap_kib} kB\n",
        f"proc/{pid}/smaps_rollup": rollup,
        f"proc/{pid}/task/{pid}/children": " ".join(map(str, children)),
    }


def patient_reader(root: Path, clock: Callable[[], float] = time.monotonic) -> MemoryReader:
    """Return a reader that waits for a driver's answer however slow the machine is."""
    return MemoryReader(root, clock=clock, patience_s=60.0)
