"""Where the memory is."""

from __future__ import annotations

from mecha_tui.app.screens.page_screen import PageScreen
from mecha_tui.present.pages.memory import memory_page
from mecha_tui.present.pages.page import Page
from mecha_tui.present.view import View


class MemoryScreen(PageScreen):
    """Figures with their sources."""

    def page(self, view: View, width: int) -> Page:
        """Return the page."""
        return memory_page(view, width, self.first)
