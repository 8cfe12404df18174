"""Live slot inspection."""

from __future__ import annotations

from mecha_tui.app.key_uses import bindings
from mecha_tui.app.keys import Place
from mecha_tui.app.screens.page_screen import PageScreen
from mecha_tui.present.pages.inspection import inspection_page
from mecha_tui.present.pages.page import Page
from mecha_tui.present.view import View


class InspectionScreen(PageScreen):
    """Everything about the chosen slot, as it changes."""

    BINDINGS = bindings(Place.PAGE, Place.INSPECTION)
    PLACES = (Place.INSPECTION, Place.PAGE)

    def page(self, view: View, width: int) -> Page:
        """Return the page."""
        return inspection_page(view, width, self.first)
