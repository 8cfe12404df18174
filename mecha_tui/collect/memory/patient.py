"""Asks what may stall in a thread of its own, and waits only so long for it."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread
from typing import Generic, TypeVar

T = TypeVar("T")


class Patient(Generic[T]):
    """Runs one question at a time; one that stalls is never asked twice at once.

    The thread is a daemon, so a driver that never answers does not keep the program alive.
    """

    def __init__(self, ask: Callable[[float], T], patience_s: float) -> None:
        self._ask = ask
        self._patience_s = patience_s
        self._done = Event()
        self._asked_s: float | None = None
        self._answer: T | None = None

    @property
    def asked_s(self) -> float | None:
        """When the question was asked that is still unanswered; None when none is."""
        return None if self._done.is_set() else self._asked_s

    def newest(self, now_s: float) -> T | None:
        """Return the answer, or the one before when it does not come in time.

        Returns:
            None before the first answer. ``asked_s`` tells whether it is an old one.
        """
        if self.asked_s is not None:
            return self._answer
        self._done.clear()
        self._asked_s = now_s
        Thread(target=self._run, args=(now_s,), name="memory-driver", daemon=True).start()
        self._done.wait(self._patience_s)
        return self._answer

    def _run(self, now_s: float) -> None:
        try:
            self._answer = self._ask(now_s)
        finally:
            self._done.set()
