"""Follows the log of whichever process answers, now and then and off the event loop."""

from __future__ import annotations

from collections.abc import Callable

from mecha_tui.collect.background import Background
from mecha_tui.collect.server_log import NoLog, ServerLog, log_of
from mecha_tui.core.log_lines import log_facts
from mecha_tui.core.server import ServerProcess
from mecha_tui.core.server_log import LogNews

FILE_INTERVAL_S = 3.0
COMMAND_INTERVAL_S = 15.0
"""A journal or an engine's log is asked by running a program."""
MISSING_INTERVAL_S = 60.0
"""A log that cannot be read is looked for again after this time."""

Find = Callable[[ServerProcess], "ServerLog | NoLog"]


class LogWatch:
    """One server's log."""

    def __init__(self, find: Find = log_of) -> None:
        self._find = find
        self._process: ServerProcess | None = None
        self._log: ServerLog | NoLog | None = None
        self._news = Background(LogNews(), FILE_INTERVAL_S)
        self._taken = self._news.value

    def look(self, process: ServerProcess | None, now_s: float) -> LogNews | None:
        """Return what a look has brought since the last call; None where there was none.

        Args:
            process: The server's process; nothing is read while it is unknown.
            now_s: Monotonic seconds.
        """
        if process is None:
            return None
        if process != self._process:
            self._process, self._log = process, None
            self._news = Background(LogNews(), FILE_INTERVAL_S)
            self._taken = self._news.value
        log = self._log
        self._news.refresh(lambda: self._read(process, log), now_s, self._interval_s)
        news = self._news.value
        if news is self._taken:
            return None
        self._taken = news
        return news

    @property
    def _interval_s(self) -> float:
        if isinstance(self._log, NoLog):
            return MISSING_INTERVAL_S
        is_file = self._log is None or self._log.is_file
        return FILE_INTERVAL_S if is_file else COMMAND_INTERVAL_S

    def _read(self, process: ServerProcess, log: ServerLog | NoLog | None) -> LogNews:
        """Find the log, or read on in it; runs in a thread."""
        if not isinstance(log, ServerLog):
            log = self._find(process)
            if process == self._process:
                self._log = log
        if isinstance(log, NoLog):
            return LogNews(None, log.reason)
        return LogNews(log.name, "", log_facts(log.new_lines()))
