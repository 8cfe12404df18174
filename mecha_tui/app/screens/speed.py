"""The speed of the last minutes."""

from __future__ import annotations

from mecha_tui.app.screens.page_screen import PageScreen
from mecha_tui.present.pages.page import Page, content_size
from mecha_tui.present.pages.speed import speed_page
from mecha_tui.present.view import View


class SpeedScreen(PageScreen):
    """Both charts."""

    def page(self, view: View, width: int) -> Page:
        """Return charts as high as the screen."""
        return speed_page(view, width, content_size(*self.app.size)[1])
