"""The keys, and what the signs on the screen mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mecha_tui.present.pages.page import Page
from mecha_tui.present.text import EMPTY, Line, Part, Tone, bold, cut, line, muted
from mecha_tui.present.words import PHASE_SIGNS, STATE_SIGNS


@dataclass(frozen=True, slots=True)
class KeyHelp:
    """One key in the help."""

    place: str
    shown: str
    tooltip: str


_LEGEND = (
    ("━", Tone.ACCENT, "tokens held, on the scale of what the client was promised"),
    ("%", Tone.TEXT, "of what may be held: the slot's window, or the promise where it is less"),
    ("┼", Tone.MUTED, "where the client compacts its transcript"),
    ("┤", Tone.MUTED, "the slot's real end, short of what the client was promised"),
    ("╱", Tone.MUTED, "promised to the client, but beyond the slot's real end"),
    ("┄", Tone.MUTED, "the server does not say how much is held"),
    ("–", Tone.MUTED, "unknown; the details tell why"),
    ("∞", Tone.MUTED, "no limit"),
    ("✓", Tone.GOOD, "agrees"),
    ("✗", Tone.ERROR, "disagrees: requests will fail"),
    ("!", Tone.WARNING, "disagrees: something is lost or wasted"),
)


def help_page(keys: Sequence[KeyHelp], width: int, first: int = 0) -> Page:
    """Return the page."""
    lines: list[Line] = []
    place = ""
    for key in keys:
        if key.place != place:
            place = key.place
            lines += [EMPTY] if lines else []
            lines.append(line(bold(place)))
        lines.append(cut(line("  ", bold(f"{key.shown:<10}", Tone.ACCENT), key.tooltip), width))
    lines += [EMPTY, line(bold("signs"))]
    for glyph, tone, meaning in _LEGEND:
        lines.append(cut(line("  ", Part(f"{glyph:<10}", tone), meaning), width))
    for sign in (*PHASE_SIGNS.values(), *STATE_SIGNS.values()):
        lines.append(
            cut(line("  ", Part(f"{sign.symbol:<10}", sign.tone), muted(sign.word)), width)
        )
    return Page(line(bold("? help")), lines, first)
