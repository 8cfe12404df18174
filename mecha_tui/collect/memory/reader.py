"""Reads where memory stands, on whatever machine this is."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Lock

from mecha_tui.collect.memory.cgroup import memory_limit
from mecha_tui.collect.memory.drm import OpenFiles, gpu_files
from mecha_tui.collect.memory.files import exists
from mecha_tui.collect.memory.holders import Holders
from mecha_tui.collect.memory.kept import Kept
from mecha_tui.collect.memory.machine import PATIENCE_S, Machine, MachineLook, drm_devices
from mecha_tui.collect.memory.nvml import Nvml
from mecha_tui.collect.memory.server_uses import ServerUses, summed
from mecha_tui.core.memory import Device, GpuUse, Holder, Host, Limit, Memory, MemoryKind
from mecha_tui.core.memory_pool import Pool, headroom, pool
from mecha_tui.core.memory_share import gpu_used, server_gpu, unattributed_bytes, uses
from mecha_tui.core.reading import Reading, known
from mecha_tui.core.server import ServerProcess

INITIAL_PID_NAMESPACE = "pid:[4026531836]"
"""The kernel's fixed name of the namespace whose pids drivers report."""
LOCK_PATIENCE_S = 5.0
"""How long one server's read waits for another's."""
SERVER_LIMIT = 16
SLOW_FOR_S = 10.0
"""How long holders and limits are believed, which move slowly and cost most to read."""


class MemoryReader:
    """Reads memory for one server at a time. A read may be abandoned; none overlap."""

    def __init__(
        self,
        root: Path = Path("/"),
        *,
        clock: Callable[[], float] = time.monotonic,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._root = root
        self._clock = clock
        self._has_proc = sys.platform == "linux" or root != Path("/")
        self._machine = Machine(root, Nvml(), patience_s)
        self._holders = Holders(root)
        self._named_holders = Kept[tuple[Holder, ...]](SLOW_FOR_S)
        self._open_files = Kept[dict[int, OpenFiles]](SLOW_FOR_S)
        self._group_limits = Kept[Limit](SLOW_FOR_S)
        self._servers: dict[tuple[int, float | None], ServerUses] = {}
        self._last: dict[int | None, Memory] = {}
        self._reading = Lock()

    def read(self, process: ServerProcess | None) -> Memory:
        """Return where memory stands for one server, or what the last read said.

        It blocks for about a second when a driver stalls, and for as long as the kernel
        takes over its files, so it belongs in a thread. Reads wait for one another; behind
        one that never ends, the last picture is returned, and its ``taken_s`` tells its age.

        Args:
            process: The server's process; None when it is not known or not local.
        """
        pid = process.pid if process else None
        if not self._reading.acquire(timeout=LOCK_PATIENCE_S):
            return self._last.get(pid, Memory(kind_note="an earlier read is still waiting"))
        try:
            memory = self._read(process)
            self._last = {**dict(list(self._last.items())[-SERVER_LIMIT:]), pid: memory}
            return memory
        finally:
            self._reading.release()

    def _read(self, process: ServerProcess | None) -> Memory:
        now_s = self._clock()
        look = self._machine.look(now_s)
        server = None if process is None else self._server(process)
        pids = () if server is None else server.pids(now_s)
        host, host_cache, swapped = summed((), 0.0) if server is None else server.host(pids, now_s)
        files = self._gpu_files(look, pids)
        devices = self._devices(look, files)
        limits = self._limits(look, process)
        chosen = pool(look.host, devices, look.fault, frozenset(pids))
        return Memory(
            kind=chosen.kind,
            kind_note=chosen.note,
            pool_total_bytes=chosen.total_bytes,
            pool_available_bytes=chosen.available_bytes,
            page_cache_bytes=chosen.page_cache_bytes,
            server_gpu_bytes=server_gpu(
                devices, frozenset(pids), look.fault, has_no_gpu_file=_has_no_gpu_file(files)
            ),
            server_host_bytes=host,
            server_cache_bytes=host_cache,
            server_swap_bytes=swapped,
            swap_used_bytes=look.host.swap_used_bytes,
            swap_total_bytes=look.host.swap_total_bytes,
            vram=chosen.vram,
            gpu_used_bytes=gpu_used(devices, look.host.gpu_mapped_bytes),
            unattributed_gpu_bytes=unattributed_bytes(devices),
            llama_headroom_bytes=_llama_headroom(chosen, look.host),
            headroom_bytes=headroom(chosen, limits),
            host=look.host,
            devices=devices,
            holders=self._named(devices, pids, now_s),
            limits=limits,
            pressure=look.pressure,
            taken_s=_oldest(look.taken_s, chosen),
        )

    def _server(self, process: ServerProcess) -> ServerUses:
        """Return the reader of one server's processes; of many, the latest are kept."""
        key = (process.pid, process.started_wall_s)
        if key not in self._servers:
            while len(self._servers) >= SERVER_LIMIT:
                del self._servers[next(iter(self._servers))]
            self._servers[key] = ServerUses(self._root, process)
        return self._servers[key]

    def _gpu_files(self, look: MachineLook, pids: tuple[int, ...]) -> dict[int, OpenFiles]:
        """Return what GPU files are open, asked at every look where they tell amounts."""
        if not self._has_proc:
            return {}

        def read() -> dict[int, OpenFiles]:
            return {pid: gpu_files(self._root, pid) for pid in pids}

        question = (pids, look.taken_s if look.cards else None)
        return self._open_files.get(look.taken_s, read, question)

    def _devices(self, look: MachineLook, files: dict[int, OpenFiles]) -> tuple[Device, ...]:
        is_local = self._is_initial_namespace()
        nvidia = tuple(self._with_visibility(one, is_local) for one in look.nvidia)
        return (*nvidia, *drm_devices(self._root, look, files), *look.others)

    def _with_visibility(self, device: Device, is_local: bool) -> Device:
        """Tell the pids that are processes here from those of another namespace."""
        if not device.processes.value:
            return device
        seen = tuple(
            GpuUse(
                use.pid,
                use.gpu_bytes,
                is_local and exists(self._root / f"proc/{use.pid}"),
            )
            for use in device.processes.value
        )
        return replace(device, processes=known(seen, device.processes.source or device.driver))

    def _is_initial_namespace(self) -> bool:
        """Whether local pids are the ones that drivers report; so assumed when not told."""
        try:
            namespace = str((self._root / "proc/self/ns/pid").readlink())
        except OSError:
            return True
        return namespace == INITIAL_PID_NAMESPACE

    def _named(
        self, devices: tuple[Device, ...], pids: tuple[int, ...], now_s: float
    ) -> tuple[Holder, ...]:
        if not self._has_proc:
            return ()
        has_drm = any(one.driver not in ("NVML", "device tree") for one in devices)
        held, server = uses(devices), frozenset(pids)
        return self._named_holders.get(
            now_s,
            lambda: self._holders.named(held, server, os.getpid(), now_s, has_drm=has_drm),
            (held, server),
        )

    def _limits(self, look: MachineLook, process: ServerProcess | None) -> tuple[Limit, ...]:
        if not self._has_proc:
            return look.limits
        pid = "self" if process is None else process.pid
        limit = self._group_limits.get(look.taken_s, lambda: memory_limit(self._root, pid), pid)
        return (limit, *look.limits)


def _has_no_gpu_file(files: dict[int, OpenFiles]) -> bool:
    return bool(files) and all(one.value == () for one in files.values())


def _llama_headroom(chosen: Pool, host: Host) -> Reading[int]:
    """Return what llama.cpp takes for free memory when it starts on this machine."""
    has_carve_out = any(one.shared_total_bytes is not None for one in chosen.devices)
    if chosen.kind is MemoryKind.UNIFIED and not has_carve_out and host.huge_total_bytes.value:
        return host.huge_free_bytes
    return chosen.available_bytes


def _oldest(taken_s: float, chosen: Pool) -> float:
    return min([taken_s, *(one.taken_s for one in chosen.devices if one.taken_s is not None)])
