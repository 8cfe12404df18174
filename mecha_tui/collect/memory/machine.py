"""The part of the picture that is the same for every server on the machine."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from mecha_tui.collect.memory import amdgpu, intel
from mecha_tui.collect.memory.drm import Card, OpenFiles, cards, uses_by_address
from mecha_tui.collect.memory.files import exists
from mecha_tui.collect.memory.jetson import jetson_device
from mecha_tui.collect.memory.kept import Kept
from mecha_tui.collect.memory.meminfo import read_host
from mecha_tui.collect.memory.nvidia_cards import are_asleep, nvidia_places, sleeping_device
from mecha_tui.collect.memory.nvml import Nvml
from mecha_tui.collect.memory.patient import Patient
from mecha_tui.collect.memory.pressure import PressureReader
from mecha_tui.collect.memory.visibility import with_visibility
from mecha_tui.core.memory import Device, GpuUse, Host, Limit, Pressure
from mecha_tui.core.reading import Reading, known, unknown

SHARED_FOR_S = 0.5
"""Machine-wide figures serve all servers that are read within this time."""
PATIENCE_S = 1.0
"""How long a driver may take before its last answer is used, marked old."""
CARDS_FOR_S = 60.0
"""How long it is believed which graphics devices there are, and that there are none."""


@dataclass(frozen=True, slots=True)
class MachineLook:
    """What does not depend on the server."""

    taken_s: float
    host: Host
    nvidia: tuple[Device, ...]
    fault: str | None
    """Why a GPU that is or may be there could not be asked at all."""
    cards: tuple[Card, ...]
    pressure: Pressure
    limits: tuple[Limit, ...] = ()
    others: tuple[Device, ...] = ()
    """Devices that no driver names, known by the machine itself."""


class Machine:
    """Looks at host and drivers, at most twice a second however many servers there are."""

    def __init__(self, root: Path, nvml: Nvml, patience_s: float = PATIENCE_S) -> None:
        self._root = root
        self._nvml = Patient(nvml.look, patience_s)
        self._has_proc = sys.platform == "linux" or root != Path("/")
        self._pressure = PressureReader(root)
        self._last: MachineLook | None = None
        self._cards = Kept[tuple[Card, ...]](CARDS_FOR_S)
        self._places = Kept[tuple[Path, ...]](CARDS_FOR_S)
        self._has_nvidia = Kept[bool](CARDS_FOR_S)
        self._nvidia_due_s = float("-inf")

    def look(self, now_s: float) -> MachineLook:
        """Return the machine as it is now, or as it was a moment ago."""
        last = self._last
        if last is not None and 0 <= now_s - last.taken_s < SHARED_FOR_S:
            return last
        host = self._host()
        nvidia, fault = self._ask_nvidia(now_s)
        others, limits = self._others(host, nvidia, now_s)
        self._last = MachineLook(
            now_s,
            host,
            with_visibility(self._root, nvidia),
            None if others else fault,
            self._cards.get(now_s, lambda: cards(self._root)),
            self._pressure.read(now_s),
            limits,
            others,
        )
        return self._last

    def _host(self) -> Host:
        if self._has_proc:
            return read_host(self._root)
        from mecha_tui.collect.memory.without_proc import psutil_host  # never on Linux

        return psutil_host()

    def _others(
        self, host: Host, nvidia: tuple[Device, ...], now_s: float
    ) -> tuple[tuple[Device, ...], tuple[Limit, ...]]:
        if self._has_proc:
            device = None if nvidia else jetson_device(self._root, host, now_s)
            return (() if device is None else (device,)), ()
        from mecha_tui.collect.memory import apple  # never on Linux

        if not apple.is_apple():
            return (), ()
        device = apple.apple_device(now_s)
        return (() if device is None else (device,)), (apple.apple_limit(),)

    def _ask_nvidia(self, now_s: float) -> tuple[tuple[Device, ...], str | None]:
        if now_s < self._nvidia_due_s:
            return (), None
        places = self._places.get(now_s, lambda: nvidia_places(self._root))
        if are_asleep(places):
            return (sleeping_device(now_s),), None
        look = self._nvml.newest(now_s)
        asked_s = self._nvml.asked_s
        if asked_s is not None:
            late = f"NVML: has not answered for {max(1, round(now_s - asked_s))} s"
            kept = () if look is None else look.devices
            return tuple(replace(one, error=late) for one in kept), None if kept else late
        if look is None:
            return (), "NVML: failed without an answer"
        if look.fault is None:
            return look.devices, None
        if look.fault.is_missing_library and not self._has_nvidia.get(now_s, self._find_nvidia):
            self._nvidia_due_s = now_s + CARDS_FOR_S
            return (), None
        return look.devices, look.fault.text

    def _find_nvidia(self) -> bool:
        """Return whether a card is there, though a driver is not: then that is a fault."""
        if any(exists(self._root / name) for name in ("dev/dxg", "proc/driver/nvidia")):
            return True
        return bool(nvidia_places(self._root))


def drm_devices(
    root: Path, look: MachineLook, files: Mapping[int, OpenFiles]
) -> tuple[Device, ...]:
    """Return the graphics devices of AMD and Intel with what these processes hold on them."""
    ours = [card for card in look.cards if amdgpu.is_amd(card) or intel.is_intel(card)]
    if not ours:
        return ()
    held, reason = uses_by_address(root, files)
    devices = []
    for card in ours:
        uses = held.get(card.address, ())
        if len(ours) == 1:
            uses += held.get(None, ())
        listed: Reading[tuple[GpuUse, ...]] = known(uses, "fdinfo")
        if not uses and reason is not None:
            listed = unknown(reason)
        if amdgpu.is_amd(card):
            devices.append(amdgpu.amd_device(root, card, listed, look.taken_s))
        else:
            devices.append(intel.intel_device(card, listed, look.taken_s))
    return tuple(devices)
