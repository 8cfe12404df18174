"""Every server in one row: which is busy, full, slow or gone."""

from __future__ import annotations

from mecha_tui.core.agreement import Verdict
from mecha_tui.core.picture import ServerPicture
from mecha_tui.present import numbers
from mecha_tui.present.clean import clean
from mecha_tui.present.pages.page import Page
from mecha_tui.present.text import Line, Part, Tone, bold, cut, faded, filled, line, lit, muted
from mecha_tui.present.view import View
from mecha_tui.present.words import (
    AGREE_SIGN,
    SEVERITY_SIGNS,
    UNKNOWN_SIGN,
    server_name,
    state_sign,
)

_Columns = tuple[tuple[str, int], ...]

_COLUMNS: _Columns = (
    ("", 4),
    ("state", 16),
    ("busy", 8),
    ("model", 26),
    ("waiting", 9),
    ("fullest", 9),
    ("numbers", 12),
    ("tok/s", 9),
    ("seen", 8),
)
_ADDRESS_CELLS = 16
"""An address in fewer cells tells nothing."""
_LEAST = ("", "state", "busy", "model")
"""What is left on a narrow screen."""


def overview_page(view: View, width: int, first: int = 0) -> Page:
    """Return the page: a heading, and one row for each server in their order."""
    columns = _columns(width)
    room = width - sum(cells for _, cells in columns)
    heading = [filled(line(muted(name)), cells) for name, cells in columns]
    lines = [cut(line("  ", *heading, muted("address" if room >= _ADDRESS_CELLS else "")), width)]
    for number, picture in enumerate(view.pictures, 1):
        lines.append(_row(view, picture, number, columns, width))
    note = line(muted(f"{len(view.pictures)} servers"))
    return Page(line(bold("servers")), lines, first, note)


def _columns(width: int) -> _Columns:
    """Return the columns that fit; from the right, those go first that matter least."""
    columns = _COLUMNS
    while sum(cells for _, cells in columns) + 2 > width and columns[-1][0] not in _LEAST:
        columns = columns[:-1]
    return columns


def _row(view: View, picture: ServerPicture, number: int, columns: _Columns, width: int) -> Line:
    cells = _cells(picture, number)
    is_chosen = view.picture is not None and picture.key == view.picture.key
    mark = bold("› ", Tone.ACCENT) if is_chosen else Part("  ")
    drawn = [filled(cut(cells[name], room - 1), room) for name, room in columns]
    room = width - sum(cells for _, cells in columns)
    address = picture.url.removeprefix("http://") if room >= _ADDRESS_CELLS else ""
    whole = cut(line(mark, *drawn, muted(address)), width)
    whole = faded(whole) if picture.is_lost else whole
    return lit(filled(whole, width)) if is_chosen else whole


def _cells(picture: ServerPicture, number: int) -> dict[str, Line]:
    sign = state_sign(picture)
    return {
        "": line(muted(str(number))),
        "state": line(Part(str(sign), sign.tone)),
        "model": line(clean(server_name(picture))),
        "busy": line(busy_of(picture)),
        "waiting": line(numbers.tokens(picture.waiting.count)),
        "fullest": line(_fullest(picture)),
        "numbers": _verdict(picture),
        "tok/s": line(numbers.rate(picture.writing_tokens_per_s)),
        "seen": line(numbers.UNKNOWN if picture.age_s is None else numbers.age(picture.age_s)),
    }


def busy_of(picture: ServerPicture) -> str:
    """Return how many slots work, of how many."""
    return f"{numbers.tokens(picture.busy)}/{len(picture.slots) or numbers.UNKNOWN}"


def _fullest(picture: ServerPicture) -> str:
    ratios = [one.fuel.ratio for one in picture.slots if one.fuel.ratio is not None]
    return numbers.percent(max(ratios, default=None))


def _verdict(picture: ServerPicture) -> Line:
    verdict = picture.agreement.verdict
    if verdict is Verdict.AGREE:
        return line(Part(str(AGREE_SIGN), AGREE_SIGN.tone))
    if verdict is Verdict.UNKNOWN:
        return line(muted(str(UNKNOWN_SIGN)))
    sign = SEVERITY_SIGNS[picture.agreement.disagreements[0].severity]
    return line(Part(f"{sign.symbol} disagree", sign.tone))
