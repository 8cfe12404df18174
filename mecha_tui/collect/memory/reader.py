"""Reads where memory stands, on whatever machine this is."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Lock

from mecha_tui.collect.memory.cgroup import memory_limit
from mecha_tui.collect.memory.drm import OpenFiles, gpu_files
from mecha_tui.collect.memory.holders import Holders
from mecha_tui.collect.memory.kept import Kept
from mecha_tui.collect.memory.machine import PATIENCE_S, Machine, MachineLook, drm_devices
from mecha_tui.collect.memory.nvml import Nvml
from mecha_tui.collect.memory.server_uses import ServerUses, summed
from mecha_tui.core.memory import Device, Holder, Host, Limit, Memory, MemoryKind
from mecha_tui.core.memory_pool import Pool, headroom, pool
from mecha_tui.core.memory_share import gpu_used, server_gpu, unattributed_bytes, uses
from mecha_tui.core.reading import Reading
from mecha_tui.core.server import ServerProcess

LOCK_PATIENCE_S = 5.0
"""How long one server's read waits for another's."""
SERVER_LIMIT = 16
SLOW_FOR_S = 10.0
"""How long holders and limits are believed, which move slowly and cost most to read."""


class _Server:
    """What is kept of one server from look to look."""

    def __init__(self, root: Path, process: ServerProcess | None) -> None:
        self.pid = None if process is None else process.pid
        self.uses = None if process is None else ServerUses(root, process)
        self.holders = Kept[tuple[Holder, ...]](SLOW_FOR_S)
        self.open_files = Kept[dict[int, OpenFiles]](SLOW_FOR_S)
        self.limit = Kept[Limit](SLOW_FOR_S)
        self.last = Memory(kind_note="an earlier read is still waiting")


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
        self._servers: dict[tuple[int, float | None] | None, _Server] = {}
        self._reading = Lock()

    def read(self, process: ServerProcess | None) -> Memory:
        """Return where memory stands for one server, or what the last read said.

        It blocks for about a second when a driver stalls, and for as long as the kernel
        takes over its files, so it belongs in a thread. Reads wait for one another; behind
        one that never ends, the last picture is returned, and its ``taken_s`` tells its age.

        Args:
            process: The server's process; None when it is not known or not local.
        """
        if not self._reading.acquire(timeout=LOCK_PATIENCE_S):
            return self._server(process).last
        try:
            server = self._server(process)
            server.last = self._read(server)
            return server.last
        finally:
            self._reading.release()

    def _read(self, server: _Server) -> Memory:
        now_s = self._clock()
        look = self._machine.look(now_s)
        own = server.uses
        pids = () if own is None else own.pids(now_s)
        host, host_cache, swapped = summed((), 0.0) if own is None else own.host(pids, now_s)
        files = self._gpu_files(server, look, pids)
        devices = (*look.nvidia, *drm_devices(self._root, look, files), *look.others)
        limits = self._limits(server, look)
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
            holders=self._named(server, devices, pids, now_s),
            limits=limits,
            pressure=look.pressure,
            taken_s=_oldest(look.taken_s, chosen),
        )

    def _server(self, process: ServerProcess | None) -> _Server:
        """Return what is kept of one server; of many servers, the latest are kept."""
        key = None if process is None else (process.pid, process.started_wall_s)
        if key not in self._servers:
            while len(self._servers) >= SERVER_LIMIT:
                del self._servers[next(iter(self._servers))]
            self._servers[key] = _Server(self._root, process)
        return self._servers[key]

    def _gpu_files(
        self, server: _Server, look: MachineLook, pids: tuple[int, ...]
    ) -> dict[int, OpenFiles]:
        """Return what GPU files are open, asked at every look where they tell amounts."""
        if not self._has_proc:
            return {}

        def read() -> dict[int, OpenFiles]:
            return {pid: gpu_files(self._root, pid) for pid in pids}

        question = (pids, look.taken_s if look.cards else None)
        return server.open_files.get(look.taken_s, read, question)

    def _named(
        self, server: _Server, devices: tuple[Device, ...], pids: tuple[int, ...], now_s: float
    ) -> tuple[Holder, ...]:
        if not self._has_proc:
            return ()
        has_drm = any(one.driver not in ("NVML", "device tree") for one in devices)
        held, mine = uses(devices), frozenset(pids)
        return server.holders.get(
            now_s,
            lambda: self._holders.named(held, mine, os.getpid(), now_s, has_drm=has_drm),
            (held, mine),
        )

    def _limits(self, server: _Server, look: MachineLook) -> tuple[Limit, ...]:
        if not self._has_proc:
            return look.limits
        pid = "self" if server.pid is None else server.pid
        limit = server.limit.get(look.taken_s, lambda: memory_limit(self._root, pid))
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
