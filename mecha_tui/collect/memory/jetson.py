"""Jetson boards without a driver library: known by the device tree or by NvMap's count."""

from __future__ import annotations

from pathlib import Path

from mecha_tui.collect.memory.files import read_text
from mecha_tui.core.memory import Device, Host, MemoryKind
from mecha_tui.core.memory_device import device_name
from mecha_tui.core.reading import Reading, unknown


def jetson_device(root: Path, host: Host, now_s: float) -> Device | None:
    """Return the board's GPU; None on any other machine."""
    compatible = read_text(root / "proc/device-tree/compatible").value or ""
    if "nvidia,tegra" not in compatible and not host.gpu_mapped_bytes.is_known:
        return None
    model = (read_text(root / "proc/device-tree/model").value or "").replace("\0", "")
    name = device_name(model or "NVIDIA Jetson")
    missing: Reading[int] = unknown(f"{name} has no memory of its own")
    return Device(
        name,
        "device tree",
        MemoryKind.UNIFIED,
        0,
        total_bytes=missing,
        available_bytes=missing,
        processes=unknown(f"{name} does not tell what a process holds on the GPU"),
        taken_s=now_s,
    )
