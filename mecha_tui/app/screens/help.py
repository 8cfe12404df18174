"""The keys."""

from __future__ import annotations

from mecha_tui.app.keys import KEYS
from mecha_tui.app.screens.page_screen import PageScreen
from mecha_tui.present.pages.help import KeyHelp, help_page
from mecha_tui.present.pages.page import Page
from mecha_tui.present.view import View


class HelpScreen(PageScreen):
    """Every key there is, by where it works."""

    def page(self, view: View, width: int) -> Page:  # noqa: ARG002
        """Return the page made from the table of keys."""
        order = list(dict.fromkeys(key.place for key in KEYS))
        keys = sorted(KEYS, key=lambda key: order.index(key.place))
        rows = [KeyHelp(key.place.value, key.names, key.tooltip) for key in keys]
        return help_page(rows, width, self.first)
