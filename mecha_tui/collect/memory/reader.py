"""Reads where memory stands, on whatever machine this is."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from mecha_tui.collect.memory import processes
from mecha_tui.collect.memory.cgroup import memory_limit
from mecha_tui.collect.memory.meminfo import read_host
from mecha_tui.collect.memory.nvml import Look, Nvml
from mecha_tui.collect.memory.pressure import read_pressure
from mecha_tui.core.memory import Host, Memory, MemoryKind, Pressure
from mecha_tui.core.memory_pool import Pool, pool
from mecha_tui.core.memory_share import gpu_used, server_gpu, unattributed
from mecha_tui.core.reading import Reading, known, unknown
from mecha_tui.core.server import ServerProcess

SHARED_FOR_S = 0.5
"""Machine-wide figures serve all servers that are read within this time."""
INITIAL_PID_NAMESPACE = "pid:[4026531836]"
NVIDIA_VENDOR = "0x10de"


@dataclass(frozen=True, slots=True)
class _Machine:
    """What does not depend on the server."""

    taken_s: float
    host: Host
    look: Look
    pressure: Pressure


class MemoryReader:
    """Reads memory for one server at a time. A read may be abandoned; none overlap."""

    def __init__(
        self,
        root: Path = Path("/"),
        *,
        clock: Callable[[], float] = time.monotonic,
        nvml: Nvml | None = None,
    ) -> None:
        self._root = root
        self._clock = clock
        self._nvml = nvml or Nvml()
        self._reading = Lock()
        self._machine: _Machine | None = None
        self._kills: int | None = None
        self._last: dict[int | None, Memory] = {}

    def read(self, process: ServerProcess | None) -> Memory:
        """Return where memory stands for one server, or what the last read said.

        It may block for as long as a driver does, so it belongs in a thread. While an
        earlier read is still blocked, the last picture is returned at once; its
        ``taken_s`` tells its age.

        Args:
            process: The server's process; None when it is not known or not local.
        """
        pid = process.pid if process else None
        if not self._reading.acquire(blocking=False):
            return self._last.get(pid, Memory(kind_note="an earlier read is still waiting"))
        try:
            memory = self._read(process)
            self._last[pid] = memory
            return memory
        finally:
            self._reading.release()

    def _read(self, process: ServerProcess | None) -> Memory:
        machine = self._shared()
        host, devices = machine.host, machine.look.devices
        tree = processes.tree(self._root, process.pid) if process else ()
        fault = self._fault(machine.look)
        chosen = pool(host, devices, fault, frozenset(tree))
        visible = self._visible(machine.look)
        hidden = unattributed(devices, visible)
        use = _total(tuple(processes.host_use(self._root, pid) for pid in tree), process)
        return Memory(
            kind=chosen.kind,
            kind_note=chosen.note,
            pool_total_bytes=chosen.total_bytes,
            pool_available_bytes=chosen.available_bytes,
            page_cache_bytes=chosen.page_cache_bytes,
            server_gpu_bytes=server_gpu(devices, frozenset(tree), visible, fault),
            server_host_bytes=use[0],
            server_cache_bytes=use[1],
            server_swap_bytes=use[2],
            swap_used_bytes=host.swap_used_bytes,
            swap_total_bytes=host.swap_total_bytes,
            vram=chosen.vram,
            gpu_used_bytes=gpu_used(devices, host.gpu_mapped_bytes),
            unattributed_gpu_bytes=(sum(use.gpu_bytes or 0 for use in hidden) if hidden else None),
            llama_headroom_bytes=_llama_headroom(chosen, host),
            headroom_bytes=chosen.available_bytes,
            host=host,
            devices=devices,
            limits=(memory_limit(self._root, process.pid if process else "self"),),
            pressure=machine.pressure,
            taken_s=_oldest(machine.taken_s, chosen),
        )

    def _shared(self) -> _Machine:
        now_s = self._clock()
        if self._machine is not None and 0 <= now_s - self._machine.taken_s < SHARED_FOR_S:
            return self._machine
        pressure, self._kills = read_pressure(self._root, self._kills)
        look = self._nvml.look(now_s)
        self._machine = _Machine(now_s, read_host(self._root), look, pressure)
        return self._machine

    def _fault(self, look: Look) -> str | None:
        """Return why a GPU cannot be asked; a missing driver without any card is no fault."""
        if look.fault is None:
            return None
        if look.fault.is_missing_library and not self._has_nvidia_card():
            return None
        return look.fault.text

    def _has_nvidia_card(self) -> bool:
        if (self._root / "dev/dxg").exists() or (self._root / "proc/driver/nvidia").exists():
            return True
        try:
            vendors = list((self._root / "sys/bus/pci/devices").glob("*/vendor"))
        except OSError:
            return False
        return any(_is_nvidia_display(path) for path in vendors)

    def _visible(self, look: Look) -> frozenset[int] | None:
        """Return the drivers' pids that exist here; None when they are another namespace's."""
        try:
            namespace = str((self._root / "proc/self/ns/pid").readlink())
        except OSError:
            namespace = INITIAL_PID_NAMESPACE
        if namespace != INITIAL_PID_NAMESPACE:
            return None
        pids = {use.pid for one in look.devices for use in one.processes.value or ()}
        return frozenset(pid for pid in pids if (self._root / f"proc/{pid}").is_dir())


def _is_nvidia_display(vendor: Path) -> bool:
    try:
        if vendor.read_text("ascii").strip() != NVIDIA_VENDOR:
            return False
        return (vendor.parent / "class").read_text("ascii").startswith("0x03")
    except (OSError, ValueError):
        return False


def _llama_headroom(chosen: Pool, host: Host) -> Reading[int]:
    """Return what llama.cpp takes for free memory when it starts on this machine."""
    if chosen.kind is MemoryKind.UNIFIED and not any(
        one.shared_total_bytes is not None for one in chosen.devices
    ):
        if host.huge_total_bytes.value:
            return host.huge_free_bytes
        return host.available_bytes
    return chosen.available_bytes


def _oldest(taken_s: float, chosen: Pool) -> float:
    return min([taken_s, *(one.taken_s for one in chosen.devices if one.taken_s is not None)])


def _total(
    uses: tuple[Reading[processes.HostUse], ...], process: ServerProcess | None
) -> tuple[Reading[int], Reading[int], Reading[int]]:
    """Return a server's host bytes, the cached part of them, and what is swapped out."""
    if process is None:
        missing: Reading[int] = unknown("the server's process is not known")
        return missing, missing, missing
    seen = [use.value for use in uses if use.value is not None]
    if uses[0].value is None or not seen:
        missing = unknown(uses[0].reason or "")
        return missing, missing, missing
    measure = "PSS" if all(use.measure == "PSS" for use in seen) else "RSS"
    count = "1 process" if len(seen) == 1 else f"{len(seen)} processes"
    source = f"{measure} of {count}"
    return (
        known(sum(use.host_bytes for use in seen), source),
        _summed([use.cache_bytes for use in seen], source),
        _summed([use.swap_bytes for use in seen], source),
    )


def _summed(parts: list[int | None], source: str) -> Reading[int]:
    if any(part is None for part in parts):
        return unknown("only PSS tells")
    return known(sum(part or 0 for part in parts), source)
