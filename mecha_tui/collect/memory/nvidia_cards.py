"""NVIDIA's cards as the PCI bus shows them, whatever the driver says."""

from __future__ import annotations

from pathlib import Path

from mecha_tui.collect.memory.files import directory, read_text
from mecha_tui.core.memory import Device, MemoryKind
from mecha_tui.core.reading import Reading, unknown

_VENDOR, _DISPLAY_CLASS = "0x10de", "0x03"
_ASLEEP = "the GPU sleeps, and asking its driver would wake it"


def nvidia_places(root: Path) -> tuple[Path, ...]:
    """Return the directory of every NVIDIA display device on the bus."""
    top = root / "sys/bus/pci/devices"
    return tuple(top / name for name in directory(top).value or () if _is_display(top / name))


def are_asleep(places: tuple[Path, ...]) -> bool:
    """Whether there are cards and the kernel has suspended every one of them."""
    states = [(read_text(place / "power/runtime_status").value or "").strip() for place in places]
    return bool(states) and all(state == "suspended" for state in states)


def sleeping_device(now_s: float) -> Device:
    """Return what stands for cards that must not be woken."""
    missing: Reading[int] = unknown(_ASLEEP)
    return Device(
        "NVIDIA GPU",
        "not asked",
        MemoryKind.UNKNOWN,
        total_bytes=missing,
        available_bytes=missing,
        processes=unknown(_ASLEEP),
        taken_s=now_s,
    )


def _is_display(place: Path) -> bool:
    vendor = (read_text(place / "vendor").value or "").strip()
    kind = read_text(place / "class").value or ""
    return vendor == _VENDOR and kind.startswith(_DISPLAY_CLASS)
