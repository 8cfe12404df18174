"""Intel's GPUs, whose drivers tell what a process holds but not what the device has."""

from __future__ import annotations

from mecha_tui.collect.memory.drm import Card
from mecha_tui.collect.memory.files import read_text
from mecha_tui.core.memory import Device, GpuUse, MemoryKind
from mecha_tui.core.reading import Reading, unknown

DRIVERS = ("i915", "xe")
_INTEGRATED_ADDRESS = "0000:00:02.0"
"""Where every processor with graphics of Intel's has them."""


def is_intel(card: Card) -> bool:
    """Whether one of Intel's drivers runs this device."""
    return card.driver in DRIVERS


def intel_device(card: Card, processes: Reading[tuple[GpuUse, ...]], now_s: float) -> Device:
    """Return one device: in unified memory when it is part of the processor, else unknown."""
    number = (read_text(card.place / "device").value or "").strip()
    integrated = card.address == _INTEGRATED_ADDRESS
    what = "integrated GPU" if integrated else "GPU"
    reason = (
        "Intel's integrated GPU has no memory of its own"
        if integrated
        else f"{card.driver} does not say how much memory the card has"
    )
    missing: Reading[int] = unknown(reason)
    return Device(
        f"Intel {what} {number}".strip(),
        card.driver or "",
        MemoryKind.UNIFIED if integrated else MemoryKind.UNKNOWN,
        card.index,
        total_bytes=missing,
        available_bytes=missing,
        processes=processes,
        taken_s=now_s,
    )
