"""Whether the machine is short of memory: pressure stalls, and kills for want of memory."""

from __future__ import annotations

import re
from pathlib import Path

from mecha_tui.collect.memory.files import read_text
from mecha_tui.core.memory import Pressure
from mecha_tui.core.reading import Reading, known, unknown

_AVERAGE = re.compile(r"^(some|full) avg10=(\d{1,3}(?:\.\d{1,4})?) ", re.MULTILINE)
_KILLS = re.compile(r"^oom_kill (\d{1,18})$", re.MULTILINE)


class PressureReader:
    """Reads the signs of pressure, and counts kills from the first look on."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._first: int | None = None
        self._count = 0
        self._killed_s: float | None = None

    def read(self, now_s: float) -> Pressure:
        """Return the pressure now."""
        some, full = _stalls(self._root)
        text = read_text(self._root / "proc/vmstat")
        found = _KILLS.search(text.value or "")
        if found is None:
            reason = text.reason or "the kernel does not count its kills"
            return Pressure(some, full, unknown(reason), self._killed_s)
        count = int(found[1])
        if self._first is None:
            self._first = self._count = count
        if count > self._count:
            self._killed_s = now_s
        self._count = count
        kills = known(max(0, count - self._first), "oom_kill in /proc/vmstat")
        return Pressure(some, full, kills, self._killed_s)


def _stalls(root: Path) -> tuple[Reading[float], Reading[float]]:
    text = read_text(root / "proc/pressure/memory")
    shares = {name: float(share) for name, share in _AVERAGE.findall(text.value or "")}
    missing = text.reason or "/proc/pressure/memory has no usable line"

    def reading(name: str) -> Reading[float]:
        share = shares.get(name)
        if share is None or share > 100.0:
            return unknown(missing)
        return known(share / 100.0, "/proc/pressure/memory")

    return reading("some"), reading("full")
