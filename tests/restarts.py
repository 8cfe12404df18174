"""Runs the real restarter on real servers, for tests."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from mecha_tui.collect.address import parse_address
from mecha_tui.collect.process import LocalProcesses
from mecha_tui.collect.target import Target
from mecha_tui.control.restart.facts import Configured
from mecha_tui.control.restart.restarter import LocalRestarter
from mecha_tui.core.restart import (
    Method,
    Outcome,
    Progress,
    Question,
    RestartOptions,
    RestartPlan,
)
from tests.servers import PATIENCE_S


@dataclass
class Restarting:
    """One restarter with its own state folder, and everything it said."""

    folder: Path
    command: tuple[str, ...] = ()
    answers: dict[Question, bool] = field(default_factory=dict)
    wanted: Method | None = None
    progress: list[Progress] = field(default_factory=list)
    asked: list[Question] = field(default_factory=list)
    on_report: Callable[[LocalRestarter, Progress], None] | None = None

    def __post_init__(self) -> None:
        self.restarter = LocalRestarter(
            lambda url: Target(parse_address(url)),
            lambda url: Configured(self.command if url else ()),
            self.folder,
            wanted=self.wanted,
        )

    async def plan(self, key: str) -> RestartPlan:
        return await self.restarter.plan(key)

    async def run(self, key: str, options: RestartOptions | None = None) -> Outcome:
        """Plan and run at once."""
        plan = await self.plan(key)
        return await self.run_plan(plan, options)

    async def run_plan(self, plan: RestartPlan, options: RestartOptions | None = None) -> Outcome:
        chosen = options or RestartOptions(timeout_s=PATIENCE_S)
        return await self.restarter.run(plan, chosen, self._report, self._decide)

    def _report(self, progress: Progress) -> None:
        self.progress.append(progress)
        if self.on_report is not None:
            self.on_report(self.restarter, progress)

    async def _decide(self, question: Question) -> bool:
        self.asked.append(question)
        return self.answers.get(question, False)


@contextlib.contextmanager
def ending_what_listens(url: str) -> Iterator[None]:
    """End whoever listens at an address when the block is over: it is not our child."""
    try:
        yield
    finally:
        process = LocalProcesses()(url).process
        if process is not None and process.pid != os.getpid():
            end(process.pid)


def end(pid: int) -> None:
    """End one process that a test had started, and wait for it."""
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(pid)
        process.kill()
        with contextlib.suppress(psutil.TimeoutExpired):
            process.wait(PATIENCE_S)


def restart_command(url: str, folder: Path, *flags: str) -> subprocess.Popen[str]:
    """Start ``mecha-tui restart`` as a user does, without a terminal."""
    return subprocess.Popen(
        [sys.executable, "-m", "mecha_tui", "restart", "--url", url, *flags],
        env={**os.environ, "MECHA_TUI_STATE": str(folder), "HOME": str(folder)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def pid_at(url: str) -> int | None:
    """Return who listens at an address."""
    process = LocalProcesses()(url).process
    return None if process is None else process.pid


def journal_step(folder: Path) -> str | None:
    """Return what the journal says is being done; None without an entry."""
    for path in folder.glob("*.restart.json"):
        with contextlib.suppress(OSError, ValueError):
            return str(json.loads(path.read_text())["step"])
    return None


def everything_in(folder: Path) -> str:
    """Return the text of all files below a folder."""
    return "".join(path.read_text() for path in folder.rglob("*") if path.is_file())


def copied(model: Path, folder: Path) -> Path:
    """Return a copy of a model, which a test may spoil."""
    copy = folder / "model.gguf"
    copy.write_bytes(model.read_bytes())
    return copy
