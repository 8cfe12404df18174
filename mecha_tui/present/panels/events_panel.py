"""What happened, newest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from mecha_tui.core.events import Event, EventKind
from mecha_tui.present import numbers
from mecha_tui.present.text import Line, Part, cut, line, muted, width_of, wrapped
from mecha_tui.present.words import event_sign, event_text

_WIDE_CELLS = 40


def events_lines(events: Sequence[Event], width: int, room: int) -> list[Line]:
    """Return as many events as fit, whole where there is room; a queue that came again is one."""
    events = collapsed(events)
    if not events:
        return [line(muted("nothing yet"))][:room]
    if len(events) <= room:  # each takes a line at least, so more need not be broken into lines
        whole = [each for event in events for each in event_paragraph(event, width)]
        if len(whole) <= room:
            return whole
    return [cut(line(*_start(event, width), event_text(event)), width) for event in events[:room]]


def collapsed(events: Sequence[Event]) -> list[Event]:
    """Return the events with every run of queues told as one, with how often it was."""
    kept: list[Event] = []
    for kind, found in groupby(events, key=lambda event: event.kind):
        run = list(found)
        if kind is EventKind.QUEUE and len(run) > 1:
            since = numbers.clock(run[-1].wall_s)
            run = [replace(run[0], detail=f"{len(run)} times since {since}")]
        elif kind in (EventKind.TASK, EventKind.REREAD) and len(run) > 1:
            since = numbers.clock(run[-1].wall_s)
            more = f"{len(run) - 1} more since {since}"
            run = [replace(run[0], detail=f"{run[0].detail} · {more}" if run[0].detail else more)]
        kept += run
    return kept


def event_paragraph(event: Event, width: int) -> list[Line]:
    """Return one event in as many lines as its sentence takes."""
    start = line(*_start(event, width))
    indent = width_of(start)
    text = wrapped(event_text(event), width - indent)
    return [line(start if at == 0 else " " * indent, one) for at, one in enumerate(text)]


def _start(event: Event, width: int) -> tuple[Part, Part]:
    """Return an event's time and sign; a narrow line leaves the seconds out."""
    sign = event_sign(event)
    when = numbers.clock_with_seconds if width >= _WIDE_CELLS else numbers.clock
    return muted(f"{when(event.wall_s)} "), Part(f"{sign.symbol} ", sign.tone)
