"""AMD's GPUs: their own memory and the host memory they may map, from sysfs."""

from __future__ import annotations

from pathlib import Path

from mecha_tui.collect.memory.drm import Card
from mecha_tui.collect.memory.files import directory, exists, read_number, read_text
from mecha_tui.core.memory import Device, GpuUse, MemoryKind
from mecha_tui.core.memory_device import device_name
from mecha_tui.core.reading import Reading, known, unknown

DRIVER = "amdgpu"
_APU_IDS = frozenset(
    {
        *("0x1114", "0x13c0", "0x13fe", "0x1435", "0x1506", "0x150e", "0x1586", "0x15bf", "0x15c8"),
        *("0x15d8", "0x15dd", "0x15e7", "0x1636", "0x1638", "0x163f", "0x164c", "0x164d", "0x164e"),
        *("0x1681", "0x1900", "0x1901"),
    }
)
"""PCI devices that are part of a processor, such as Strix Halo (0x1586)."""


def is_amd(card: Card) -> bool:
    """Whether AMD's driver runs this device."""
    return card.driver == DRIVER or exists(card.place / "mem_info_vram_total")


def amd_device(
    root: Path, card: Card, processes: Reading[tuple[GpuUse, ...]], now_s: float
) -> Device:
    """Return one device; for a chip in unified memory, with its carve-out and its GTT."""
    name = _name(root, card)
    total, available = _pair(card.place, "vram")
    kind = _kind(card)
    if kind is MemoryKind.UNKNOWN:
        total = available = unknown("amdgpu does not say whether the GPU shares host memory")
    shared_total = shared_available = None
    if kind is MemoryKind.UNIFIED:
        shared_total, shared_available = _pair(card.place, "gtt")
    return Device(
        name,
        DRIVER,
        kind,
        card.index,
        total_bytes=total,
        available_bytes=available,
        shared_total_bytes=shared_total,
        shared_available_bytes=shared_available,
        processes=processes,
        taken_s=now_s,
    )


def _kind(card: Card) -> MemoryKind:
    """Tell a processor's GPU from a card: by its voltage sensor, its number, its memory's maker.

    Sizes say nothing: a card of 8 GiB may map 64 GiB of host memory.
    """
    hwmon = card.place / "hwmon"
    sensors = directory(hwmon).value or ()
    labels = [(read_text(hwmon / name / "in1_label").value or "").strip() for name in sensors]
    if "vddnb" in labels:
        return MemoryKind.UNIFIED
    if (read_text(card.place / "device").value or "").strip().lower() in _APU_IDS:
        return MemoryKind.UNIFIED
    maker = (read_text(card.place / "mem_info_vram_vendor").value or "").strip()
    if sensors or maker not in ("", "unknown"):
        return MemoryKind.DISCRETE
    return MemoryKind.UNKNOWN


def _pair(place: Path, kind: str) -> tuple[Reading[int], Reading[int]]:
    total = read_number(place / f"mem_info_{kind}_total")
    used = read_number(place / f"mem_info_{kind}_used")
    if total.value is None:
        return total, unknown(total.reason or "")
    if used.value is None:
        return total, unknown(used.reason or "")
    if used.value > total.value:
        return total, unknown(f"amdgpu: more {kind} is used than there is")
    return total, known(total.value - used.value, f"amdgpu's {kind}")


def _name(root: Path, card: Card) -> str:
    product = (read_text(card.place / "product_name").value or "").strip()
    return device_name(product or _listed_name(root, card) or f"AMD GPU {card.address}")


def _listed_name(root: Path, card: Card) -> str | None:
    """Return the name that libdrm lists for the device, where libdrm is installed."""
    device = (read_text(card.place / "device").value or "").strip().removeprefix("0x").upper()
    revision = (read_text(card.place / "revision").value or "").strip().removeprefix("0x").upper()
    if not device:
        return None
    for line in (read_text(root / "usr/share/libdrm/amdgpu.ids").value or "").splitlines():
        words = [word.strip() for word in line.split(",", 2)]
        if len(words) == 3 and words[0].upper() == device and words[1].upper() == revision:
            return words[2]
    return None
