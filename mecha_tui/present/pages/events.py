"""Everything that happened, in whole sentences."""

from __future__ import annotations

from mecha_tui.present.pages.page import Page
from mecha_tui.present.panels.events_panel import event_paragraph
from mecha_tui.present.text import bold, line, muted
from mecha_tui.present.view import View


def events_page(view: View, width: int, first: int = 0) -> Page:
    """Return the page, newest first."""
    events = view.picture.events if view.picture else ()
    lines = [each for event in events for each in event_paragraph(event, width)]
    return Page(line(bold("5 events")), lines or [line(muted("nothing yet"))], first)
