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
from mecha_tui.present.remembered import remembered
from mecha_tui.present.summary import summary_lines
from mecha_tui.present.text import Line, Tone, bold, faded, filled, line, muted
from mecha_tui.present.view import Hit, View

_GAP = 1
"""Cells between panels that stand side by side."""
_NUMBER_LINES = 9
"""Lines of numbers and findings that are worked out at most."""


def dashboard(view: View, width: int, height: int) -> Frame:
    """Return the dashboard in exactly ``height`` lines of ``width`` cells."""
    picture = view.picture
    number_lines = (
        [] if picture is None else numbers_lines(picture, width - 2 * INSET, _NUMBER_LINES)
    )
    strip = strip_lines(view, width, height)
    chosen = plan(width, height - len(strip), max(1, len(number_lines)), slots_need(picture))
    if chosen.layout is Layout.SUMMARY:
        return Frame(tuple(summary_lines(view, width, height)))
    frame = _Stack(width)
    frame.lines += [header(view, width), *[filled(one, width) for one in strip]]
    if picture is None:
        frame.lines += _without_picture(width, chosen.numbers)
    else:
        frame.lines += _numbers(picture, width, chosen.numbers)
    visible = _add_slots(frame, view, width, chosen.slots)
    if picture is not None and chosen.lower > 0:
        lower = _lower_lines if chosen.layout is Layout.COMPACT else _lower
        frame.lines += lower(picture, width, chosen, _is_grey(view))
    return frame.closed(view, height, visible)


class _Stack:
    """Collects lines from the top down."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.lines: list[Line] = []
        self.hits: list[Hit] = []

    def closed(self, view: View, height: int, visible_rows: int) -> Frame:
        """Return the frame with the keys in its last line and blanks above them."""
        self.lines += [filled((), self.width)] * (height - 1 - len(self.lines))
        keys, hits = footer(view.hints, self.width, height - 1)
        self.lines.append(filled(keys, self.width))
        return Frame(tuple(self.lines[:height]), (*self.hits, *hits), visible_rows)


def _without_picture(width: int, height: int) -> list[Line]:
    return panel(_title("1", "numbers"), [line(muted("–"))], width, height)


@remembered
def _numbers(picture: ServerPicture, width: int, height: int) -> list[Line]:
    tone, below = numbers_tone(picture), numbers_footer(picture)
    lines = numbers_lines(picture, width - 2 * INSET, _NUMBER_LINES)
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
    frame.lines += panel(_title("2", "slots"), content.lines, width, height, footer=below)
    return sum(slot_id is not None for slot_id in content.slot_ids)


@remembered
def _lower_lines(picture: ServerPicture, width: int, chosen: Plan, is_grey: bool) -> list[Line]:  # noqa: ARG001
    """Return speed and memory in a line each."""
    speed = line(" ", speed_line(picture, width - 2))
    memory = line(" ", muted("memory  "), memory_line(picture.memory, width - 10))
    return [filled(faded(speed) if is_grey else speed, width), filled(memory, width)]


def _is_grey(view: View) -> bool:
    return view.is_stale or (view.picture is not None and view.picture.is_lost)


@remembered
def _lower(picture: ServerPicture, width: int, chosen: Plan, is_grey: bool) -> list[Line]:
    """Return speed and memory, and beside or below them the events."""
    beside, height = chosen.layout is Layout.WIDE, chosen.lower
    widths = _thirds(width) if beside else _halves(width)
    panels = [_speed(picture, widths[0], height, is_grey), _memory(picture, widths[1], height)]
    if beside:
        panels.append(_events(picture, widths[2], height))
    gap = line(" " * _GAP)
    lines = [sum(rows[1:], rows[0]) for rows in _with_gaps(panels, gap)]
    below = _events(picture, width, chosen.events) if chosen.events >= 3 else []
    return [*lines, *below]


@remembered
def _speed(picture: ServerPicture, width: int, height: int, is_grey: bool) -> list[Line]:
    lines = speed_lines(picture, width - 2 * INSET, height - BORDERS)
    lines = [faded(one) for one in lines] if is_grey else lines
    return panel(_title("3", "speed"), lines, width, height)


@remembered
def _memory(picture: ServerPicture, width: int, height: int) -> list[Line]:
    title = _title("4", "memory", memory_title(picture.memory))
    lines = memory_lines(picture, width - 2 * INSET, height - BORDERS)
    tone, below = memory_tone(picture), memory_footer(picture)
    return panel(title, lines, width, height, tone=tone, footer=below)


@remembered
def _events(picture: ServerPicture, width: int, height: int) -> list[Line]:
    lines = events_lines(picture.events, width - 2 * INSET, height - BORDERS)
    return panel(_title("5", "events"), lines, width, height)


def _with_gaps(panels: Sequence[Sequence[Line]], gap: Line) -> list[list[Line]]:
    return [[piece for one in row for piece in (gap, one)][1:] for row in zip(*panels, strict=True)]


def _halves(width: int) -> list[int]:
    left = (width - _GAP) // 2
    return [left, width - _GAP - left]


def _thirds(width: int) -> list[int]:
    left = (width - 2 * _GAP) * 30 // 100
    middle = left
    return [left, middle, width - 2 * _GAP - left - middle]
