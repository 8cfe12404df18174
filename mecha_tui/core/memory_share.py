"""What one server holds on the GPUs, and who else does."""

from __future__ import annotations

from mecha_tui.core.memory import Device, GpuUse
from mecha_tui.core.reading import Reading, known, unknown


def server_gpu(
    devices: tuple[Device, ...],
    server_pids: frozenset[int],
    visible_pids: frozenset[int] | None,
    fault: str | None,
) -> Reading[int]:
    """Return the bytes that a server's processes hold on all GPUs together.

    Args:
        devices: Every GPU.
        server_pids: The server and its children.
        visible_pids: Which of the pids named by drivers are visible here; None when the
            drivers count pids of another namespace, so that none may be matched.
        fault: Why no device could be asked; None otherwise.
    """
    if not devices:
        return unknown(fault or "no GPU found")
    if not server_pids:
        return unknown("the server's process is not known")
    lists = [one.processes for one in devices]
    uses = [use for one in lists for use in one.value or ()]
    if visible_pids is None:
        if uses:
            return unknown("the driver's pids are the host's, not this container's")
        return unknown(_why_not(devices))
    mine = [use for use in uses if use.pid in server_pids]
    if not mine:
        if any(use.pid not in visible_pids for use in uses):
            return unknown("the driver names only processes that are not visible here")
        return unknown(_why_not(devices))
    if any(use.gpu_bytes is None for use in mine):
        return unknown("the driver names the process and not how much it holds")
    return known(sum(use.gpu_bytes or 0 for use in mine), f"{devices[0].driver}, by process")


def gpu_used(devices: tuple[Device, ...], mapped: Reading[int]) -> Reading[int]:
    """Return what all programs hold on the GPUs, by process or by the kernel's own count."""
    uses = [use for one in devices for use in one.processes.value or ()]
    if uses and all(use.gpu_bytes is not None for use in uses):
        return known(sum(use.gpu_bytes or 0 for use in uses), f"{devices[0].driver}, by process")
    if mapped.is_known:
        return mapped
    if uses:
        return unknown("the driver names processes and not how much they hold")
    return unknown(_why_not(devices) if devices else "no GPU found")


def unattributed(
    devices: tuple[Device, ...], visible_pids: frozenset[int] | None
) -> tuple[GpuUse, ...]:
    """Return the uses of processes that are not visible here."""
    uses = [use for one in devices for use in one.processes.value or ()]
    seen = visible_pids or frozenset()
    return tuple(use for use in uses if use.pid not in seen)


def _why_not(devices: tuple[Device, ...]) -> str:
    reasons = [one.processes.reason for one in devices if one.processes.reason]
    return reasons[0] if reasons else f"{devices[0].driver} does not list the server's process"
