"""Who else holds memory: the largest processes, by GPU and by host memory."""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable
from pathlib import Path

from mecha_tui.collect.memory.drm import clients, gpu_files
from mecha_tui.collect.memory.processes import (
    HostUse,
    all_pids,
    host_use,
    identity,
    resident_bytes,
)
from mecha_tui.collect.memory.program_name import program_name
from mecha_tui.core.memory import GpuUse, Holder, Role

COUNT = 6
"""How many are named by host memory; GPU holders come on top of them."""
SCAN_EVERY_S = 120.0
SCAN_LIMIT_S = 0.2
"""A scan ends after this long, whatever it has seen by then."""


class Holders:
    """Names the largest holders. All processes are gone through only now and then."""

    def __init__(self, root: Path, timer: Callable[[], float] = time.perf_counter) -> None:
        self._root = root
        self._timer = timer
        self._due_s = float("-inf")
        self._host: dict[int, tuple[int, HostUse]] = {}
        self._gpu: dict[int, int | None] = {}

    def named(
        self,
        uses: tuple[GpuUse, ...],
        server_pids: frozenset[int],
        own_pid: int,
        now_s: float,
        *,
        has_drm: bool = False,
    ) -> tuple[Holder, ...]:
        """Return the holders, those with most first.

        Args:
            uses: What drivers say that processes hold on GPUs.
            server_pids: The server and its children.
            own_pid: mecha-tui's.
            now_s: Monotonic seconds.
            has_drm: Whether a GPU is here whose holders only their open files tell.
        """
        if now_s >= self._due_s:
            self._scan(own_pid, has_drm=has_drm)
            self._due_s = now_s + SCAN_EVERY_S
        told = {use.pid for use in uses}
        on_gpu: dict[int, int | None] = {
            pid: held for pid, held in self._gpu.items() if pid not in told
        }
        hidden: dict[int, int | None] = {}
        for use in uses:
            by_pid = on_gpu if use.is_visible else hidden
            before = by_pid.get(use.pid, 0)
            added = None if use.gpu_bytes is None or before is None else before + use.gpu_bytes
            by_pid[use.pid] = added
        found = [
            Holder(pid, "not visible here", Role.UNATTRIBUTED, held) for pid, held in hidden.items()
        ]
        for pid in {*on_gpu, *self._host, *server_pids}:
            holder = self._holder(pid, on_gpu.get(pid), server_pids, own_pid)
            if holder is not None:
                found.append(holder)
        return tuple(sorted(found, key=_weight, reverse=True))

    def _holder(
        self, pid: int, gpu_bytes: int | None, server_pids: frozenset[int], own_pid: int
    ) -> Holder | None:
        who = identity(self._root, pid)
        start_ticks, use = self._host.get(pid, (None, None))
        if who is None:
            return None
        if who.start_ticks != start_ticks:
            use = None
        role = Role.SERVER if pid in server_pids else Role.OTHER
        if pid == own_pid:
            role = Role.OURS
        return Holder(
            pid,
            program_name(self._root, who),
            role,
            gpu_bytes,
            None if use is None else use.host_bytes,
            None if use is None else use.measure,
        )

    def _scan(self, own_pid: int, *, has_drm: bool) -> None:
        """Read all sizes cheaply, then the largest ones' PSS; stop when it takes too long."""
        began_s = self._timer()
        sizes = []
        self._gpu = {}
        for pid in all_pids(self._root):
            if self._timer() - began_s > SCAN_LIMIT_S:
                break
            size = resident_bytes(self._root, pid)
            if size:
                sizes.append((size, pid))
            if size and has_drm:
                opened = clients(self._root, pid, gpu_files(self._root, pid).value or ())
                if opened:
                    self._gpu[pid] = sum(one.held_bytes for one in opened)
        found: dict[int, tuple[int, HostUse]] = {}
        largest = [pid for _, pid in heapq.nlargest(COUNT, sizes)]
        for pid in dict.fromkeys((*largest, own_pid)):
            if self._timer() - began_s > 2 * SCAN_LIMIT_S:
                break
            who = identity(self._root, pid)
            use = host_use(self._root, pid).value
            if who is not None and use is not None:
                found[pid] = (who.start_ticks, use)
        self._host = found


def _weight(holder: Holder) -> tuple[int, int]:
    return (holder.gpu_bytes or 0) + (holder.host_bytes or 0), -holder.pid
