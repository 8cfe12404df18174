"""Thin bars: a slot's fuel gauge with its marks, and one bar of several kinds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from mecha_tui.core.fuel import Fuel
from mecha_tui.present.text import EMPTY, Line, Part, Tone

FULL, HALF, REST, UNSURE = "━", "╸", "─", "┄"
MARK, FULL_MARK, WALL, MISSING = "┼", "┿", "┤", "╱"

Cell = tuple[str, Tone]


def gauge(fuel: Fuel, width: int, tone: Tone) -> Line:
    """Return a fuel gauge of exactly ``width`` cells.

    The line ends at the wall when the slot is smaller than the promise; what lies behind
    it does not exist and is drawn as missing. An unknown count is a dotted line, which
    no empty slot looks like.

    Args:
        fuel: What is held, on which scale, and where the marks stand.
        width: Cells to draw; below one there is nothing.
        tone: The tone of the filled part.
    """
    if width < 1:
        return EMPTY
    if not fuel.scale_tokens:
        return (Part(UNSURE * width, Tone.FAINT),)
    end = _wall_cell(fuel, width)
    cells = _filled_cells(fuel, width, end, tone)
    if fuel.compaction_tokens is not None:
        at = min(end - 1, fuel.compaction_tokens * width // fuel.scale_tokens)
        is_full = cells[at][0] in (FULL, HALF)
        cells[at] = (FULL_MARK, tone) if is_full else (MARK, Tone.MUTED)
    if end < width:
        missing = [(MISSING, Tone.FAINT)] * (width - end)
        if len(missing) > 1:
            missing[0] = (WALL, Tone.MUTED)
        cells[end:] = missing
    return joined(cells)


def _wall_cell(fuel: Fuel, width: int) -> int:
    """Return how many cells of the gauge exist: all of them without a wall."""
    if fuel.wall_tokens is None or not fuel.scale_tokens or width < 2:
        return width
    return min(width - 1, max(1, round(fuel.wall_tokens * width / fuel.scale_tokens)))


def _filled_cells(fuel: Fuel, width: int, end: int, tone: Tone) -> list[Cell]:
    if fuel.held_tokens is None or not fuel.scale_tokens:
        return [(UNSURE, Tone.FAINT)] * width
    halves = round(max(0, fuel.held_tokens) * width * 2 / fuel.scale_tokens)
    if fuel.held_tokens > 0:
        halves = max(1, halves)
    halves = min(halves, end * 2)
    full, half = divmod(halves, 2)
    cells = [(FULL, tone)] * full + [(HALF, tone)] * half
    return cells + [(REST, Tone.FAINT)] * (width - len(cells))


def shares(amounts: Sequence[tuple[float, Tone]], whole: float, width: int) -> Line:
    """Return one bar of exactly ``width`` cells with a stretch for each amount.

    Amounts that come to more than the whole are cut at its end; an amount above zero
    gets at least one cell while there is room.

    Args:
        amounts: Each amount with its tone, from the left.
        whole: What the full width stands for; at or below zero nothing is filled.
        width: Cells to draw.
    """
    if width < 1:
        return EMPTY
    cells: list[Cell] = []
    if whole > 0:
        total = 0.0
        for amount, tone in amounts:
            total += max(0.0, amount)
            end = width if total >= whole else round(total * width / whole)
            count = max(end - len(cells), 1 if amount > 0 else 0)
            cells += [(FULL, tone)] * count
    cells = cells[:width]
    return joined(cells + [(REST, Tone.FAINT)] * (width - len(cells)))


def joined(cells: Sequence[Cell]) -> Line:
    """Return single cells as a line with one part for each stretch of one tone."""
    return tuple(
        Part("".join(glyph for glyph, _ in run), tone)
        for tone, run in groupby(cells, key=lambda cell: cell[1])
    )
