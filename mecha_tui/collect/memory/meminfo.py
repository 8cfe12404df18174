"""The host's memory from ``/proc/meminfo``, ZFS's cache, and the signs of pressure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from mecha_tui.collect.memory.files import LARGEST, read_text
from mecha_tui.core.memory import Host
from mecha_tui.core.reading import Reading, known, unknown

_SOURCE = "/proc/meminfo"
_LINE = re.compile(r"^([A-Za-z0-9_()]+):\s+(\d{1,24})(?: (kB))?\s*$", re.MULTILINE)
KIB = 1024


def read_host(root: Path) -> Host:
    """Return the host's figures, each with its source or why it is not known."""
    text = read_text(root / "proc/meminfo")
    if text.value is None:
        missing: Reading[int] = unknown(text.reason or "")
        names = Host.__dataclass_fields__
        return Host(**dict.fromkeys(names, missing))
    return host_from_meminfo(parse_meminfo(text.value), _arc(root))


def parse_meminfo(text: str) -> dict[str, int]:
    """Return the lines that make sense, in bytes, or plain counts where no unit stands."""
    figures = {}
    for name, digits, unit in _LINE.findall(text):
        value = int(digits) * (KIB if unit else 1)
        if value <= LARGEST:
            figures[name] = value
    return figures


def host_from_meminfo(figures: Mapping[str, int], arc_bytes: Reading[int]) -> Host:
    """Return the host's memory from parsed lines; a missing line costs its own figure."""
    total = _line(figures, "MemTotal")
    if total.value == 0:
        total = unknown("MemTotal is 0 in /proc/meminfo")
    page = figures.get("Hugepagesize")
    return Host(
        total_bytes=total,
        free_bytes=_within(_line(figures, "MemFree"), total),
        available_bytes=_within(_line(figures, "MemAvailable"), total),
        page_cache_bytes=_within(_page_cache(figures), total),
        swap_used_bytes=_difference(figures, "SwapTotal", "SwapFree"),
        swap_total_bytes=_line(figures, "SwapTotal"),
        huge_total_bytes=_huge(figures, "HugePages_Total", page),
        huge_free_bytes=_huge(figures, "HugePages_Free", page),
        arc_bytes=arc_bytes,
        gpu_mapped_bytes=_line(figures, "NvMapMemUsed"),
    )


def _line(figures: Mapping[str, int], name: str) -> Reading[int]:
    value = figures.get(name)
    if value is None:
        return unknown(f"{_SOURCE} has no usable {name}")
    return known(value, f"{name} in {_SOURCE}")


def _within(part: Reading[int], whole: Reading[int]) -> Reading[int]:
    """Refuse a part that is larger than its whole."""
    if part.value is not None and whole.value is not None and part.value > whole.value:
        return unknown(f"{part.source} is larger than MemTotal")
    return part


def _difference(figures: Mapping[str, int], whole: str, rest: str) -> Reading[int]:
    if whole not in figures or rest not in figures:
        return unknown(f"{_SOURCE} has no usable {whole} and {rest}")
    used = figures[whole] - figures[rest]
    if used < 0:
        return unknown(f"{rest} is larger than {whole} in {_SOURCE}")
    return known(used, f"{whole} less {rest} in {_SOURCE}")


def _page_cache(figures: Mapping[str, int]) -> Reading[int]:
    """Return the cached files that can be given back: not shared memory, nor locked pages."""
    active, inactive = figures.get("Active(file)"), figures.get("Inactive(file)")
    if active is not None and inactive is not None:
        return known(active + inactive, f"Active(file) and Inactive(file) in {_SOURCE}")
    if "Cached" not in figures:
        return _line(figures, "Cached")
    shared = figures.get("Shmem", 0)
    if shared > figures["Cached"]:
        return unknown(f"Shmem is larger than Cached in {_SOURCE}")
    return known(figures["Cached"] - shared, f"Cached less Shmem in {_SOURCE}")


def _huge(figures: Mapping[str, int], name: str, page_bytes: int | None) -> Reading[int]:
    count = figures.get(name)
    if count is None:
        return _line(figures, name)
    if count == 0:
        return known(0, f"{name} in {_SOURCE}")
    if page_bytes is None or count * page_bytes > LARGEST:
        return unknown(f"{_SOURCE} has no usable Hugepagesize")
    return known(count * page_bytes, f"{name} × Hugepagesize in {_SOURCE}")


def _arc(root: Path) -> Reading[int]:
    """Return ZFS's cache above its lower bound; outside MemAvailable, given back under need."""
    text = read_text(root / "proc/spl/kstat/zfs/arcstats")
    if text.value is None:
        return unknown("no ZFS here")
    rows = [line.split() for line in text.value.splitlines()]
    figures = {row[0]: row[2] for row in rows if len(row) == 3 and row[2].isdigit()}
    size, floor = figures.get("size"), figures.get("c_min", "0")
    if size is None or len(size) > 19:
        return unknown("ZFS's arcstats has no usable size")
    return known(max(0, int(size) - int(floor)), "size less c_min in ZFS's arcstats")
