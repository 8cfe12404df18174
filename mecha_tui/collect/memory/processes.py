"""What a process and its children hold of the host's memory, told from ``/proc``."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from mecha_tui.collect.memory.files import directory, read_text
from mecha_tui.core.reading import Reading, known, unknown

KIB = 1024
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
TREE_LIMIT = 256
"""How many processes are followed from one server; more is a fault in what was read."""


@dataclass(frozen=True, slots=True)
class HostUse:
    """What one process holds."""

    host_bytes: int
    measure: str
    """``PSS``: shared pages divided among their users; ``RSS``: counted in full."""
    cache_bytes: int | None
    """The part that is cached file pages and can be given back; None with RSS."""
    swap_bytes: int | None


@dataclass(frozen=True, slots=True)
class Identity:
    """What tells a process from a later one with the same pid."""

    pid: int
    start_ticks: int
    parent_pid: int
    name: str


def identity(root: Path, pid: int) -> Identity | None:
    """Return who has this pid now; None when nobody is seen."""
    text = read_text(root / f"proc/{pid}/stat").value
    if text is None or "(" not in text or ")" not in text:
        return None
    name = text[text.index("(") + 1 : text.rindex(")")]
    rest = text[text.rindex(")") + 1 :].split()
    if len(rest) < 20 or not (rest[1].isdigit() and rest[19].isdigit()):
        return None
    return Identity(pid, int(rest[19]), int(rest[1]), name)


def host_use(root: Path, pid: int) -> Reading[HostUse]:
    """Return a process's PSS, else its RSS, else why neither is known."""
    rollup = read_text(root / f"proc/{pid}/smaps_rollup")
    if rollup.value is not None:
        figures = _kilobytes(rollup.value)
        if "Pss" in figures:
            locked = figures.get("Locked", 0)
            file_bytes = figures.get("Pss_File")
            cache = None if file_bytes is None else max(0, file_bytes - locked)
            use = HostUse(figures["Pss"], "PSS", cache, figures.get("SwapPss"))
            return known(use, rollup.source or "")
    return resident(root, pid)


def resident(root: Path, pid: int) -> Reading[HostUse]:
    """Return a process's RSS, which counts shared pages in full and costs little to read."""
    text = read_text(root / f"proc/{pid}/status")
    if text.value is None:
        return unknown(text.reason or "")
    figures = _kilobytes(text.value)
    if "VmRSS" not in figures:
        return unknown(f"/proc/{pid}/status has no VmRSS")
    return known(HostUse(figures["VmRSS"], "RSS", None, figures.get("VmSwap")), text.source or "")


def resident_bytes(root: Path, pid: int) -> int | None:
    """Return a process's RSS from ``statm``, the cheapest of all."""
    words = (read_text(root / f"proc/{pid}/statm").value or "").split()
    return int(words[1]) * PAGE_BYTES if len(words) > 1 and words[1].isdigit() else None


def tree(root: Path, pid: int) -> tuple[int, ...]:
    """Return a process and all its descendants, itself first."""
    found, waiting = [pid], [pid]
    while waiting and len(found) < TREE_LIMIT:
        for child in _children(root, waiting.pop()):
            if child not in found:
                found.append(child)
                waiting.append(child)
    return tuple(found)


def all_pids(root: Path) -> tuple[int, ...]:
    """Return every pid that is visible."""
    return tuple(int(name) for name in directory(root / "proc").value or () if name.isdigit())


def _children(root: Path, pid: int) -> list[int]:
    tasks = root / f"proc/{pid}/task"
    found = []
    for task in directory(tasks).value or ():
        text = read_text(tasks / task / "children").value or ""
        found += [int(word) for word in text.split() if word.isdigit()]
    return found


def _kilobytes(text: str) -> dict[str, int]:
    """Return every ``Name: N kB`` line in bytes."""
    figures = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) == 3 and words[2] == "kB" and words[1].isdigit() and len(words[1]) < 16:
            figures[words[0].rstrip(":")] = int(words[1]) * KIB
    return figures
