"""A report's lines broken between words to a terminal's width, each under its own column."""

from __future__ import annotations

import re

from mecha_tui.present.check import Line, Piece, Tone
from mecha_tui.present.clean import cell_width

_WORDS = re.compile(r"\s*\S+|\s+")


def hanging(line: Line, width: int) -> list[Line]:
    """Return one line as several of at most ``width`` cells where it is longer.

    What goes on stands under the beginning of the line's last piece, or under the line's
    own beginning where that leaves too little room. What is strong, such as a cure that
    one copies, is not broken; a word that is too long stays whole.
    """
    if sum(cell_width(piece.text) for piece in line) <= width:
        return [line]
    indent = _indent(line, width)
    lines: list[list[Piece]] = [[]]
    used = 0
    for piece in line:
        units = [piece.text] if piece.tone is Tone.STRONG else _WORDS.findall(piece.text)
        for unit in units:
            cells = cell_width(unit.rstrip())
            if used + cells > width and lines[-1]:
                lines.append([Piece(" " * indent)])
                unit = unit.lstrip()
                used = indent
            lines[-1].append(Piece(unit, piece.tone))
            used += cell_width(unit)
    return [tuple(one) for one in lines]


def _indent(line: Line, width: int) -> int:
    first, last = line[0].text, line[-1].text
    own = len(first) - len(first.lstrip())
    before = sum(cell_width(piece.text) for piece in line[:-1])
    column = before + len(last) - len(last.lstrip())
    return column if column <= width // 2 else min(own + 2, width // 2)
