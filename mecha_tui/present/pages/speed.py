"""Writing and reading over the last minutes, as large as the screen allows."""

from __future__ import annotations

from mecha_tui.present.pages.page import Page
from mecha_tui.present.panels.speed_panel import speed_lines
from mecha_tui.present.text import bold, line, muted
from mecha_tui.present.view import View


def speed_page(view: View, width: int, height: int) -> Page:
    """Return the page for content of this size."""
    title = line(bold("3 speed"))
    if view.picture is None:
        return Page(title, [line(muted("Waiting for the first look."))])
    return Page(title, speed_lines(view.picture, width, height, highest=height))
