"""Which of the pids that drivers name are processes here."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from mecha_tui.collect.memory.files import exists
from mecha_tui.core.memory import Device
from mecha_tui.core.reading import known

INITIAL_PID_NAMESPACE = "pid:[4026531836]"
"""The kernel's fixed name of the namespace whose pids drivers report."""


def with_visibility(root: Path, devices: tuple[Device, ...]) -> tuple[Device, ...]:
    """Tell the pids that are processes here from those of another namespace.

    Inside a container drivers still count the host's pids; one that happens to exist here
    as well is another process.
    """
    is_local = _is_initial_namespace(root)
    return tuple(_seen(root, device, is_local=is_local) for device in devices)


def _seen(root: Path, device: Device, *, is_local: bool) -> Device:
    if not device.processes.value:
        return device
    uses = tuple(
        replace(use, is_visible=is_local and exists(root / f"proc/{use.pid}"))
        for use in device.processes.value
    )
    return replace(device, processes=known(uses, device.processes.source or device.driver))


def _is_initial_namespace(root: Path) -> bool:
    """Whether local pids are the ones that drivers report; so assumed when not told."""
    try:
        namespace = str((root / "proc/self/ns/pid").readlink())
    except OSError:
        return True
    return namespace == INITIAL_PID_NAMESPACE
