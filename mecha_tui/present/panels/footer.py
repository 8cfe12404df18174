"""The last line: the keys."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from mecha_tui.present.text import Line, Tone, bold, filled, line, muted, width_of
from mecha_tui.present.view import Hint, Hit

_KEPT = 2
"""The last hints, help and the way out, are kept when others have to go."""


@lru_cache(maxsize=32)
def footer(hints: tuple[Hint, ...], width: int, y: int) -> tuple[Line, tuple[Hit, ...]]:
    """Return the key hints in exactly ``width`` cells, and where each answers a click.

    Args:
        hints: In order; those in the middle go first when there is no room.
        width: Cells.
        y: The line's number on the screen, for the clicks.
    """
    shown = list(hints)
    while len(shown) > _KEPT and width_of(_joined(shown)) > width:
        del shown[-_KEPT - 1]
    hits, x = [], 1
    for hint in shown:
        cells = width_of(_drawn(hint))
        hits.append(Hit(x, y, cells, action=hint.action))
        x += cells + 2
    return filled(_joined(shown), width), tuple(hits)


def _joined(hints: Sequence[Hint]) -> Line:
    pieces: list[str | Line] = [" "]
    for index, hint in enumerate(hints):
        pieces += ["  "] if index else []
        pieces.append(_drawn(hint))
    return line(*pieces)


def _drawn(hint: Hint) -> Line:
    return line(bold(hint.shown, Tone.ACCENT), muted(f" {hint.word}"))
