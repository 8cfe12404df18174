"""What a server's log tells, as events that do not flood."""

from __future__ import annotations

from mecha_tui.core.events import Event, EventKind
from mecha_tui.core.log_lines import LogFact, LogKind
from mecha_tui.core.server_log import LogPicture, Tally

QUIET_S = 60.0
"""A kind of line that comes again and again is told of once in this time."""


def log_events(log: LogPicture, now_s: float, wall_s: float) -> tuple[LogPicture, list[Event]]:
    """Return the events that are due, and the log picture in which they are told."""
    events = []
    for kind in LogKind:
        tally = log.of(kind)
        if tally.count == tally.announced or not tally.newest:
            continue
        if tally.announced_s is not None and now_s - tally.announced_s < QUIET_S:
            continue
        detail = _sentence(tally.newest[0].fact)
        events.append(Event(wall_s, EventKind.LOG, kind.value, f"{detail}{_more(tally)}"))
        log = log.with_tally(kind, tally.with_announced(now_s))
    return log, events


def _more(tally: Tally) -> str:
    more = tally.count - tally.announced - 1
    return f" · and {more:,} more like it" if more else ""


def _sentence(fact: LogFact) -> str:
    if fact.kind is LogKind.OVERFLOWED:
        return "a request died: the context that all slots share was full"
    if fact.kind is LogKind.REPROCESSED:
        return f"slot {fact.slot_id} read its whole prompt again: no checkpoint reached back"
    if fact.prompt_tokens is None or fact.window_tokens is None:
        return "a request was refused: it is longer than a slot"
    return (
        f"a request of {fact.prompt_tokens:,} tokens was refused: "
        f"a slot holds {fact.window_tokens:,}"
    )
