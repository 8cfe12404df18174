"""Every server in one row, to choose from."""

from __future__ import annotations

from dataclasses import replace

from mecha_tui.app.key_uses import bindings
from mecha_tui.app.keys import Place
from mecha_tui.app.screens.page_screen import PageScreen
from mecha_tui.present.frame import Frame
from mecha_tui.present.pages.overview import overview_page
from mecha_tui.present.pages.page import Page, content_size
from mecha_tui.present.view import Hit, View

_ABOVE = 2
"""Lines above the page's first: the header and the border."""


class OverviewScreen(PageScreen, inherit_bindings=False):
    """The servers; the chosen one is the one that the dashboard shows."""

    BINDINGS = bindings(Place.OVERVIEW)
    PLACES = (Place.OVERVIEW,)

    def page(self, view: View, width: int) -> Page:
        """Return the page."""
        return overview_page(view, width, self.first)

    def frame(self, view: View, width: int, height: int) -> Frame:
        """Return the page, scrolled so that the chosen server is on it."""
        room = max(1, content_size(width, height)[1])
        self.first = max(min(self.first, view.position), view.position - room + 1)
        if view.position == 1:
            self.first = 0
        frame = super().frame(view, width, height)
        rows = tuple(
            Hit(0, _ABOVE + 1 + index - self.first, width, action=f"show({index})")
            for index in range(len(view.pictures))
            if self.first <= index + 1 < self.first + room
        )
        return replace(frame, hits=(*frame.hits, *rows))

    def action_move(self, step: int) -> None:
        """Choose another server."""
        self.desk.next_server(step)
        self.draw()

    def action_show(self, index: int) -> None:
        """Show the dashboard of a server by its place, from zero."""
        if self.desk.choose_server(index):
            self.app.pop_screen()
