"""What one server holds on the GPUs, and who else does."""

from __future__ import annotations

from mecha_tui.core.memory import Device, GpuUse
from mecha_tui.core.reading import Reading, known, unknown


def server_gpu(
    devices: tuple[Device, ...],
    server_pids: frozenset[int],
    fault: str | None,
    *,
    has_no_gpu_file: bool,
) -> Reading[int]:
    """Return the bytes that a server's processes hold on all GPUs together.

    Args:
        devices: Every GPU.
        server_pids: The server and its children; empty when they are not known.
        fault: Why no device could be asked; None otherwise.
        has_no_gpu_file: Whether all its open files could be seen and none is a GPU's; then
            it holds nothing there, whatever drivers leave unsaid.
    """
    if not devices and fault is None:
        return unknown("no GPU found")
    if not server_pids:
        return unknown("the server's process is not known")
    mine = [use for use in uses(devices) if use.is_visible and use.pid in server_pids]
    if any(use.gpu_bytes is None for use in mine):
        return unknown("the driver names the process and not how much it holds")
    if mine:
        held = sum(use.gpu_bytes or 0 for use in mine)
        return known(held, f"{_drivers(devices, server_pids)}, by process")
    if has_no_gpu_file:
        return known(0, "the server has no GPU open")
    if any(not use.is_visible for use in uses(devices)):
        return unknown("the driver names only processes that are not visible here")
    return unknown(fault or _why_not(devices))


def gpu_used(devices: tuple[Device, ...], mapped: Reading[int]) -> Reading[int]:
    """Return what all programs hold on the GPUs.

    By each driver's own count where it has one, else by process, else by what the kernel
    counts as mapped for the GPU.
    """
    if not devices:
        return unknown("no GPU found")
    parts = [_used(device) for device in devices]
    missing = next((part for part in parts if part.value is None), None)
    if missing is None:
        sources = dict.fromkeys(part.source or "" for part in parts)
        return known(sum(part.value or 0 for part in parts), " and ".join(sources))
    return mapped if mapped.is_known else missing


def _used(device: Device) -> Reading[int]:
    amounts = [(device.total_bytes.value, device.available_bytes.value)]
    if device.shared_total_bytes is not None and device.shared_available_bytes is not None:
        shared = (device.shared_total_bytes.value, device.shared_available_bytes.value)
        amounts.append(shared)
    told = [total - free for total, free in amounts if total is not None and free is not None]
    if len(told) == len(amounts):
        return known(sum(told), device.driver)
    if not device.tells_all_processes:
        return unknown(f"{device.driver} does not tell")
    found = device.processes.value
    if not found:
        return unknown(device.processes.reason or f"{device.driver} lists no process")
    if any(use.gpu_bytes is None for use in found):
        return unknown("the driver names processes and not how much they hold")
    return known(sum(use.gpu_bytes or 0 for use in found), f"{device.driver}, by process")


def unattributed_bytes(devices: tuple[Device, ...]) -> int | None:
    """Return what processes hold that are not visible here; None when there are none."""
    hidden = [use for use in uses(devices) if not use.is_visible]
    return sum(use.gpu_bytes or 0 for use in hidden) if hidden else None


def uses(devices: tuple[Device, ...]) -> tuple[GpuUse, ...]:
    """Return every use of every device."""
    return tuple(use for one in devices for use in one.processes.value or ())


def _drivers(devices: tuple[Device, ...], pids: frozenset[int]) -> str:
    named = [
        one.processes.source or one.driver
        for one in devices
        if any(use.pid in pids for use in one.processes.value or ())
    ]
    return " and ".join(dict.fromkeys(named))


def _why_not(devices: tuple[Device, ...]) -> str:
    reasons = [one.processes.reason for one in devices if one.processes.reason]
    return reasons[0] if reasons else f"{devices[0].driver} does not list the server's process"
