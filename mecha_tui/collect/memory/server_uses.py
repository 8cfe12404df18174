"""What a server and its children hold of the host's memory, without making them pay for it."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mecha_tui.collect.memory.files import read_text
from mecha_tui.collect.memory.kept import Kept
from mecha_tui.collect.memory.processes import (
    HostUse,
    Identity,
    host_use,
    identity,
    resident_bytes,
    tree,
)
from mecha_tui.core.reading import Reading, known, unknown
from mecha_tui.core.server import ServerProcess

REST_PER_COST = 200.0
"""PSS walks every page of a process and holds its memory map meanwhile, which takes long for
a large model. It is read again only after this many times as long as it took."""
REST_LIMIT_S = 120.0
LOOK_AGAIN_S = 30.0
"""While its RSS stays, PSS is read again after this long."""
MOVED_RATIO = 0.01
"""RSS that moved by more than this is a reason to read PSS anew at once."""
TREE_FOR_S = 10.0
"""How long a server's children are believed before they are looked for again."""
START_TOLERANCE_S = 2.0
_TICKS_PER_S = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
_BOOT = re.compile(r"^btime (\d{1,12})$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Kept:
    start_ticks: int
    use: Reading[HostUse]
    resident_bytes: int | None
    """The RSS at that time, which costs next to nothing to ask again."""
    read_s: float
    """Monotonic second of the reading."""
    rest_s: float
    """How long the process is left in peace at least."""

    def stands(self, now_s: float, resident: int | None) -> bool:
        """Whether the reading is still to be believed."""
        if now_s < self.read_s + self.rest_s:
            return True
        if resident is None or self.resident_bytes is None:
            return False
        moved = abs(resident - self.resident_bytes) > self.resident_bytes * MOVED_RATIO
        return not moved and now_s < self.read_s + LOOK_AGAIN_S


class ServerUses:
    """Reads one server's processes, each as often as its size allows."""

    def __init__(
        self,
        root: Path,
        process: ServerProcess,
        timer: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._root = root
        self._process = process
        self._timer = timer
        self._has_proc = sys.platform == "linux" or root != Path("/")
        self._start_ticks: int | None = None
        self._tree = Kept[tuple[int, ...]](TREE_FOR_S)
        self._kept: dict[int, _Kept] = {}

    def pids(self, now_s: float) -> tuple[int, ...]:
        """Return the server and its descendants, itself first; nothing when it is gone."""
        if not self._has_proc:
            return self._pids_elsewhere(now_s)
        if self._why_gone() is not None:
            return ()
        return self._tree.get(now_s, lambda: tree(self._root, self._process.pid))

    def host(
        self, pids: tuple[int, ...], now_s: float
    ) -> tuple[Reading[int], Reading[int], Reading[int]]:
        """Return the host bytes, the cached part of them, and what is swapped out."""
        if not self._has_proc:
            from mecha_tui.collect.memory.without_proc import psutil_use  # never on Linux

            return summed(tuple(psutil_use(pid) for pid in pids), 0.0)
        if not pids:
            gone: Reading[int] = unknown(self._why_gone() or "the server's process is gone")
            return gone, gone, gone
        self._kept = {pid: self._one(pid, pids, now_s) for pid in pids}
        rest_s = max(one.rest_s for one in self._kept.values())
        return summed(tuple(one.use for one in self._kept.values()), rest_s)

    def _pids_elsewhere(self, now_s: float) -> tuple[int, ...]:
        from mecha_tui.collect.memory.without_proc import psutil_tree  # never on Linux

        return self._tree.get(now_s, lambda: psutil_tree(self._process.pid))

    def _why_gone(self) -> str | None:
        """Return why this pid is not the server; None while it is."""
        who = identity(self._root, self._process.pid)
        if who is None:
            return f"process {self._process.pid} is not visible"
        if self._start_ticks is None:
            if not self._is_as_old_as_told(who):
                return f"pid {self._process.pid} is another process now"
            self._start_ticks = who.start_ticks
        if who.start_ticks != self._start_ticks:
            return f"pid {self._process.pid} is another process now"
        return None

    def _is_as_old_as_told(self, who: Identity) -> bool:
        booted = _BOOT.search(read_text(self._root / "proc/stat").value or "")
        if self._process.started_wall_s is None or booted is None:
            return True
        started_s = int(booted[1]) + who.start_ticks / _TICKS_PER_S
        return abs(started_s - self._process.started_wall_s) < START_TOLERANCE_S

    def _one(self, pid: int, pids: tuple[int, ...], now_s: float) -> _Kept:
        who = identity(self._root, pid)
        if who is None or (pid != self._process.pid and who.parent_pid not in pids):
            return _gone(f"process {pid} is gone")
        before = self._kept.get(pid)
        resident = resident_bytes(self._root, pid)
        is_same = before is not None and before.start_ticks == who.start_ticks
        if before is not None and is_same and before.stands(now_s, resident):
            return before
        began_s = self._timer()
        use = host_use(self._root, pid)
        rest_s = min(REST_LIMIT_S, (self._timer() - began_s) * REST_PER_COST)
        after = identity(self._root, pid)
        if after is None or after.start_ticks != who.start_ticks:
            return _gone(f"process {pid} ended while it was read")
        return _Kept(who.start_ticks, use, resident, now_s, rest_s)


def _gone(reason: str) -> _Kept:
    return _Kept(-1, unknown(reason), None, float("-inf"), 0.0)


def summed(
    uses: tuple[Reading[HostUse], ...], rest_s: float
) -> tuple[Reading[int], Reading[int], Reading[int]]:
    """Return the host bytes of all, the cached part of them, and what is swapped out.

    A child that ended between two looks is left out; the server itself, the first, is not.

    Args:
        uses: What each process holds.
        rest_s: How long the figures may stand before they are read anew.
    """
    if not uses or uses[0].value is None:
        reason = (uses[0].reason if uses else None) or "the server's process is not known"
        missing: Reading[int] = unknown(reason)
        return missing, missing, missing
    seen = [use.value for use in uses if use.value is not None]
    measure = "PSS" if all(use.measure == "PSS" for use in seen) else "RSS"
    count = "1 process" if len(seen) == 1 else f"{len(seen)} processes"
    source = f"{measure} of {count}"
    if rest_s > 10.0:
        source += f", read every {round(rest_s, -1):.0f} s"
    return (
        known(sum(use.host_bytes for use in seen), source),
        _sum([use.cache_bytes for use in seen], source),
        _sum([use.swap_bytes for use in seen], source),
    )


def _sum(parts: list[int | None], source: str) -> Reading[int]:
    if any(part is None for part in parts):
        return unknown("the kernel does not tell")
    return known(sum(part or 0 for part in parts), source)
