"""NVIDIA's driver through NVML: each device's memory and processes, or why not.

Every error costs the one figure it concerns. The module comes from ``nvidia-ml-py`` and is
imported only when first asked. Its exceptions are neither hashable nor comparable with
other types, so they are told apart by ``value`` alone.
"""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

from mecha_tui.core.memory import Device, GpuUse, MemoryKind
from mecha_tui.core.memory_device import LARGEST_BYTES, device_name, is_unified_chip, own_memory
from mecha_tui.core.reading import Reading, known, unknown

DEVICE_LIMIT = 64
NOT_SUPPORTED, NO_PERMISSION, LIBRARY_NOT_FOUND, FUNCTION_NOT_FOUND = 3, 4, 12, 13
GPU_IS_LOST = 15
_FAULTS = {
    1: ("not initialised", "the driver was reloaded; it is asked again at the next look"),
    NOT_SUPPORTED: ("not supported", ""),
    NO_PERMISSION: ("no permission", "run as a user who may see this device"),
    6: ("device not found", "it was removed"),
    9: ("driver not loaded", "load it with: modprobe nvidia"),
    10: ("timed out", ""),
    LIBRARY_NOT_FOUND: (
        "library not found",
        "install NVIDIA's driver, or give the container access to it",
    ),
    FUNCTION_NOT_FOUND: ("function not found", "the driver is too old to say"),
    GPU_IS_LOST: ("GPU is lost", "it fell off the bus; a reboot brings it back"),
    16: ("GPU requires a reset", "see: nvidia-smi --gpu-reset"),
    18: ("driver and library versions differ", "reboot after the driver's update"),
    999: ("unknown error", "see: dmesg | grep NVRM"),
}
_FOR_GOOD = {NOT_SUPPORTED, NO_PERMISSION, FUNCTION_NOT_FOUND}
"""Errors that speak for one function, and not for the device."""
_PROCESS_LISTS = (
    ("nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"),
    ("nvmlDeviceGetGraphicsRunningProcesses_v3", "nvmlDeviceGetGraphicsRunningProcesses_v2"),
    ("nvmlDeviceGetMPSComputeRunningProcesses_v3", "nvmlDeviceGetMPSComputeRunningProcesses_v2"),
)


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a call failed."""

    code: int | None
    """NVML's code; None when Python could not even make the call."""
    text: str

    @property
    def is_missing_library(self) -> bool:
        """Whether there is simply no NVIDIA driver."""
        return self.code == LIBRARY_NOT_FOUND


@dataclass(frozen=True, slots=True)
class Look:
    """What one look at NVML saw."""

    devices: tuple[Device, ...] = ()
    fault: Fault | None = None
    """Why there are no devices at all."""


class Nvml:
    """The driver's library, opened at the first look and again after it was reloaded."""

    def __init__(self) -> None:
        self._module: ModuleType | None = None
        self._is_open = False
        self._names: dict[int, str] = {}
        self._good: dict[int, Device] = {}

    def look(self, now_s: float) -> Look:
        """Return every device as it is now. May take seconds when the driver stalls."""
        count, fault = self._count()
        if fault is not None and fault.code != LIBRARY_NOT_FOUND and self._is_open:
            self.close()
            count, fault = self._count()
        if fault is not None:
            self.close()
            return Look(self._kept(fault), fault)
        indexes = range(min(count, DEVICE_LIMIT))
        self._good = {index: one for index, one in self._good.items() if index in indexes}
        devices = tuple(self._device(index, now_s) for index in indexes)
        if devices and all(one.error for one in devices):
            self.close()
        return Look(devices)

    def close(self) -> None:
        """Give the library up; the next look opens it again."""
        if self._is_open:
            self._call("nvmlShutdown")
        self._is_open = False
        self._names.clear()

    def _count(self) -> tuple[int, Fault | None]:
        if not self._is_open:
            _, fault = self._call("nvmlInit")
            if fault is not None:
                return 0, fault
            self._is_open = True
        count, fault = self._call("nvmlDeviceGetCount")
        return (0, fault) if fault is not None else (int(count), None)

    def _device(self, index: int, now_s: float) -> Device:
        handle, fault = self._call("nvmlDeviceGetHandleByIndex", index)
        if fault is not None:
            return self._failed(index, fault)
        name = self._name(index, handle)
        memory, fault = self._call("nvmlDeviceGetMemoryInfo", handle)
        if fault is not None and fault.code not in _FOR_GOOD:
            return self._failed(index, fault)
        is_unified = is_unified_chip(name)
        kind = MemoryKind.UNIFIED if is_unified else MemoryKind.UNKNOWN
        total: Reading[int]
        available: Reading[int]
        if fault is not None:
            total = available = unknown(f"{fault.text} on {name}")
        else:
            total, available = own_memory(int(memory.total), int(memory.free), "NVML")
            if is_unified:
                total = available = unknown(f"NVML: no memory of its own on {name}")
            elif total.is_known:
                kind = MemoryKind.DISCRETE
        device = Device(
            name,
            "NVML",
            kind,
            index,
            total_bytes=total,
            available_bytes=available,
            processes=self._processes(handle),
            tells_all_processes=True,
            taken_s=now_s,
        )
        self._good[index] = device
        return device

    def _name(self, index: int, handle: object) -> str:
        if index not in self._names:
            name, fault = self._call("nvmlDeviceGetName", handle)
            if fault is not None:
                return f"NVIDIA GPU {index}"
            self._names[index] = device_name(str(name))
        return self._names[index]

    def _failed(self, index: int, fault: Fault) -> Device:
        """Return a device that no longer answers: its last figures where it may come back."""
        before = self._good.get(index)
        if before is not None and fault.code != GPU_IS_LOST:
            return replace(before, error=fault.text)
        name = before.name if before else self._names.get(index, f"NVIDIA GPU {index}")
        gone: Reading[int] = unknown(fault.text)
        return Device(
            name,
            "NVML",
            MemoryKind.UNKNOWN,
            index,
            total_bytes=gone,
            available_bytes=gone,
            processes=unknown(fault.text),
            error=fault.text,
        )

    def _kept(self, fault: Fault) -> tuple[Device, ...]:
        """Return the devices that answered once, their last figures marked by the error."""
        return tuple(replace(one, error=fault.text) for _, one in sorted(self._good.items()))

    def _processes(self, handle: object) -> Reading[tuple[GpuUse, ...]]:
        entries: list[Any] = []
        reasons: list[str] = []
        is_answered = False
        for names in _PROCESS_LISTS:
            listed, fault = None, None
            for name in names:
                listed, fault = self._call(name, handle)
                if fault is None or fault.code != FUNCTION_NOT_FOUND:
                    break
            if fault is None:
                is_answered = True
                entries += listed or []
            else:
                reasons.append(fault.text)
        if not is_answered:
            return unknown(reasons[0])
        return known(_uses(entries), "NVML")

    def _call(self, name: str, *arguments: object) -> tuple[Any, Fault | None]:
        """Call one function of NVML; every way in which it can fail becomes a fault."""
        if self._module is None:
            try:
                self._module = importlib.import_module("pynvml")
            except ImportError:
                return None, Fault(None, "NVML: the Python package nvidia-ml-py is missing")
        function: Callable[..., Any] | None = getattr(self._module, name, None)
        if function is None:
            return None, Fault(FUNCTION_NOT_FOUND, f"NVML: nvidia-ml-py has no {name}")
        try:
            return function(*arguments), None
        except self._module.NVMLError as error:
            return None, fault_of(error.value)
        except self._module.NVMLLibraryMismatchError:
            return None, fault_of(FUNCTION_NOT_FOUND)
        except (OSError, ValueError, AttributeError, TypeError, ctypes.ArgumentError) as error:
            return None, Fault(None, f"NVML: {name} failed ({type(error).__name__})")


def fault_of(code: int) -> Fault:
    """Return NVML's error in words, with what to do about it."""
    words, cure = _FAULTS.get(code, (f"error {code}", ""))
    return Fault(code, f"NVML: {words}: {cure}" if cure else f"NVML: {words}")


def _uses(entries: Iterable[Any]) -> tuple[GpuUse, ...]:
    """Return each process once, though several lists and MIG instances may name it."""
    parts: dict[tuple[int, int, int], int | None] = {}
    for entry in entries:
        key = (int(entry.pid), int(entry.gpuInstanceId), int(entry.computeInstanceId))
        held = entry.usedGpuMemory
        usable = held if held is not None and 0 <= held <= LARGEST_BYTES else None
        before = parts.get(key)
        if before is None or (usable is not None and usable > before):
            parts[key] = usable
    totals: dict[int, int | None] = {}
    for (pid, _, _), held in parts.items():
        so_far = totals.get(pid, 0)
        totals[pid] = None if held is None or so_far is None else so_far + held
    return tuple(GpuUse(pid, held) for pid, held in sorted(totals.items()))
