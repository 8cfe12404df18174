"""Speeds kept and recalled in a thread, so that no disk ever holds up the screen."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from queue import SimpleQueue

from mecha_tui.core.usual import Measurement, Setup, SpeedStore, Usuals

FRESH_S = 60.0
"""What is usual is read again after this long, for other instances measure too."""
CLOSE_PATIENCE_S = 2.0
"""The end waits no longer than this for the disk."""


class BackgroundSpeeds:
    """The ``SpeedMemory`` over a store that may wait."""

    def __init__(self, store: SpeedStore, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._known: dict[Setup, Usuals] = {}
        self._asked_s: dict[Setup, float] = {}
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None

    @property
    def trouble(self) -> str | None:
        """What is wrong with keeping, in words; None while all is well."""
        return self._store.trouble

    def recall(self, setup: Setup) -> Usuals:
        """Return what is known by now of a setup; the rest is read meanwhile."""
        asked_s = self._asked_s.get(setup)
        now_s = self._clock()
        if asked_s is None or now_s - asked_s >= FRESH_S:
            self._asked_s[setup] = now_s
            self._do(lambda: self._read(setup))
        return self._known.get(setup, {})

    def learn(self, measurements: Sequence[Measurement]) -> None:
        """Keep measurements, sooner or later."""
        if measurements:
            kept = tuple(measurements)
            self._do(lambda: self._store.record(kept))

    def close(self) -> None:
        """Keep what is not kept yet."""
        if self._thread is not None:
            self._jobs.put(None)
            self._thread.join(CLOSE_PATIENCE_S)

    def _read(self, setup: Setup) -> None:
        self._known[setup] = self._store.usuals(setup)

    def _do(self, job: Callable[[], None]) -> None:
        self._jobs.put(job)
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, daemon=True)
            self._thread.start()

    def _work(self) -> None:
        while True:
            job = self._jobs.get()
            if job is None:
                return
            job()
