"""One line with every server in a few cells, where there are several."""

from __future__ import annotations

from mecha_tui.core.picture import ServerPicture
from mecha_tui.present.clean import clean
from mecha_tui.present.pages.overview import busy_of
from mecha_tui.present.text import Line, Part, cut, filled, line, muted, width_of
from mecha_tui.present.view import View
from mecha_tui.present.words import server_name, state_sign

LEAST_LINES = 20
"""A smaller screen has no line to spare."""
_NAME_CELLS = 16


def strip_lines(view: View, width: int, height: int) -> list[Line]:
    """Return the line, or none where there is one server, or no room.

    The chosen server is always in it; how many do not fit is told at the ends.
    """
    pictures = view.pictures
    if len(pictures) < 2 or height < LEAST_LINES or view.picture is None:
        return []
    chosen = view.position - 1
    first, last = _span([width_of(_piece(one, is_chosen=True)) for one in pictures], chosen, width)
    before = muted(f" ‹{first}") if first else ""
    after = muted(f" {len(pictures) - last}›") if last < len(pictures) else ""
    pieces = [
        _piece(one, is_chosen=first + index == chosen)
        for index, one in enumerate(pictures[first:last])
    ]
    return [filled(cut(line(before, *pieces, after), width), width)]


def _span(widths: list[int], chosen: int, width: int) -> tuple[int, int]:
    """Return the first and the one after the last that fit around the chosen one."""
    room = width - 10
    first, last = chosen, chosen + 1
    used = widths[chosen]
    while True:
        if last < len(widths) and used + widths[last] <= room:
            used += widths[last]
            last += 1
        elif first > 0 and used + widths[first - 1] <= room:
            first -= 1
            used += widths[first]
        else:
            return first, last


def _piece(picture: ServerPicture, *, is_chosen: bool) -> Line:
    sign = state_sign(picture)
    name = cut(line(clean(server_name(picture))), _NAME_CELLS)
    words = line(name, " ", busy_of(picture))
    mark = "›" if is_chosen else " "
    text = "".join(part.text for part in words)
    shown = Part(text, is_bold=True) if is_chosen else muted(text)
    return line(f" {mark}", Part(sign.symbol, sign.tone), " ", shown, " ")
