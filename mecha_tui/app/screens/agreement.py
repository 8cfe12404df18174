"""Why the numbers agree or not."""

from __future__ import annotations

from mecha_tui.app.key_uses import bindings
from mecha_tui.app.keys import Place
from mecha_tui.app.screens.page_screen import PageScreen
from mecha_tui.present.pages.agreement import agreement_page, cure_line_number, cures
from mecha_tui.present.pages.page import Page, content_size
from mecha_tui.present.text import Tone, bold, line
from mecha_tui.present.view import View


class AgreementScreen(PageScreen):
    """The numbers with their sources, and the findings with their cures."""

    BINDINGS = bindings(Place.PAGE, Place.AGREEMENT)
    PLACES = (Place.AGREEMENT, Place.PAGE)

    chosen = 0
    """Which cure ``y`` copies."""
    copied: str | None = None
    """The line copied last, said in the border until something else is chosen."""

    def page(self, view: View, width: int) -> Page:
        """Return the page."""
        self.chosen = max(0, min(self.chosen, len(cures(view)) - 1))
        page = agreement_page(view, width, self.first, self.chosen)
        if self.copied is None:
            return page
        note = line(bold(f"copied: {self.copied}", Tone.GOOD))
        return Page(page.title, page.lines, page.first, note)

    def action_choose(self, step: int) -> None:
        """Choose another cure and scroll to it."""
        count = len(cures(self.desk.view))
        self.chosen = max(0, min(self.chosen + step, count - 1))
        self.copied = None
        width, height = content_size(*self.app.size)
        at = cure_line_number(self.desk.view, width, self.chosen)
        if at is not None and not self.first <= at < self.first + height:
            self.first = max(0, at - height // 2)
        self.draw()

    def action_copy(self) -> None:
        """Copy the chosen cure."""
        found = cures(self.desk.view)
        if self.chosen < len(found):
            self.copied = found[self.chosen].line
            self.app.copy_to_clipboard(self.copied)
            self.draw()
