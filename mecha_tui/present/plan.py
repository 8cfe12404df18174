"""How a screen of any size is divided between the panels."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

WIDE_CELLS = 100
NARROW_CELLS = 60
SMALLEST_CELLS = 46
SMALLEST_LINES = 11
COMFORTABLE_LINES = 20
BORDERS = 2


class Layout(Enum):
    """Which arrangement a size allows."""

    SUMMARY = "summary"
    """No panels, only lines."""
    COMPACT = "compact"
    """Numbers and slots in panels, speed and memory in one line each."""
    NORMAL = "normal"
    """Speed beside memory, events below."""
    WIDE = "wide"
    """Speed, memory and events side by side."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The heights of everything, borders included; header and footer take one line each."""

    layout: Layout
    numbers: int = 0
    slots: int = 0
    lower: int = 0
    """The band with speed and memory."""
    events: int = 0
    """Events in a band of their own below; 0 when they stand beside or nowhere."""


def plan(width: int, height: int, number_lines: int, slot_lines: int) -> Plan:
    """Return the plan for one size.

    Args:
        width: Cells.
        height: Lines.
        number_lines: Lines the numbers panel would like to have inside.
        slot_lines: Lines the slots panel would like to have inside.
    """
    if width < SMALLEST_CELLS or height < SMALLEST_LINES:
        return Plan(Layout.SUMMARY)
    if height < COMFORTABLE_LINES or width < NARROW_CELLS:
        return _compact(height, number_lines, slot_lines)
    wanted = min(number_lines, 3 if height < 30 else 5)
    above = 2 + wanted + BORDERS
    least = 8 if width >= WIDE_CELLS and height >= 24 else 5
    slots = min(slot_lines + BORDERS, max(5, height - above - least))
    rest = height - above - slots
    if width >= WIDE_CELLS:
        if rest < 21:
            return Plan(Layout.WIDE, wanted + BORDERS, slots, lower=rest)
        lower = min(14, rest // 2)
        return Plan(Layout.NORMAL, wanted + BORDERS, slots, lower, events=rest - lower)
    lower = rest if rest < 9 else max(6, min(13, rest * 3 // 5))
    return Plan(Layout.NORMAL, wanted + BORDERS, slots, lower, events=rest - lower)


def _compact(height: int, number_lines: int, slot_lines: int) -> Plan:
    room = height - 2 - 2 * BORDERS
    lines = 2 if room >= 7 else 0
    slots = min(slot_lines, max(1, room - lines - 1))
    numbers = max(1, min(number_lines, room - lines - slots))
    return Plan(Layout.COMPACT, numbers + BORDERS, room - lines - numbers + BORDERS, lower=lines)
