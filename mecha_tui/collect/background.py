"""A value that is read in a thread of its own, now and then."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

T = TypeVar("T")


class Background(Generic[T]):
    """Keeps the last value of a reader that may be slow or hang.

    There is never more than one reading under way, and one that never ends costs only
    newer values. The threads are daemons, so it does not hold up the end either.
    """

    def __init__(self, first: T, interval_s: float) -> None:
        self.value = first
        """The newest value."""
        self.fault: BaseException | None = None
        """What the last reading raised, which it should not have."""
        self._interval_s = interval_s
        self._began_s: float | None = None
        self._future: Future[T] | None = None

    def refresh(
        self, read: Callable[[], T], now_s: float, interval_s: float | None = None
    ) -> Future[T] | None:
        """Take over a reading that has ended, and begin the next one when it is due.

        Args:
            read: The reader.
            now_s: Monotonic seconds.
            interval_s: Another interval than the usual one, for now.

        Returns:
            The reading under way; None when there is none.
        """
        self.take()
        interval_s = self._interval_s if interval_s is None else interval_s
        is_due = self._began_s is None or now_s - self._began_s >= interval_s
        if self._future is None and is_due:
            self._began_s = now_s
            self._future = Future()
            threading.Thread(target=_run, args=(read, self._future), daemon=True).start()
        return self._future

    def take(self) -> None:
        """Take over a reading that has ended."""
        if self._future is None or not self._future.done():
            return
        self.fault = self._future.exception()
        if self.fault is None:
            self.value = self._future.result()
        self._future = None

    def hurry(self) -> None:
        """Let the next refresh begin a reading, however young the value is."""
        self._began_s = None


def _run(read: Callable[[], T], future: Future[T]) -> None:
    try:
        value = read()
    except Exception as error:  # noqa: BLE001  # handed over to whoever holds the future
        future.set_exception(error)
    else:
        future.set_result(value)
