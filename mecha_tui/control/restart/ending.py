"""Ends exactly one process: one signal, then patience, and force only after a yes."""

from __future__ import annotations

import asyncio
import os
import select
import signal
from types import TracebackType

import psutil

from mecha_tui.errors import MechaTuiError

LOOK_INTERVAL_S = 0.05
_SAME_START_S = 1.5
"""The clock that start times are counted by may be set in between; pids do not return so soon."""


class ChosenProcess:
    """One process, told by pid and start time, and held so that its pid cannot be another's.

    Raises:
        MechaTuiError: It has ended, or the pid is another process's by now.
    """

    def __init__(self, pid: int, started_wall_s: float) -> None:
        self.pid = pid
        self._started_wall_s = started_wall_s
        self._descriptor: int | None = None
        opener = getattr(os, "pidfd_open", None)
        if opener is not None:
            try:
                self._descriptor = opener(pid)
            except ProcessLookupError:
                raise MechaTuiError(f"process {pid} has ended already") from None
            except OSError:
                self._descriptor = None
        if not self._is_same():
            self.close()
            raise MechaTuiError(
                f"pid {pid} is another process than the one that was shown: nothing was done"
            )

    def __enter__(self) -> ChosenProcess:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let the process go."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _is_same(self) -> bool:
        try:
            found_s = psutil.Process(self.pid).create_time()
        except psutil.Error:
            return False
        return abs(found_s - self._started_wall_s) < _SAME_START_S

    @property
    def has_ended(self) -> bool:
        """Whether it runs no more; its parent may still have to fetch its status."""
        if self._descriptor is not None:
            poller = select.poll()
            poller.register(self._descriptor, select.POLLIN)
            return bool(poller.poll(0))
        try:
            return not self._is_same() or (
                psutil.Process(self.pid).status() == psutil.STATUS_ZOMBIE
            )
        except psutil.Error:
            return True

    def send(self, number: signal.Signals) -> None:
        """Send a signal to this process and to no other.

        Raises:
            MechaTuiError: It may not be signalled, or is another by now.
        """
        if self.has_ended:
            return
        if not self._is_same():
            raise MechaTuiError(f"pid {self.pid} is another process by now: nothing was sent")
        try:
            if self._descriptor is not None:
                signal.pidfd_send_signal(self._descriptor, number)
            else:
                os.kill(self.pid, number)
        except ProcessLookupError:
            return
        except PermissionError:
            raise MechaTuiError(f"this user may not signal process {self.pid}") from None

    async def ended_within(self, limit_s: float) -> bool:
        """Wait for its end; False when the time was not enough."""
        loop = asyncio.get_running_loop()
        deadline_s = loop.time() + limit_s
        while not self.has_ended:
            if loop.time() >= deadline_s:
                return False
            await asyncio.sleep(LOOK_INTERVAL_S)
        return True
