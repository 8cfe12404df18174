"""The keys."""

from __future__ import annotations

from mecha_tui.app.keys import KEYS_BY_PLACE
from mecha_tui.app.screens.page_screen import PageScreen
from mecha_tui.present.pages.help import KeyHelp, help_page
from mecha_tui.present.pages.page import Page
from mecha_tui.present.view import View


class HelpScreen(PageScreen):
    """Every key there is, by where it works."""

    def page(self, view: View, width: int) -> Page:  # noqa: ARG002
        """Return the page made from the table of keys."""
        rows = [
            KeyHelp(place.value, key.names, key.tooltip)
            for place, keys in KEYS_BY_PLACE.items()
            for key in keys
        ]
        return help_page(rows, width, self.first)
