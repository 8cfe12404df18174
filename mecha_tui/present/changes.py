"""Which cells of a line have to be drawn again when another line takes its place."""

from __future__ import annotations

from functools import lru_cache

from mecha_tui.present.clean import cell_width
from mecha_tui.present.text import Line, Part, Tone

NEAR = 9
"""Cells between two changes that cost no more to draw again than to move over."""

Cell = tuple[str, int, Tone, bool, bool]
"""A character, which of its cells this is, and its look."""


def changed_spans(before: Line, after: Line) -> list[tuple[int, int]]:
    """Return from which cell to before which cell a line changed, from left to right.

    Changes that are near each other are one. No span begins or ends within a character.
    """
    old, new = _cells(before), _cells(after)
    shared = min(len(old), len(new))
    changed = [x for x in range(len(new)) if x >= shared or old[x] != new[x]]
    spans: list[tuple[int, int]] = []
    for x in changed:
        if spans and x < spans[-1][1] + NEAR:
            spans[-1] = (spans[-1][0], x + 1)
        else:
            spans.append((x, x + 1))
    return spans


def _cells(parts: Line) -> list[Cell]:
    return [cell for part in parts for cell in _part_cells(part)]


@lru_cache(maxsize=1024)
def _part_cells(part: Part) -> tuple[Cell, ...]:
    """Return what each cell of a part shows; most parts are in every frame."""
    characters: list[str] = []
    for character in part.text:
        if characters and not cell_width(character):
            # A mark is drawn over the character before it.
            characters[-1] += character
        else:
            characters.append(character)
    return tuple(
        (
            character,
            index,
            # Blanks of any tone look alike.
            Tone.TEXT if character == " " else part.tone,
            part.is_bold and character != " ",
            part.is_lit,
        )
        for character in characters
        for index in range(cell_width(character))
    )
