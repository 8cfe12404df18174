"""What happened, newest first."""

from __future__ import annotations

from collections.abc import Sequence

from mecha_tui.core.events import Event
from mecha_tui.present import numbers
from mecha_tui.present.text import Line, Part, cut, line, muted
from mecha_tui.present.words import event_sign, event_text


def events_lines(events: Sequence[Event], width: int, room: int) -> list[Line]:
    """Return as many events as fit, one line each."""
    if not events:
        return [line(muted("nothing yet"))][:room]
    return [event_line(event, width) for event in events[: max(0, room)]]


def event_line(event: Event, width: int) -> Line:
    """Return one event with its time; a narrow line leaves the seconds out."""
    sign = event_sign(event)
    when = numbers.clock_with_seconds if width >= 40 else numbers.clock
    time = muted(f"{when(event.wall_s)} ")
    return cut(line(time, Part(f"{sign.symbol} ", sign.tone), event_text(event)), width)
