"""Everything that happened, in whole sentences."""

from __future__ import annotations

from mecha_tui.core.events import Event
from mecha_tui.present import numbers
from mecha_tui.present.pages.page import Page
from mecha_tui.present.text import Line, Part, bold, line, muted, wrapped
from mecha_tui.present.view import View
from mecha_tui.present.words import event_sign, event_text

_TIME = 11


def events_page(view: View, width: int, first: int = 0) -> Page:
    """Return the page, newest first."""
    events = view.picture.events if view.picture else ()
    lines = [each for event in events for each in _lines(event, width)]
    return Page(line(bold("5 events")), lines or [line(muted("nothing yet"))], first)


def _lines(event: Event, width: int) -> list[Line]:
    sign = event_sign(event)
    start = line(
        muted(f"{numbers.clock_with_seconds(event.wall_s)} "), Part(f"{sign.symbol} ", sign.tone)
    )
    text = wrapped(event_text(event), width - _TIME)
    return [line(start if at == 0 else " " * _TIME, one) for at, one in enumerate(text)]
