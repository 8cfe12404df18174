"""The dashboard: every panel in its place, at any size."""

from __future__ import annotations

from collections.abc import Sequence

from mecha_tui.core.picture import ServerPicture
from mecha_tui.present.frame import Frame
from mecha_tui.present.panel import INSET, panel
from mecha_tui.present.panels.events_panel import events_lines
from mecha_tui.present.panels.footer import footer
from mecha_tui.present.panels.header import header
from mecha_tui.present.panels.memory_panel import (
    memory_footer,
    memory_line,
    memory_lines,
    memory_title,
    memory_tone,
)
from mecha_tui.present.panels.numbers_panel import numbers_footer, numbers_lines, numbers_tone
from mecha_tui.present.panels.slots_panel import slots_footer, slots_lines, slots_need
from mecha_tui.present.panels.speed_panel import speed_line, speed_lines
from mecha_tui.present.panels.strip import strip_lines
from mecha_tui.present.plan import BORDERS, Layout, Plan, plan
from mecha_tui.present.summary import summary_lines
from mecha_tui.present.text import Line, Tone, bold, faded, filled, line, muted
from mecha_tui.present.view import Hit, View

_GAP = 1
"""Cells between panels that stand side by side."""


def dashboard(view: View, width: int, height: int) -> Frame:
    """Return the dashboard in exactly ``height`` lines of ``width`` cells."""
    picture = view.picture
    number_lines = [] if picture is None else numbers_lines(picture, width - 2 * INSET, 9)
    strip = strip_lines(view, width, height)
    chosen = plan(width, height - len(strip), max(1, len(number_lines)), slots_need(picture))
    if chosen.layout is Layout.SUMMARY:
        return Frame(tuple(summary_lines(view, width, height)))
    frame = _Stack(width)
    frame.add([header(view, width), *strip])
    frame.add(_numbers(picture, number_lines, width, chosen.numbers))
    visible = _add_slots(frame, view, width, chosen.slots)
    if chosen.layout is Layout.COMPACT:
        if picture is not None and chosen.lower:
            greyed = _greyed(view, [line(" ", speed_line(picture, width - 2))])
            frame.add(
                [*greyed, line(" ", muted("memory  "), memory_line(picture.memory, width - 10))]
            )
    else:
        _add_lower(frame, view, width, chosen)
    return frame.closed(view, height, visible)


class _Stack:
    """Collects lines from the top down."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.lines: list[Line] = []
        self.hits: list[Hit] = []

    def add(self, lines: Sequence[Line]) -> None:
        """Add a band of lines."""
        self.lines.extend(filled(one, self.width) for one in lines)

    def closed(self, view: View, height: int, visible_rows: int) -> Frame:
        """Return the frame with the keys in its last line and blanks above them."""
        missing = height - 1 - len(self.lines)
        if missing > 0:
            self.add([()] * missing)
        keys, hits = footer(view.hints, self.width, height - 1)
        self.add([keys])
        return Frame(tuple(self.lines[:height]), (*self.hits, *hits), visible_rows)


def _numbers(
    picture: ServerPicture | None, lines: Sequence[Line], width: int, height: int
) -> list[Line]:
    if picture is None:
        return panel(_title("1", "numbers"), [line(muted("–"))], width, height)
    tone, below = numbers_tone(picture), numbers_footer(picture)
    if picture.is_lost:
        tone, below, lines = Tone.FAINT, faded(below), [faded(one) for one in lines]
    return panel(_title("1", "numbers"), lines, width, height, tone=tone, footer=below)


def _title(key: str, word: str, more: str = "") -> Line:
    return line(bold(f"{key} {word}"), bold(f" · {more}") if more else "")


def _add_slots(frame: _Stack, view: View, width: int, height: int) -> int:
    content = slots_lines(view, width - 2 * INSET, height - BORDERS)
    top = len(frame.lines) + 1
    frame.hits += [
        Hit(0, top + index, width, slot_id=slot_id)
        for index, slot_id in enumerate(content.slot_ids)
        if slot_id is not None
    ]
    below = slots_footer(view, content)
    frame.add(panel(_title("2", "slots"), content.lines, width, height, footer=below))
    return sum(slot_id is not None for slot_id in content.slot_ids)


def _greyed(view: View, lines: list[Line]) -> list[Line]:
    is_lost = view.picture is not None and view.picture.is_lost
    return [faded(one) for one in lines] if is_lost or view.is_stale else lines


def _add_lower(frame: _Stack, view: View, width: int, chosen: Plan) -> None:
    picture = view.picture
    if picture is None or chosen.lower < 1:
        return
    beside = chosen.layout is Layout.WIDE
    widths = _thirds(width) if beside else _halves(width)
    inner = chosen.lower - BORDERS
    speed = _greyed(view, speed_lines(picture, widths[0] - 2 * INSET, inner))
    memory = memory_lines(picture, widths[1] - 2 * INSET, inner)
    kind = memory_title(picture.memory)
    panels = [
        panel(_title("3", "speed"), speed, widths[0], chosen.lower),
        panel(
            _title("4", "memory", kind),
            memory,
            widths[1],
            chosen.lower,
            tone=memory_tone(picture),
            footer=memory_footer(picture),
        ),
    ]
    if beside:
        events = events_lines(picture.events, widths[2] - 2 * INSET, inner)
        panels.append(panel(_title("5", "events"), events, widths[2], chosen.lower))
    gap = line(" " * _GAP)
    frame.add([sum(rows[1:], rows[0]) for rows in _with_gaps(panels, gap)])
    if chosen.events >= 3:
        events = events_lines(picture.events, width - 2 * INSET, chosen.events - BORDERS)
        frame.add(panel(_title("5", "events"), events, width, chosen.events))


def _with_gaps(panels: Sequence[Sequence[Line]], gap: Line) -> list[list[Line]]:
    return [[piece for one in row for piece in (gap, one)][1:] for row in zip(*panels, strict=True)]


def _halves(width: int) -> list[int]:
    left = (width - _GAP) // 2
    return [left, width - _GAP - left]


def _thirds(width: int) -> list[int]:
    left = (width - 2 * _GAP) * 30 // 100
    middle = left
    return [left, middle, width - 2 * _GAP - left - middle]
