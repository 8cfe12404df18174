"""One restart under way: its clock, its stages, what it reports, and what it writes down."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from mecha_tui.control.restart.journal import Entry, Journal
from mecha_tui.core.restart import (
    Decide,
    Mark,
    Progress,
    Report,
    RestartOptions,
    RestartPlan,
    Stage,
)

LOOK_INTERVAL_S = 0.2


class FailedError(Exception):
    """The server did not come back; the sentence says why."""

    def __init__(self, cause: str, next_step: str) -> None:
        super().__init__(cause)
        self.cause = cause
        self.next_step = next_step


class StoppedError(Exception):
    """The user cancelled, or refused what had to be asked, before anything was changed."""


@dataclass
class Course:
    """What every way of restarting needs while it goes on."""

    plan: RestartPlan
    options: RestartOptions
    report: Report
    decide: Decide
    journal: Journal
    entry: Entry
    tail: Callable[[], tuple[str, ...]] = tuple
    """Returns the server's last log lines, without secrets."""
    log_name: str = ""
    progress: Progress = field(default_factory=Progress)
    is_cancelled: bool = False
    old_pid: int | None = None
    new_pid: int | None = None
    _began_s: float = field(default_factory=time.monotonic)

    @property
    def now_s(self) -> float:
        """Seconds since the restart began."""
        return time.monotonic() - self._began_s

    @property
    def has_time(self) -> bool:
        """Whether the time the user gave is not over."""
        return self.now_s < self.options.timeout_s

    def mark(self, stage: Stage, **written: object) -> None:
        """Tell that a stage was reached, and write it down first."""
        self.entry = replace(self.entry, step=stage.value, **written)  # type: ignore[arg-type]  # its own fields
        self.journal.write(self.entry)
        marks = self.progress.marks
        if not any(one.stage is stage for one in marks):
            marks = (*marks, Mark(stage, self.now_s))
        self.tell(marks=marks, note="")

    def tell(self, **changes: object) -> None:
        """Report what changed."""
        self.progress = replace(self.progress, now_s=self.now_s, **changes)  # type: ignore[arg-type]  # its own fields
        self.report(self.progress)

    def tell_log(self) -> None:
        """Report the log as it is now."""
        self.tell(tail=self.tail(), log_name=self.log_name)

    def has_reached(self, stage: Stage) -> bool:
        """Whether a stage was marked."""
        return any(one.stage is stage for one in self.progress.marks)

    def stop_if_cancelled(self) -> None:
        """Leave, where leaving changes nothing.

        Raises:
            StoppedError: The user cancelled.
        """
        if self.is_cancelled:
            raise StoppedError("cancelled: nothing was changed")

    async def pause(self) -> None:
        """Wait until the next look."""
        await asyncio.sleep(LOOK_INTERVAL_S)
