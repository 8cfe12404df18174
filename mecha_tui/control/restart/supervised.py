"""Restarts a server by the command of whoever owns it, and watches both."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Callable

from mecha_tui.collect.address import parse_address
from mecha_tui.collect.printed import printed
from mecha_tui.collect.process import LocalProcesses
from mecha_tui.control.restart.course import Course, FailedError
from mecha_tui.control.restart.journal import is_running
from mecha_tui.control.restart.logs import LINES, shown_lines, tail_of_command
from mecha_tui.control.restart.talk import Talk
from mecha_tui.core.restart import Method, Question, Stage, Step, Way
from mecha_tui.core.restart_failures import cause_of_end
from mecha_tui.core.state import ServerState

_OUTPUT_LIMIT = 20_000
_BACK = (ServerState.READY, ServerState.LOCKED)
UNIT_LOOK_INTERVAL_S = 1.0


async def restart_supervised(course: Course, way: Way, talk: Talk) -> None:
    """Run the way's command, and return when another process answers than before.

    Raises:
        FailedError: The command failed, the server ended, or the time is over.
    """
    course.tail, course.log_name = _log(way)
    course.stop_if_cancelled()
    course.mark(Stage.STOPPING)
    course.tell(can_cancel=False, note=way.owner)
    command = asyncio.ensure_future(_run(way.steps[0]))
    try:
        await _watch(course, way, talk, command)
    finally:
        command.cancel()


async def _watch(
    course: Course, way: Way, talk: Talk, command: asyncio.Future[tuple[int, str]]
) -> None:
    looked_s = 0.0
    while True:
        await _take_stages(course)
        if command.done() and command.result()[0] != 0:
            await _command_failed(course, way, *command.result())
            command = asyncio.ensure_future(_run(way.steps[0]))
        state = await talk.state()
        if state is ServerState.LOADING and course.has_reached(Stage.STOPPED):
            course.mark(Stage.LOADING)
        if state in _BACK and command.done() and await _is_new(course):
            return
        if course.now_s - looked_s > UNIT_LOOK_INTERVAL_S:
            looked_s = course.now_s
            course.tell_log()
            if command.done():
                _look_at_unit(course, way)
        if not course.has_time:
            raise FailedError(
                f"it was not ready within {course.options.timeout_s:g} s",
                "look at its log; it may still be loading",
            )
        await course.pause()


async def _take_stages(course: Course) -> None:
    entry = course.entry
    has_ended = not is_running(entry.old_pid, entry.old_started_wall_s)
    if has_ended and not course.has_reached(Stage.STOPPED):
        course.mark(Stage.STOPPED)


async def _is_new(course: Course) -> bool:
    """Whether another process listens now than before; where none is seen, the command's word."""
    facts = await asyncio.to_thread(LocalProcesses(), parse_address(course.plan.url).url)
    if facts.process is None:
        return course.old_pid is None or not is_running(
            course.old_pid, course.entry.old_started_wall_s
        )
    then = course.entry.old_pid, course.entry.old_started_wall_s
    course.new_pid = facts.process.pid
    return (facts.process.pid, facts.process.started_wall_s) != then


async def _run(step: Step) -> tuple[int, str]:
    """Run a step's command exactly as it was shown; return its status and what it printed."""
    try:
        if step.has_shell:
            process = await asyncio.create_subprocess_shell(
                step.argv[0],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
        else:
            process = await asyncio.create_subprocess_exec(
                *step.argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
    except OSError as error:
        return 127, error.strerror or "it cannot be run"
    output, _ = await process.communicate()
    return process.returncode or 0, output[-_OUTPUT_LIMIT:].decode("utf-8", "replace")


async def _command_failed(course: Course, way: Way, status: int, output: str) -> None:
    """Offer what systemd asks for, or tell why the command failed."""
    lines = shown_lines(output)
    if way.method in (Method.SYSTEMD, Method.SYSTEMD_USER):
        unit = _shown_unit(way)
        result = unit.get("Result", "")
        is_limit = result == "start-limit-hit" or "too quickly" in output
        if is_limit and await course.decide(Question.RESET_FAILED):
            argv = (*_systemctl(way), "reset-failed", way.target)
            await _run(Step("reset the count of starts", argv))
            return
        cause = cause_of_end(
            None, course.tail(), systemd_result="start-limit-hit" if is_limit else result
        )
        raise FailedError(cause.words, cause.next_step)
    said = f": {lines[-1]}" if lines else ""
    raise FailedError(
        f"{way.steps[0].shown_argv[0]} ended with status {status}{said}",
        "look at what it says, then restart",
    )


def _look_at_unit(course: Course, way: Way) -> None:
    """Notice a unit or container that has given up.

    Raises:
        FailedError: It has, and this is why.
    """
    if way.method in (Method.SYSTEMD, Method.SYSTEMD_USER):
        unit = _shown_unit(way)
        if unit.get("ActiveState") == "failed":
            status = unit.get("ExecMainStatus", "")
            is_signal = unit.get("ExecMainCode") == "2"
            number = int(status) if status.isdigit() else None
            cause = cause_of_end(
                -number if is_signal and number else number,
                course.tail(),
                systemd_result=unit.get("Result", ""),
            )
            raise FailedError(cause.words, cause.next_step)
    elif way.method in (Method.DOCKER, Method.PODMAN):
        told = printed(
            (
                way.method.value,
                "inspect",
                "--format",
                "{{.State.Running}} {{.State.ExitCode}} {{.State.OOMKilled}}",
                way.target,
            )
        ).split()
        if len(told) == 3 and told[0] == "false":
            code = int(told[1]) if told[1].isdigit() else None
            cause = cause_of_end(code, course.tail(), was_killed_for_memory=told[2] == "true")
            raise FailedError(cause.words, cause.next_step)


def _systemctl(way: Way) -> tuple[str, ...]:
    """Return the words up to the verb, as the plan has them."""
    argv = way.steps[0].argv
    return argv[: argv.index("restart")]


def _shown_unit(way: Way) -> dict[str, str]:
    user = ("--user",) if way.method is Method.SYSTEMD_USER else ()
    names = "ActiveState,Result,ExecMainStatus,ExecMainCode"
    shown = printed(("systemctl", *user, "show", f"--property={names}", way.target))
    return dict(line.partition("=")[::2] for line in shown.splitlines())


def _log(way: Way) -> tuple[Callable[[], tuple[str, ...]], str]:
    """Return what reads the owner's log, and that log's name for the user."""
    lines = str(LINES)
    commands = {
        Method.SYSTEMD: ("journalctl", "-n", lines, "-o", "cat", "-u", way.target),
        Method.SYSTEMD_USER: ("journalctl", "--user", "-n", lines, "-o", "cat", "-u", way.target),
        Method.DOCKER: ("docker", "logs", "--tail", lines, way.target),
        Method.PODMAN: ("podman", "logs", "--tail", lines, way.target),
    }
    command = commands.get(way.method)
    if command is None:
        return tuple, ""
    return lambda: tail_of_command(command), f"{command[0]} of {way.owner}"
