"""Judges the last turns of a server, and marks the slots that they concern."""

from __future__ import annotations

from dataclasses import replace

from mecha_tui.core.picture import ServerPicture, SlotPicture
from mecha_tui.core.task_log import TaskLog, with_rereads
from mecha_tui.core.thrash import pattern
from mecha_tui.core.thrash_causes import Evidence, thrash


def with_thrash(picture: ServerPicture) -> ServerPicture:
    """Return the picture with the suspicion that its last turns support, or without one.

    The turns of a pattern are then told as what was read again.
    """
    log = picture.tasks
    suspicion = None
    found = pattern(log.memory.visits, picture.now_s)
    if found is not None:
        since_s = found.visits[0].at_s
        changes = tuple(one for one in log.changes if one.at_s >= since_s)
        suspicion = thrash(Evidence(found, picture.numbers, changes))
    if suspicion is not None:
        rate = picture.counters.reading_tokens_per_s if picture.counters else None
        log = with_rereads(log, suspicion.pattern.visits, picture.now_s, rate)
    slots = tuple([_marked(one, log) for one in picture.slots])
    return replace(picture, tasks=log, thrash=suspicion, slots=slots)


def _marked(one: SlotPicture, log: TaskLog) -> SlotPicture:
    """Return a slot with what is known of its task, running or last."""
    number = one.slot.slot_id
    running, last = log.running.get(number), log.last_of(number)
    again = running.reread if running is not None else last.reread if last is not None else None
    tokens = None if again is None else again.tokens
    was_cut = running is None and last is not None and last.is_cut
    if (one.reread_tokens, one.was_cut) == (tokens, was_cut):
        return one
    return replace(one, reread_tokens=tokens, was_cut=was_cut)
