"""Whether the machine is short of memory: pressure stalls, and kills for want of memory."""

from __future__ import annotations

import re
from pathlib import Path

from mecha_tui.collect.memory.files import read_text
from mecha_tui.core.memory import Pressure
from mecha_tui.core.reading import Reading, known, unknown

_AVERAGE = re.compile(r"^(some|full) avg10=(\d{1,3}(?:\.\d{1,4})?) ", re.MULTILINE)
_KILLS = re.compile(r"^oom_kill (\d{1,18})$", re.MULTILINE)


def read_pressure(root: Path, kills_before: int | None) -> tuple[Pressure, int | None]:
    """Return the pressure now, and the kernel's count of kills since the machine started.

    Args:
        root: The root directory.
        kills_before: The count at the first look; None when this is the first.
    """
    some, full = _stalls(root)
    text = read_text(root / "proc/vmstat")
    found = _KILLS.search(text.value or "")
    if found is None:
        reason = text.reason or "the kernel does not count its kills"
        return Pressure(some, full, unknown(reason)), kills_before
    count = int(found[1])
    first = count if kills_before is None else min(kills_before, count)
    return Pressure(some, full, known(count - first, "oom_kill in /proc/vmstat")), first


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
