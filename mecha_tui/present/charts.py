"""A chart of a series: from zero to a round ceiling, and gaps stay gaps."""

from __future__ import annotations

from functools import lru_cache

from mecha_tui.core.history import Series
from mecha_tui.present.numbers import tokens
from mecha_tui.present.text import EMPTY, Line, Part, Tone, line, muted

LEVELS = " ▁▂▃▄▅▆▇█"
STEPS = (1, 2, 5, 10)


def nice_ceiling(highest: float) -> int:
    """Return the smallest of 10, 20, 50, 100, 200 … that is not below the value."""
    step = 10
    while True:
        for factor in STEPS[:3]:
            if step * factor >= highest:
                return step * factor
        step *= 10


def columns(series: Series, width: int) -> list[float | None]:
    """Return the series in at most ``width`` columns, newest last; None is a gap.

    A column is the mean of a fixed stretch of buckets, counted from the clock's zero, so
    that a running chart moves by whole columns and only its last one changes in between.
    """
    if width < 1 or series.newest is None:
        return []
    stretch = max(1, -(-series.length // width))
    groups: dict[int, list[float]] = {}
    oldest = series.newest - len(series.values) + 1
    for bucket, value in enumerate(series.values, start=oldest):
        group = groups.setdefault(bucket // stretch, [])
        if value is not None:
            group.append(value)
    means = [sum(group) / len(group) if group else None for group in groups.values()]
    return means[-width:]


def chart(
    series: Series,
    width: int,
    height: int,
    tone: Tone,
    *,
    label_cells: int = 0,
    top: tuple[float, str] | None = None,
) -> list[Line]:
    """Return a chart of exactly ``height`` lines and at most ``width`` cells.

    The range is fixed, from zero to a round number above the highest value shown, which
    stands at its top. A zero is a thin line and a gap is nothing at all.

    Args:
        series: The values.
        width: Cells, the labels included.
        height: Lines.
        tone: The tone of the columns.
        label_cells: Cells that the labels take at least, to line charts up.
        top: The end of the range and how it is written, where it is not to be found.
    """
    if width < 1 or height < 1:
        return []
    found = _ceiling(series)
    ceiling, label = (float(found), tokens(found)) if top is None else top
    gutter = max(len(label), label_cells) + 1
    if width - gutter < 4:
        label, gutter = "", 0
    values = columns(series, width - gutter)
    blank = " " * (width - gutter - len(values))
    lines: list[Line] = []
    drawn = [_column(value, ceiling, height) for value in values]
    for row in range(height - 1, -1, -1):
        glyphs = "".join([column[row] for column in drawn])
        margin = label if row == height - 1 else "0" if row == 0 else ""
        left = muted(f"{margin:>{gutter - 1}} ") if gutter else EMPTY
        lines.append(line(left, blank, Part(glyphs, tone)))
    return lines


def first_cell(series: Series, width: int, labels: int) -> int:
    """Return the cell at which a chart's oldest column stands.

    Args:
        series: The values.
        width: The chart's cells, its labels included.
        labels: Cells that the labels take.
    """
    room = max(1, width - labels - 1)
    stretch = max(1, -(-series.length // room))
    # Columns count from the clock's zero, so that the oldest may be a part of one more.
    return width - min(room, -(-series.length // stretch) + 1)


def label_cells(series: Series) -> int:
    """Return how many cells a chart's labels take."""
    return len(tokens(_ceiling(series)))


def _ceiling(series: Series) -> int:
    return nice_ceiling(max((value for value in series.values if value is not None), default=0.0))


@lru_cache(maxsize=2048)
def _column(value: float | None, ceiling: float, height: int) -> str:
    """Return a column from the bottom up; a running chart asks for each again and again."""
    if value is None:
        return " " * height
    eighths = round(min(1.0, max(0.0, value) / ceiling) * height * 8)
    levels = [min(8, max(0, eighths - row * 8)) for row in range(height)]
    return LEVELS[max(1, levels[0])] + "".join(LEVELS[level] for level in levels[1:])
