"""Restarts servers: the real :class:`~mecha_tui.core.restart.Restarter`."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import psutil

from mecha_tui.collect.address import parse_address
from mecha_tui.collect.process import LocalProcesses
from mecha_tui.collect.sockets import Door, listener
from mecha_tui.collect.target import Target
from mecha_tui.control.restart.course import Course, FailedError, StoppedError
from mecha_tui.control.restart.facts import Asking, Configured, facts_of_server
from mecha_tui.control.restart.idle import wait_until_idle
from mecha_tui.control.restart.journal import Entry, Journal, told
from mecha_tui.control.restart.origin import Origin
from mecha_tui.control.restart.plain import restart_plain
from mecha_tui.control.restart.plain_back import wait_until_back
from mecha_tui.control.restart.routed import reload_model
from mecha_tui.control.restart.supervised import restart_supervised
from mecha_tui.control.restart.talk import Talk
from mecha_tui.core.restart import (
    Decide,
    Method,
    Outcome,
    Report,
    RestartOptions,
    RestartPlan,
    Stage,
    Verdict,
    Way,
)
from mecha_tui.core.restart_ways import restart_plan
from mecha_tui.core.server import Props
from mecha_tui.errors import MechaTuiError

TargetOf = Callable[[str], Target]
"""Returns the server at an address, with the key that goes there."""
ConfiguredFor = Callable[[str], Configured]
"""Returns the ``restart_command`` for an address."""

READ_ONLY = "mecha-tui is read-only (--read-only, or read_only in the settings)"


class LocalRestarter:
    """Restarts the servers of this machine, and models behind routers anywhere."""

    def __init__(
        self,
        target_of: TargetOf,
        configured_for: ConfiguredFor,
        state_folder: Path,
        *,
        wanted: Method | None = None,
        is_read_only: bool = False,
        asking: Asking | None = None,
    ) -> None:
        self._target_of = target_of
        self._configured_for = configured_for
        self._state_folder = state_folder
        self._wanted = wanted
        self._is_read_only = is_read_only
        self._asking = asking or Asking()
        self._journal = Journal(state_folder)
        self._course: Course | None = None

    async def plan(self, key: str) -> RestartPlan:
        """Find out which way the server would be restarted."""
        plan, _ = await self._looked(key, self._wanted)
        talk = Talk(self._target_of(plan.url), plan.model_id)
        try:
            return replace(plan, in_flight=await talk.in_flight())
        finally:
            await talk.aclose()

    async def _looked(self, key: str, wanted: Method | None) -> tuple[RestartPlan, Origin | None]:
        facts, origin = await asyncio.to_thread(
            facts_of_server, key, self._configured_for(key.partition("#")[0]), self._asking
        )
        return restart_plan(facts, wanted), origin

    async def run(
        self, plan: RestartPlan, options: RestartOptions, report: Report, decide: Decide
    ) -> Outcome:
        """Do exactly what the plan shows; trouble is told in the outcome."""
        if self._is_read_only:
            return Outcome(Verdict.REFUSED, READ_ONLY)
        if self._course is not None:
            return Outcome(Verdict.REFUSED, "another restart is under way")
        way = plan.chosen
        if way is None or not plan.can_run:
            return Outcome(Verdict.REFUSED, plan.why_not)
        now, origin = await self._looked(plan.key, way.method)
        if (now.chosen, now.pid, now.started_wall_s) != (way, plan.pid, plan.started_wall_s):
            return Outcome(
                Verdict.REFUSED,
                "the server is not as it was when the plan was shown",
                "look at the new plan",
            )
        talk = Talk(self._target_of(plan.url), plan.model_id)
        course = Course(plan, options, report, decide, self._journal, _entry(plan, way))
        course.old_pid = plan.pid
        self._course = course
        try:
            outcome = await self._through(course, way, origin, talk)
        finally:
            self._course = None
            await talk.aclose()
        # Whoever is interrupted before an outcome leaves the entry for the next start to tell.
        self._journal.clear(os.getpid())
        return outcome

    async def _through(
        self, course: Course, way: Way, origin: Origin | None, talk: Talk
    ) -> Outcome:
        """Go through all stages, and tell how it ended."""
        try:
            before = await talk.props()
            if course.options.when_idle_s is not None:
                await wait_until_idle(course, talk, course.options.when_idle_s)
            await self._restart(course, way, origin, talk)
            course.mark(Stage.READY)
            return await self._judged(course, talk, before)
        except StoppedError as error:
            return self._ended(course, Verdict.CANCELLED, str(error))
        except FailedError as error:
            state = await asyncio.to_thread(_state_now, course)
            outcome = self._ended(course, Verdict.NOT_BACK, error.cause, error.next_step)
            return replace(outcome, state_now=state)
        except MechaTuiError as error:
            if course.has_reached(Stage.STOPPED):
                state = await asyncio.to_thread(_state_now, course)
                outcome = self._ended(course, Verdict.NOT_BACK, str(error))
                return replace(outcome, state_now=state)
            return self._ended(course, Verdict.REFUSED, str(error))

    async def _restart(self, course: Course, way: Way, origin: Origin | None, talk: Talk) -> None:
        if way.method is Method.PROCESS:
            if origin is None:
                raise MechaTuiError("how it was started may not be read")
            started = await restart_plain(course, origin, self._state_folder)
            await wait_until_back(course, started, talk)
        elif way.method is Method.ROUTER:
            await reload_model(course, talk)
        else:
            await restart_supervised(course, way, talk)

    async def _judged(self, course: Course, talk: Talk, before: Props | None) -> Outcome:
        """Check that it is the new one and as it was, then judge its speed."""
        problem = await asyncio.to_thread(_identity_problem, course)
        if problem:
            raise FailedError(problem, "look at who listens there, and end what is too much")
        changes = _changes(before, await talk.props())
        outcome = self._ended(course, Verdict.UNKNOWN, "no usual speed is known yet")
        return replace(outcome, changes=changes, load_s=_load_s(course))

    def _ended(self, course: Course, verdict: Verdict, cause: str, next_step: str = "") -> Outcome:
        return Outcome(
            verdict,
            cause,
            next_step,
            marks=course.progress.marks,
            old_pid=course.old_pid,
            new_pid=course.new_pid,
            log_name=course.log_name,
            tail=course.tail() if verdict is Verdict.NOT_BACK else (),
        )

    def cancel(self) -> bool:
        """Ask the restart under way to stop; False where that would not be safe."""
        if self._course is None or not self._course.progress.can_cancel:
            return False
        self._course.is_cancelled = True
        return True

    async def left_over(self) -> tuple[str, ...]:
        """Return what a restart cut short left behind; it is told once."""
        words = []
        for entry in self._journal.left_over():
            address = parse_address(entry.url)
            door = Door(address.host, address.port, address.socket_path)
            found = await asyncio.to_thread(listener, door)
            words.append(told(entry, found.pid))
            if not self._is_read_only:
                self._journal.clear(entry.by_pid)
        return tuple(words)

    async def usual_load_s(self, key: str) -> float | None:
        """Return how long loading took, the median of the history; None without one."""
        del key
        return None


def _entry(plan: RestartPlan, way: Way) -> Entry:
    return Entry(
        plan.key,
        plan.url,
        way.method.value,
        way.owner,
        "beginning",
        os.getpid(),
        psutil.Process().create_time(),
        old_pid=plan.pid,
        old_started_wall_s=plan.started_wall_s,
        began_wall_s=time.time(),
    )


def _identity_problem(course: Course) -> str:
    """Return what is wrong with who listens now; empty when it is the new server alone."""
    url = course.plan.url
    facts = LocalProcesses()(parse_address(url).url)
    if facts.process is None:
        return facts.why_no_process if "several" in facts.why_no_process else ""
    seen = facts.process.pid, facts.process.started_wall_s
    if course.old_pid is not None and seen == (course.old_pid, course.plan.started_wall_s):
        return f"the old server (pid {course.old_pid}) still answers"
    if course.new_pid is not None and facts.process.pid != course.new_pid:
        return f"pid {facts.process.pid} answers, which is not the one that was started"
    return ""


def _changes(before: Props | None, after: Props | None) -> tuple[str, ...]:
    """Return what the server says otherwise than before."""
    if before is None or after is None:
        return ()
    pairs = (
        ("model", before.model_path, after.model_path),
        ("build", before.build, after.build),
        ("slots", before.slot_count, after.slot_count),
        ("window", before.slot_window_tokens, after.slot_window_tokens),
    )
    return tuple(f"{name}: {then} → {now}" for name, then, now in pairs if then != now)


def _load_s(course: Course) -> float | None:
    at_s = {mark.stage: mark.at_s for mark in course.progress.marks}
    began_s = at_s.get(Stage.LOADING, at_s.get(Stage.STOPPED))
    return None if began_s is None else at_s[Stage.READY] - began_s


def _state_now(course: Course) -> str:
    """Return who listens at the server's address now, in words."""
    address = parse_address(course.plan.url)
    found = listener(Door(address.host, address.port, address.socket_path))
    if found.pid is None:
        return "no server listens there now"
    which = "the old server" if found.pid == course.old_pid else "a server"
    return f"{which} (pid {found.pid}) listens there now"
