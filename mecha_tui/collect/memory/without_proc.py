"""Host memory and processes where there is no ``/proc``, by psutil."""

from __future__ import annotations

import psutil

from mecha_tui.collect.memory.processes import HostUse
from mecha_tui.core.memory import Host
from mecha_tui.core.reading import Reading, known, unknown


def psutil_host() -> Host:
    """Return the host's memory where there is no ``/proc``; what psutil lacks is unknown."""
    missing: Reading[int] = unknown("told by Linux only")
    try:
        memory, swap = psutil.virtual_memory(), psutil.swap_memory()
    except (OSError, RuntimeError, psutil.Error) as error:
        failed: Reading[int] = unknown(f"psutil: {type(error).__name__}")
        return Host(**dict.fromkeys(Host.__dataclass_fields__, failed))
    return Host(
        total_bytes=known(int(memory.total), "psutil"),
        free_bytes=known(int(memory.free), "psutil"),
        available_bytes=known(min(int(memory.available), int(memory.total)), "psutil"),
        page_cache_bytes=missing,
        swap_used_bytes=known(int(swap.used), "psutil"),
        swap_total_bytes=known(int(swap.total), "psutil"),
        huge_total_bytes=missing,
        huge_free_bytes=missing,
        arc_bytes=missing,
        gpu_mapped_bytes=missing,
    )


def psutil_tree(pid: int) -> tuple[int, ...]:
    """Return a process and its descendants, itself first."""
    try:
        return (pid, *(child.pid for child in psutil.Process(pid).children(recursive=True)))
    except psutil.Error:
        return (pid,)


def psutil_use(pid: int) -> Reading[HostUse]:
    """Return a process's RSS."""
    try:
        resident = int(psutil.Process(pid).memory_info().rss)
    except psutil.Error as error:
        return unknown(f"psutil: {type(error).__name__}")
    return known(HostUse(resident, "RSS", None, None), "psutil")
