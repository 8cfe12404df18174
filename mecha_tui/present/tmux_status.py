"""One short line for tmux's status line: styled by tmux's own marks, and safe for it."""

from __future__ import annotations

from collections.abc import Iterable

from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.state import ServerState
from mecha_tui.present import numbers
from mecha_tui.present.plain_glyphs import ascii_only
from mecha_tui.present.text import EMPTY, Line, Part, Tone, bold, cut, line, muted, width_of
from mecha_tui.present.words import server_name, state_sign

WIDTH = 40
"""Cells that the line takes at most."""
NAME_CELLS = 12
"""Of these, so many for the model's name where there is one server."""
_STYLES = {
    Tone.ACCENT: "fg=cyan",
    Tone.READING: "fg=blue",
    Tone.WARNING: "fg=yellow",
    Tone.ERROR: "fg=red",
    Tone.GOOD: "fg=green",
}


def tmux_status(pictures: Iterable[ServerPicture], *, is_ascii: bool = False) -> str:
    """Return the servers' states in one line of at most 40 cells.

    Each server is its sign, busy of all slots, how many wait, how full the fullest slot is,
    and how many findings disagree. Servers that do not fit are counted.

    Args:
        pictures: The servers, in the order in which they are to stand.
        is_ascii: Whether to write ASCII only.
    """
    watched = list(pictures)
    shown: Line = EMPTY
    for number, picture in enumerate(watched):
        gap = "  " if shown else ""
        longer = line(shown, gap, _server(picture, is_alone=len(watched) == 1))
        left = len(watched) - number
        if shown and width_of(longer) > WIDTH - (len(f" +{left}") if left > 1 else 0):
            shown = line(shown, muted(f" +{left}"))
            break
        shown = longer
    return "".join(_styled(part, is_ascii=is_ascii) for part in cut(shown, WIDTH))


def _server(picture: ServerPicture, *, is_alone: bool) -> Line:
    sign = state_sign(picture)
    word = "" if picture.condition.state is ServerState.READY else f" {sign.word}"
    pieces: list[str | Part | Line] = [Part(f"{sign.symbol}{word}", sign.tone)]
    if is_alone:
        pieces += [" ", cut(line(server_name(picture)), NAME_CELLS)]
    if picture.slots and not picture.is_lost and picture.condition.state is ServerState.READY:
        pieces += _slots(picture)
    disagree = len(picture.agreement.disagreements)
    if disagree:
        pieces.append(bold(f" ✗{disagree}", Tone.ERROR))
    return line(*pieces)


def _slots(picture: ServerPicture) -> list[str | Part | Line]:
    pieces: list[str | Part | Line] = [f" {numbers.tokens(picture.busy)}/{len(picture.slots)}"]
    if picture.waiting.count:
        about = "" if picture.waiting.is_exact else "≤"
        pieces.append(Part(f" +{about}{picture.waiting.count:,}", Tone.WARNING))
    ratios = [one.fuel.ratio for one in picture.slots if one.fuel.ratio is not None]
    if ratios:
        pieces.append(f" {numbers.percent(max(ratios))}".replace(" %", "%"))
    return pieces


def _styled(part: Part, *, is_ascii: bool) -> str:
    text = (ascii_only(part.text) if is_ascii else part.text).replace("#", "##")
    style = ",".join((*([_STYLES[part.tone]] if part.tone in _STYLES else []), *_weight(part)))
    return f"#[{style}]{text}#[default]" if style else text


def _weight(part: Part) -> tuple[str, ...]:
    return ("bold",) if part.is_bold else ()
