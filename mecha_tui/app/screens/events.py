"""Everything that happened."""

from __future__ import annotations

from mecha_tui.app.screens.page_screen import PageScreen
from mecha_tui.present.pages.events import events_page
from mecha_tui.present.pages.page import Page
from mecha_tui.present.view import View


class EventsScreen(PageScreen):
    """The whole list of events."""

    def page(self, view: View, width: int) -> Page:
        """Return the page."""
        return events_page(view, width, self.first)
