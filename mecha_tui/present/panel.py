"""A bordered panel with its title in the upper border and its count in the lower one."""

from __future__ import annotations

from collections.abc import Sequence

from mecha_tui.present.text import EMPTY, Line, Part, Tone, cut, filled, line, width_of

INSET = 2
"""Cells between the panel's edge and its content, on each side."""


def panel(
    title: Line,
    lines: Sequence[Line],
    width: int,
    height: int,
    *,
    tone: Tone = Tone.FAINT,
    footer: Line = EMPTY,
) -> list[Line]:
    """Return a panel of exactly ``height`` lines of ``width`` cells.

    Args:
        title: What stands in the upper border.
        lines: The content; what does not fit is left out.
        width: Cells, the border included.
        height: Lines, the border included.
        tone: The tone of the border.
        footer: What stands in the lower border, at its right.
    """
    if height < 1 or width < 1:
        return []
    if height < 3 or width < 2 * INSET + 1:
        return [filled(one, width) for one in (*lines[:height], *[EMPTY] * height)][:height]
    inner = width - 2 * INSET
    left, right = Part("│ ", tone), Part(" │", tone)
    content = [*lines[: height - 2], *[EMPTY] * (height - 2 - len(lines))]
    return [
        _edge("╭─", "╮", title, width, tone, is_right=False),
        *[(left, *filled(one, inner), right) for one in content],
        _edge("╰", "─╯", footer, width, tone, is_right=True),
    ]


def _edge(start: str, end: str, label: Line, width: int, tone: Tone, *, is_right: bool) -> Line:
    room = width - len(start) - len(end)
    words = cut(label, room - 3)
    if words:
        words = (Part(" "), *words, Part(" "))
    rule = Part("─" * (room - width_of(words)), tone)
    middle = (rule, *words) if is_right else (*words, rule)
    return line(Part(start, tone), middle, Part(end, tone))
