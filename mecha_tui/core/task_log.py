"""All tasks of one server: those that run, the last that ended, and what they sum up to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from mecha_tui.core.rereads import NOTHING_KNOWN, VISITS, Memory, Visit, Ways
from mecha_tui.core.slots import Slot
from mecha_tui.core.task_look import Look
from mecha_tui.core.task_totals import Totals
from mecha_tui.core.tasks import (
    Reread,
    Running,
    Task,
    ended,
    so_far,
)

TASK_LIMIT = 500
"""Ended tasks kept of a server."""
SLOT_TASK_LIMIT = 20
"""Ended tasks kept of each slot."""

CHANGES = 20
"""Contents that changed without a task, kept of a server."""


@dataclass(frozen=True, slots=True)
class ContentChange:
    """A slot's content that changed while no task ran there."""

    at_s: float
    slot_id: int
    before_tokens: int
    after_tokens: int
    was_for_a_task: bool
    """Whether a task began elsewhere at the same time: a server with a shared pool then
    clears idle slots by itself."""


@dataclass(frozen=True, slots=True)
class TaskLog:
    """The tasks of one server since it is watched."""

    running: Mapping[int, Running] = field(default_factory=dict)
    """By slot."""
    ended: tuple[Task, ...] = ()
    """Newest first."""
    by_slot: Mapping[int, tuple[Task, ...]] = field(default_factory=dict)
    """The last tasks of each slot, newest first."""
    new: tuple[Task, ...] = ()
    """Those that ended at the last look, oldest first."""
    new_rereads: tuple[Task, ...] = ()
    """Those that are now known to have read again what was held before, oldest first."""
    told: tuple[Visit, ...] = ()
    """The turns that were told as re-reads."""
    changes: tuple[ContentChange, ...] = ()
    """Slots that were emptied or filled without a task, newest last."""
    new_changes: tuple[ContentChange, ...] = ()
    """Those of the last look."""
    memory: Memory = field(default_factory=Memory)
    totals: Totals = field(default_factory=Totals)

    @property
    def open(self) -> tuple[Task, ...]:
        """The tasks that run, in the order of the slots."""
        return tuple(so_far(one) for one in self.running.values())

    def without_news(self) -> TaskLog:
        """Return the log after a round that did not look at the slots."""
        if not (self.new or self.new_rereads or self.new_changes):
            return self
        return replace(self, new=(), new_rereads=(), new_changes=())

    def last_of(self, slot_id: int) -> Task | None:
        """Return the task that ended last in a slot; None if none was seen to."""
        return next(iter(self.by_slot.get(slot_id, ())), None)


def after_look(
    log: TaskLog,
    earlier: Mapping[int, Slot],
    slots: tuple[Slot, ...],
    at_s: float,
    *,
    busy: int | None,
    ways: Ways = NOTHING_KNOWN,
) -> TaskLog:
    """Return the log after one more look at the slots.

    Args:
        log: The log so far.
        earlier: The slots at the look before, by number; empty at first sight.
        slots: The slots now.
        at_s: The monotonic second of the look.
        busy: Slots that are busy now.
        ways: What is known of the model.
    """
    look = Look(at_s, busy, ways, dict(log.running), memory=log.memory)
    if _is_another_server(log.running, slots):
        log = without_server(log, at_s)
        look.running, look.memory, earlier = {}, Memory(), {}
    for slot in slots:
        if slot.is_processing:
            look.take(slot, earlier.get(slot.slot_id))
        elif slot.is_processing is False:
            look.rest(slot, earlier.get(slot.slot_id))
    if look.running:
        present = {slot.slot_id for slot in slots}
        for number in [one for one in look.running if one not in present]:
            look.end(look.running.pop(number), None, is_lost=True)
    return _closed(log, look)


def with_rereads(
    log: TaskLog, visits: tuple[Visit, ...], at_s: float, tokens_per_s: float | None
) -> TaskLog:
    """Return the log with some turns told as re-reads, as far as they were not before.

    Args:
        log: The log so far.
        visits: The turns.
        at_s: The monotonic second.
        tokens_per_s: The server's reading rate, for tasks that gave none of their own.
    """
    fresh = {(one.slot_id, one.task_id): one for one in visits if one not in log.told}
    if not fresh:
        return log

    def marked(task: Task) -> Task:
        visit = fresh.get((task.slot_id, task.task_id))
        return task if visit is None else replace(task, reread=_reread(visit, task, tokens_per_s))

    running = {
        number: replace(one, reread=marked(so_far(one)).reread)
        if (number, one.slot.task_id) in fresh
        else one
        for number, one in log.running.items()
    }
    ended_ = tuple(marked(task) for task in log.ended)
    by_slot = {number: tuple(map(marked, tasks)) for number, tasks in log.by_slot.items()}
    found = [*reversed(ended_), *(so_far(one) for one in running.values())]
    new = tuple(one for one in found if (one.slot_id, one.task_id) in fresh)
    return replace(
        log,
        running=running,
        ended=ended_,
        by_slot=by_slot,
        new_rereads=new,
        told=(*log.told, *fresh.values())[-VISITS:],
        totals=log.totals.with_rereads(new, at_s),
    )


def _reread(visit: Visit, task: Task, tokens_per_s: float | None) -> Reread:
    rate = task.reading_tokens_per_s or tokens_per_s
    return Reread(visit.again_tokens, visit.again_tokens / rate if rate else None)


def without_server(log: TaskLog, at_s: float) -> TaskLog:
    """Return the log after the server was replaced: its tasks are lost, its slots are empty."""
    lost = [ended(one, None, at_s, is_lost=True) for one in log.running.values()]
    return replace(
        _with_ended(log, lost),
        running={},
        memory=Memory(),
        new_rereads=(),
        new_changes=(),
        totals=log.totals.with_tasks(lost),
    )


def _is_another_server(running: Mapping[int, Running], slots: tuple[Slot, ...]) -> bool:
    """Whether a slot runs a task with a lower number than before: a server only counts up."""
    for slot in slots:
        task = running.get(slot.slot_id)
        if task is None or task.slot.task_id is None or slot.task_id is None:
            continue
        if slot.task_id < task.slot.task_id:
            return True
    return False


def _closed(log: TaskLog, look: Look) -> TaskLog:
    changes = tuple(
        ContentChange(look.at_s, slot_id, before, after, look.has_begun)
        for slot_id, before, after in look.changes
    )
    log = _with_ended(log, look.ended)
    return replace(
        log,
        running=look.running,
        memory=look.memory,
        new_rereads=(),
        new_changes=changes,
        changes=(*log.changes, *changes)[-CHANGES:] if changes else log.changes,
        totals=log.totals.with_tasks(look.ended),
    )


def _with_ended(log: TaskLog, tasks: list[Task]) -> TaskLog:
    if not tasks:
        return replace(log, new=()) if log.new else log
    by_slot = dict(log.by_slot)
    for task in tasks:
        by_slot[task.slot_id] = (task, *by_slot.get(task.slot_id, ()))[:SLOT_TASK_LIMIT]
    newest = (*reversed(tasks), *log.ended)[:TASK_LIMIT]
    return replace(log, ended=newest, by_slot=by_slot, new=tuple(tasks))
