"""What the tasks of the last look are worth telling."""

from __future__ import annotations

from mecha_tui.core.agreement.findings import Severity
from mecha_tui.core.events import Event, EventKind
from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.task_log import ContentChange
from mecha_tui.core.tasks import Task

LONG_S = 5.0
"""A task that took longer is told when it ends; a shorter one only when it was cut."""
TASK_EVENT_LIMIT = 60
"""Events of tasks that are kept, so that they drive nothing else out of the list."""

_OF_TASKS = frozenset({EventKind.TASK, EventKind.CUT, EventKind.REREAD, EventKind.CONTENT})


def task_events(before: ServerPicture | None, picture: ServerPicture) -> list[Event]:
    """Return what is new of the tasks, oldest first."""
    log, wall_s = picture.tasks, picture.now_wall_s
    events: list[Event] = []
    if before is None or before.tasks is not log:
        events += [_ended(task, wall_s) for task in log.new if task.is_cut or _is_long(task)]
        events += [_changed(one, wall_s) for one in log.new_changes if not one.was_for_a_task]
        if before is not None and before.thrash is not None:
            events += [_reread(task, wall_s) for task in log.new_rereads]
    then = None if before is None else before.thrash
    for kind, one, other in (
        (EventKind.FINDING, picture.thrash, then),
        (EventKind.CURED, then, picture.thrash),
    ):
        if one is not None and other is None:
            found = one.finding
            events.append(Event(wall_s, kind, found.code, found.message, found.severity))
    return events


def without_overflow(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Return events, newest first, of which only so many are of tasks."""
    kept, count = [], 0
    for event in events:
        count += event.kind in _OF_TASKS
        if event.kind not in _OF_TASKS or count <= TASK_EVENT_LIMIT:
            kept.append(event)
    return tuple(kept)


def deeds(task: Task) -> str:
    """Return in words what a task reused, read and wrote, and how long it took."""
    least = ">" if task.is_partial else ""
    parts = []
    for word, tokens in (
        ("reused", task.reused_tokens),
        ("read", task.read_tokens),
        ("wrote", task.written_tokens),
    ):
        about = least if word != "reused" else ""
        parts.append(f"{word} {'–' if tokens is None else f'{about}{tokens:,}'}")
    took = "" if task.seconds is None else f" in {task.seconds:,.0f} s"
    return ", ".join(parts) + took


def _is_long(task: Task) -> bool:
    return task.seconds is not None and task.seconds >= LONG_S


def _ended(task: Task, wall_s: float) -> Event:
    subject = f"slot {task.slot_id}"
    if not task.is_cut:
        return Event(wall_s, EventKind.TASK, subject, deeds(task))
    subject += f" cut at the wall at {task.window_tokens or 0:,}"
    return Event(wall_s, EventKind.CUT, subject, deeds(task), Severity.WARNING)


def _changed(change: ContentChange, wall_s: float) -> Event:
    word = "restored" if change.after_tokens else "erased"
    held = f"{change.before_tokens:,} tokens held, now {change.after_tokens:,}"
    return Event(wall_s, EventKind.CONTENT, f"slot {change.slot_id} {word}", held)


def _reread(task: Task, wall_s: float) -> Event:
    tokens = 0 if task.reread is None else task.reread.tokens
    seconds = None if task.reread is None else task.reread.seconds
    took = None if seconds is None else f"about {seconds:.1f} s"
    subject = f"slot {task.slot_id} read {tokens:,} tokens again"
    return Event(wall_s, EventKind.REREAD, subject, took)
