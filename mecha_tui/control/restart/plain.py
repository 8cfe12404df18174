"""Restarts a process that nobody owns: ends exactly it, and starts it again as it was."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
from pathlib import Path

import psutil

from mecha_tui.collect.address import parse_address
from mecha_tui.collect.sockets import Door, listener
from mecha_tui.control.restart.course import Course, FailedError
from mecha_tui.control.restart.ending import ChosenProcess
from mecha_tui.control.restart.logs import tail_of_file
from mecha_tui.control.restart.origin import Origin
from mecha_tui.control.restart.settling import settle
from mecha_tui.control.restart.starting import log_path, start
from mecha_tui.core.restart import Question, Stage
from mecha_tui.core.secrets import masked_arguments, secret_values

SECOND_PATIENCE_S = 2.0
"""How long a second SIGTERM may take, which ends a healthy server at once."""
KILL_PATIENCE_S = 20.0
RELEASE_PATIENCE_S = 10.0


async def restart_plain(
    course: Course, origin: Origin, state_folder: Path
) -> subprocess.Popen[bytes]:
    """End the process and start it again; return the new one, which is still loading.

    Raises:
        FailedError: It did not end, or cannot be started.
        MechaTuiError: The process is not the one that was shown.
    """
    url = course.plan.url
    log = log_path(state_folder, url)
    words = tuple(map(os.fsdecode, origin.arguments))
    secrets = secret_values(words, map(os.fsdecode, origin.environment))
    course.log_name, course.tail = str(log), lambda: tail_of_file(log, secrets)
    with ChosenProcess(origin.pid, origin.started_wall_s) as process:
        course.stop_if_cancelled()
        course.mark(Stage.STOPPING, how=shown_start(origin), needs=needed_names(origin))
        process.send(signal.SIGTERM)
        course.tell(can_cancel=False, note="SIGTERM sent; it may finish its batch first")
        await _ended(course, process)
    course.mark(Stage.STOPPED)
    await settle(course)
    await _released(course, url)
    course.mark(Stage.SETTLED)
    started = start(origin, log)
    course.new_pid = started.pid
    course.mark(
        Stage.LOADING,
        new_pid=started.pid,
        new_started_wall_s=psutil.Process(started.pid).create_time(),
    )
    return started


async def _ended(course: Course, process: ChosenProcess) -> None:
    patience_s = course.options.patience_s
    if await process.ended_within(patience_s):
        return
    if not await course.decide(Question.FORCE):
        raise FailedError(
            f"process {process.pid} did not stop within {patience_s:g} s and was not ended by "
            "force; it was told to stop, and may still do so",
            "wait until it has ended, then start it; or restart it with force",
        )
    for number, limit_s in (
        (signal.SIGTERM, SECOND_PATIENCE_S),
        (signal.SIGKILL, KILL_PATIENCE_S),
    ):
        process.send(number)
        course.tell(note=f"{number.name} sent, as was agreed")
        if await process.ended_within(limit_s):
            return
    raise FailedError(
        f"process {process.pid} does not end even by SIGKILL: it waits inside the kernel",
        "look at the driver's messages (dmesg); a reboot may be needed",
    )


async def _released(course: Course, url: str) -> None:
    """Wait until nobody listens at the address, so that there are never two servers."""
    address = parse_address(url)
    door = Door(address.host, address.port, address.socket_path)
    deadline_s = course.now_s + RELEASE_PATIENCE_S
    while True:
        found = listener(door)
        if found.pid is None and not found.is_hidden and "several" not in found.reason:
            return
        if course.now_s > deadline_s:
            who = f"pid {found.pid}" if found.pid is not None else found.reason
            raise FailedError(
                f"its address is taken by {who}: the old server has ended and none was started",
                "look whether that is the server, started by whoever watches over it",
            )
        await course.pause()


def shown_start(origin: Origin) -> str:
    """Return the command line that starts it again by hand, without its secrets."""
    words = masked_arguments(tuple(map(os.fsdecode, origin.arguments)))
    return f"cd {shlex.quote(os.fsdecode(origin.folder))} && {shlex.join(words)}"


def needed_names(origin: Origin) -> tuple[str, ...]:
    """Return the names of the variables that the server reads, without their values."""
    names = (os.fsdecode(one.partition(b"=")[0]) for one in origin.environment)
    return tuple(sorted(name for name in names if name.startswith(("LLAMA_", "HF_", "GGML_"))))
