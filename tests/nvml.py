"""A fake ``libnvidia-ml`` that answers the real ``pynvml`` module, call by call."""

# ruff: noqa: ANN401, N802, N815 (the C library's names, and values that only ctypes knows)

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pynvml

UNINITIALIZED = 1
NOT_SUPPORTED, NO_PERMISSION, DRIVER_NOT_LOADED, LIBRARY_NOT_FOUND = 3, 4, 9, 12
FUNCTION_NOT_FOUND, GPU_IS_LOST, VERSION_MISMATCH, UNKNOWN = 13, 15, 18, 999
INSUFFICIENT_SIZE = 7
NOT_AVAILABLE = 2**64 - 1
MIB = 1 << 20


@dataclass(frozen=True)
class FakeGpu:
    """One device's answers. An int in place of an answer is the error code returned."""

    name: str | bytes = "NVIDIA GeForce RTX 3090"
    memory: tuple[int, int] | int = (24576 * MIB, 24000 * MIB)
    """Total and free bytes."""
    compute: tuple[tuple[int, int], ...] | int = ()
    """Pid and bytes of each process."""
    graphics: tuple[tuple[int, int], ...] | int = ()
    mps: tuple[tuple[int, int], ...] | int = ()
    instances: tuple[int, ...] = ()
    """The MIG instance of each compute process; none by default."""
    error: int | None = None
    """The code that every call about this device returns."""


@dataclass
class FakeNvml:
    """Stands where ``ctypes.CDLL`` would: functions take and fill ctypes values."""

    gpus: list[FakeGpu] = field(default_factory=list)
    init: int = 0
    was_reloaded: bool = False
    """Whether the driver was taken out and put in again, so that it must be opened anew."""
    missing: set[str] = field(default_factory=set)
    """Functions that this library does not export."""
    before_call: Callable[[str], None] = lambda _name: None
    calls: list[str] = field(default_factory=list)

    def change(self, index: int, **changes: Any) -> None:
        self.gpus[index] = replace(self.gpus[index], **changes)

    def __getattr__(self, name: str) -> Callable[..., int]:
        if name in self.missing or not hasattr(type(self), f"_{name}"):
            raise AttributeError(name)
        answer = getattr(self, f"_{name}")

        def call(*arguments: Any) -> int:
            self.calls.append(name)
            self.before_call(name)
            return int(answer(*arguments))

        return call

    def _nvmlInitWithFlags(self, flags: Any) -> int:
        del flags
        self.was_reloaded = False
        return self.init

    def _nvmlShutdown(self) -> int:
        return 0

    def _nvmlDeviceGetCount_v2(self, count: Any) -> int:
        if self.init or self.was_reloaded:
            return self.init or UNINITIALIZED
        count._obj.value = len(self.gpus)
        return 0

    def _nvmlDeviceGetHandleByIndex_v2(self, index: Any, handle: Any) -> int:
        error = self.gpus[int(index.value)].error
        if error is not None:
            return error
        ctypes.memmove(handle, ctypes.byref(ctypes.c_void_p(index.value + 1)), 8)
        return 0

    def _gpu(self, handle: Any) -> FakeGpu:
        return self.gpus[int(ctypes.cast(handle, ctypes.c_void_p).value or 0) - 1]

    def _nvmlDeviceGetName(self, handle: Any, buffer: Any, size: Any) -> int:
        name = self._gpu(handle).name
        raw = name.encode() if isinstance(name, str) else name
        buffer.value = raw[: size.value - 1]
        return 0

    def _nvmlDeviceGetMemoryInfo(self, handle: Any, memory: Any) -> int:
        answer = self._gpu(handle).memory
        if isinstance(answer, int):
            return answer
        memory._obj.total, memory._obj.free = answer
        memory._obj.used = max(0, answer[0] - answer[1])
        return 0

    def _nvmlDeviceGetComputeRunningProcesses_v3(
        self, handle: Any, count: Any, entries: Any
    ) -> int:
        gpu = self._gpu(handle)
        return _listed(gpu.compute, count, entries, gpu.instances)

    def _nvmlDeviceGetGraphicsRunningProcesses_v3(
        self, handle: Any, count: Any, entries: Any
    ) -> int:
        return _listed(self._gpu(handle).graphics, count, entries)

    def _nvmlDeviceGetMPSComputeRunningProcesses_v3(
        self, handle: Any, count: Any, entries: Any
    ) -> int:
        return _listed(self._gpu(handle).mps, count, entries)

    _nvmlDeviceGetComputeRunningProcesses_v2 = _nvmlDeviceGetComputeRunningProcesses_v3
    _nvmlDeviceGetGraphicsRunningProcesses_v2 = _nvmlDeviceGetGraphicsRunningProcesses_v3


def _listed(
    processes: tuple[tuple[int, int], ...] | int,
    count: Any,
    entries: Any,
    instances: tuple[int, ...] = (),
) -> int:
    if isinstance(processes, int):
        return processes
    room = count._obj.value
    count._obj.value = len(processes)
    if entries is None:
        return INSUFFICIENT_SIZE if processes else 0
    if room < len(processes):
        return INSUFFICIENT_SIZE
    for place, (pid, held) in enumerate(processes):
        entries[place].pid, entries[place].usedGpuMemory = pid, held
        entries[place].gpuInstanceId = instances[place] if instances else 0xFFFFFFFF
        entries[place].computeInstanceId = 0xFFFFFFFF
    return 0


@contextmanager
def installed(library: FakeNvml | None) -> Iterator[None]:
    """Let the real module use this library; None lets it look for one and fail."""
    before = pynvml.nvmlLib
    pynvml.nvmlLib = library
    pynvml._nvmlGetFunctionPointer_cache.clear()
    try:
        yield
    finally:
        pynvml.nvmlLib = before
        pynvml._nvmlGetFunctionPointer_cache.clear()
