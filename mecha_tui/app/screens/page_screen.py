"""A screen over the dashboard that scrolls one page of lines."""

from __future__ import annotations

from abc import abstractmethod

from mecha_tui.app.key_uses import bindings
from mecha_tui.app.keys import Place
from mecha_tui.app.screens.picture_screen import PictureScreen
from mecha_tui.present.frame import Frame
from mecha_tui.present.pages.page import Page, content_size, last_first, page_frame
from mecha_tui.present.view import View

_EVERY_LINE = 1_000_000


class PageScreen(PictureScreen):
    """A page and how far it is scrolled."""

    BINDINGS = bindings(Place.PAGE)
    PLACES: tuple[Place, ...] = (Place.PAGE,)

    first = 0
    """The first line shown."""

    @abstractmethod
    def page(self, view: View, width: int) -> Page:
        """Return the page for content of this many cells."""

    def frame(self, view: View, width: int, height: int) -> Frame:
        """Return the page cut to the screen."""
        page = self.page(view, content_size(width, height)[0])
        self.first = max(0, min(self.first, last_first(page, height)))
        return page_frame(view, page, width, height)

    def on_mouse_scroll_down(self) -> None:
        """Scroll down."""
        self.action_scroll_by(1)

    def on_mouse_scroll_up(self) -> None:
        """Scroll up."""
        self.action_scroll_by(-1)

    def action_scroll_by(self, lines: int) -> None:
        """Scroll some lines."""
        self.first = max(0, self.first + lines)
        self.draw()

    def action_scroll_page(self, direction: int) -> None:
        """Scroll a page."""
        self.action_scroll_by(direction * max(1, content_size(*self.app.size)[1] - 1))

    def action_scroll_to_end(self, direction: int) -> None:
        """Go to the top or to the bottom."""
        self.action_scroll_by(direction * _EVERY_LINE)
