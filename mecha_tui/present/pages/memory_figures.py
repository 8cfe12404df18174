"""Rows of the memory page: a label, a figure, and where it comes from or why there is none."""

from __future__ import annotations

from mecha_tui.core.reading import Reading
from mecha_tui.present import numbers
from mecha_tui.present.text import Line, Part, cut, line, muted

LABEL = 24
"""Cells of a row's label."""


def figure_row(label: str, reading: Reading[int], width: int, source: str | None = None) -> Line:
    """Return one row for an amount, with its source or why it is not known."""
    unit = muted(" GiB") if reading.is_known else Part("    ")
    why = (source or reading.source) if reading.is_known else reading.reason
    figure = f"{numbers.gib(reading.value):>9}"
    whole = line(muted(f"{label:<{LABEL}}"), figure, unit, muted(f"  {why or ''}"))
    return cut(whole, width)


def words_row(label: str, value: str, reading: Reading[int] | Reading[float], width: int) -> Line:
    """Return one row for what is not an amount, already in words."""
    why = reading.source if reading.is_known else reading.reason
    return cut(line(muted(f"{label:<{LABEL}}"), f"{value:>9}", muted(f"      {why or ''}")), width)


def free_row(label: str, total: Reading[int], free: Reading[int], width: int) -> Line:
    """Return one row for a total and what is free of it."""
    if not total.is_known:
        return figure_row(label, total, width)
    told = numbers.gib(free.value)
    why = free.source if free.is_known else free.reason
    figure = line(f"{numbers.gib(total.value):>9}", muted(" GiB"), f"  {told}", muted(" GiB free"))
    return cut(line(muted(f"{label:<{LABEL}}"), figure, muted(f"   {why or ''}")), width)
