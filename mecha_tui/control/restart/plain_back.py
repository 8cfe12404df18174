"""Watches a process that was started until it answers, or ends."""

from __future__ import annotations

import subprocess
from pathlib import Path

from mecha_tui.control.restart.course import Course, FailedError
from mecha_tui.control.restart.talk import Talk
from mecha_tui.core.restart_failures import cause_of_end
from mecha_tui.core.state import ServerState


async def wait_until_back(course: Course, started: subprocess.Popen[bytes], talk: Talk) -> None:
    """Return when the server is ready.

    Raises:
        FailedError: It ended, or was not ready in time.
    """
    kills = _kills_for_memory()
    while True:
        status = started.poll()
        if status is not None:
            cause = cause_of_end(
                status,
                course.tail(),
                was_killed_for_memory=status == -9 and _kills_for_memory() > kills,
            )
            raise FailedError(cause.words, cause.next_step)
        state = await talk.state()
        course.tell_log()
        if state in (ServerState.READY, ServerState.LOCKED):
            return
        if not course.has_time:
            raise FailedError(
                f"it was not ready within {course.options.timeout_s:g} s; it still runs (pid "
                f"{started.pid})",
                "look at its log; it may still be loading",
            )
        await course.pause()


def _kills_for_memory() -> int:
    """Return how many processes the kernel has killed for memory; 0 where it does not count."""
    try:
        lines = Path("/proc/vmstat").read_text("ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("oom_kill ")), 0)
