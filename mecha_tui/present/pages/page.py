"""A screen over the dashboard: one panel of lines that scrolls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mecha_tui.present.frame import Frame
from mecha_tui.present.panel import INSET, panel
from mecha_tui.present.panels.footer import footer
from mecha_tui.present.panels.header import header
from mecha_tui.present.text import (
    EMPTY,
    Line,
    Part,
    bold,
    cut,
    faint,
    filled,
    line,
    muted,
    width_of,
)
from mecha_tui.present.view import View

LABEL = 13
"""Cells that a name at the beginning of a line takes."""
_CHROME = 4
"""Lines that are not content: header, two borders, keys."""


@dataclass(frozen=True, slots=True)
class Page:
    """What a page shows, before it is cut to the screen."""

    title: Line
    lines: Sequence[Line]
    first: int = 0
    """The first line shown."""
    note: Line = EMPTY
    """What stands in the lower border before the place within the page."""


def content_size(width: int, height: int) -> tuple[int, int]:
    """Return cells and lines that a page's content has on a screen of this size."""
    return (width - 2 * INSET, height - _CHROME) if height > _CHROME else (width, height)


def last_first(page: Page, height: int) -> int:
    """Return how far the page can be scrolled."""
    return max(0, len(page.lines) - content_size(0, height)[1])


def page_frame(view: View, page: Page, width: int, height: int) -> Frame:
    """Return the page in exactly ``height`` lines of ``width`` cells."""
    first = max(0, min(page.first, last_first(page, height)))
    room = content_size(width, height)[1]
    shown = page.lines[first : first + max(0, room)]
    if height <= _CHROME:
        lines = [filled(one, width) for one in (*shown, *[EMPTY] * height)][: max(0, height)]
        return Frame(tuple(lines))
    place = _place(first, len(shown), len(page.lines))
    place = line(page.note, "  " if page.note and place else "", place)
    body = panel(page.title, shown, width, height - 2, footer=place)
    keys, hits = footer(view.hints, width, height - 1)
    lines = [header(view, width), *body, keys]
    return Frame(tuple(filled(one, width) for one in lines), tuple(hits))


def _place(first: int, shown: int, total: int) -> Line:
    if shown >= total:
        return EMPTY
    arrows = ("↑" if first else "") + ("↓" if first + shown < total else "")
    return line(muted(f"{arrows} {first + 1}–{first + shown} of {total}"))


def heading(text: str, width: int) -> Line:
    """Return a line that begins a section."""
    words = line(bold(text), " ")
    return cut(line(words, faint("─" * max(0, width - width_of(words)))), width)


def labelled(label: str, *value: str | Part | Line) -> Line:
    """Return a line that begins with the name of what follows."""
    return line(muted(f"{label:<{LABEL}}"), *value)
