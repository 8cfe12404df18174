"""Graphics devices of the kernel's DRM layer, and what processes hold on them (``fdinfo``)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from mecha_tui.collect.memory.files import LARGEST, directory, read_text
from mecha_tui.core.memory import GpuUse
from mecha_tui.core.reading import Reading, known, unknown

GPU_FILES = (
    "/dev/dri/",
    "/dev/dxg",
    "/dev/kfd",
    "/dev/nvgpu",
    "/dev/nvhost",
    "/dev/nvidia",
    "/dev/nvmap",
)
"""No process holds memory on a GPU without one of these open."""
_CARD = re.compile(r"card\d+")
_FIELD = re.compile(r"^(drm-[a-z0-9-]+):\s*(\S+)(?: (KiB|MiB|GiB))?\s*$", re.MULTILINE)
_UNITS = {"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


OpenFiles = Reading[tuple[tuple[str, str], ...]]
"""Descriptor and path of each GPU file that a process has open."""


@dataclass(frozen=True, slots=True)
class Card:
    """One graphics device as sysfs shows it."""

    place: Path
    """Its ``device`` directory."""
    address: str
    """PCI address, or the card's own name when it is on no PCI bus."""
    driver: str | None
    index: int


@dataclass(frozen=True, slots=True)
class Client:
    """What one open file of a process holds."""

    address: str | None
    client_id: str
    held_bytes: int


def cards(root: Path) -> tuple[Card, ...]:
    """Return every graphics device that has a kernel driver."""
    top = root / "sys/class/drm"
    found = []
    for name in directory(top).value or ():
        if _CARD.fullmatch(name) is None:
            continue
        place = top / name / "device"
        text = read_text(place / "uevent").value or ""
        lines = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
        address = lines.get("PCI_SLOT_NAME") or (
            os.path.realpath(place).rsplit("/", 1)[-1] if os.path.islink(place) else name
        )
        found.append(Card(place, address, lines.get("DRIVER"), int(name[4:])))
    return tuple(sorted(found, key=lambda card: card.index))


def gpu_files(root: Path, pid: int) -> OpenFiles:
    """Return a process's open GPU files as descriptor and path, or why they are hidden."""
    place = root / f"proc/{pid}/fd"
    names = directory(place)
    if names.value is None:
        return unknown(names.reason or "")
    found = []
    for name in names.value:
        try:
            target = str((place / name).readlink())
        except OSError:
            continue
        if target.startswith(GPU_FILES):
            found.append((name, target))
    return known(tuple(found), names.source or "")


def clients(root: Path, pid: int, files: Iterable[tuple[str, str]]) -> tuple[Client, ...]:
    """Return what a process's open DRM files hold, each client once."""
    found: dict[tuple[str | None, str], Client] = {}
    for descriptor, target in files:
        if not target.startswith("/dev/dri/"):
            continue
        text = read_text(root / f"proc/{pid}/fdinfo/{descriptor}").value
        client = client_from_fdinfo(text or "", descriptor)
        if client is not None:
            found.setdefault((client.address, client.client_id), client)
    return tuple(found.values())


def client_from_fdinfo(text: str, descriptor: str) -> Client | None:
    """Return what one ``fdinfo`` says; None when it tells no amount of memory.

    The older ``drm-memory-*`` and the newer ``drm-resident-*`` count the same memory, so
    only one of them is summed. Memory that was pushed out to the CPU is not the GPU's.
    """
    fields = {name: (value, unit) for name, value, unit in _FIELD.findall(text)}
    amounts: dict[str, int] = {}
    for name, (value, unit) in fields.items():
        kind, _, region = name.removeprefix("drm-").partition("-")
        if kind in ("memory", "resident") and value.isdigit() and len(value) < 20:
            held = int(value) * _UNITS[unit]
            if region != "cpu" and held <= LARGEST:
                amounts[f"{kind} {region}"] = held
    chosen = "memory " if any(name.startswith("memory ") for name in amounts) else "resident "
    parts = [held for name, held in amounts.items() if name.startswith(chosen)]
    if not parts:
        return None
    address = fields.get("drm-pdev", ("", ""))[0] or None
    client_id = fields.get("drm-client-id", ("", ""))[0] or f"fd {descriptor}"
    return Client(address, client_id, sum(parts))


def uses_by_address(
    root: Path, files: Mapping[int, OpenFiles]
) -> tuple[dict[str | None, tuple[GpuUse, ...]], str | None]:
    """Return what processes hold by device address, and why some could not be read.

    Args:
        root: The root directory.
        files: Each process's open GPU files.
    """
    held: dict[str | None, dict[int, int]] = {}
    reason = None
    for pid, opened in files.items():
        reason = reason or opened.reason
        for client in clients(root, pid, opened.value or ()):
            on = held.setdefault(client.address, {})
            on[pid] = on.get(pid, 0) + client.held_bytes
    uses = {
        address: tuple(GpuUse(pid, amount) for pid, amount in sorted(by_pid.items()))
        for address, by_pid in held.items()
    }
    return uses, reason
