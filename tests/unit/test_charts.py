"""Charts have a fixed range, and a gap stays a gap."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mecha_tui.core.history import Series
from mecha_tui.present.charts import chart, columns, nice_ceiling
from mecha_tui.present.text import Tone, plain, width_of


def series(*values: float | None, newest: int = 100) -> Series:
    return Series(1.0, len(values), newest, values)


@pytest.mark.parametrize(
    ("highest", "ceiling"),
    [(0, 10), (10, 10), (10.1, 20), (38, 50), (75, 100), (100, 100), (101, 200), (1480, 2000)],
)
def test_the_ceiling_is_a_round_number(highest: float, ceiling: int) -> None:
    assert nice_ceiling(highest) == ceiling


def drawn(of: Series, width: int, height: int) -> list[str]:
    return [plain(one) for one in chart(of, width, height, Tone.ACCENT)]


def test_a_flat_series_is_drawn_at_its_height_and_not_at_full_swing() -> None:
    assert drawn(series(*[5.0] * 8), 11, 1) == ["10 ▄▄▄▄▄▄▄▄"]
    assert drawn(series(*[49.9, 50.0] * 4), 11, 1) == ["50 ████████"]


def test_a_gap_is_blank_and_a_zero_is_a_thin_line() -> None:
    assert drawn(series(10, None, 0, 10, 10, 10, 10, 10), 11, 1) == ["10 █ ▁█████"]


def test_the_range_stands_at_the_left() -> None:
    lines = drawn(series(*[38.0] * 8), 20, 3)
    assert lines[0].startswith("50 ")
    assert lines[-1].startswith(" 0 ")


def test_a_running_chart_moves_by_whole_columns() -> None:
    values = tuple(float(at) for at in range(24))
    before = columns(series(*values, newest=23), 6)
    after = columns(series(*values[1:], 24.0, newest=24), 6)
    assert before[1:] == after[:-1] or before[1:-1] == after[1:-1]
    assert len(before) == 6


@given(
    st.lists(st.one_of(st.none(), st.floats(0, 1e6)), max_size=240),
    st.integers(-1, 120),
    st.integers(-1, 12),
)
def test_a_chart_of_any_size_never_raises_and_never_overflows(
    values: list[float | None], width: int, height: int
) -> None:
    found = Series(1.0, 240, 5000, tuple(values)) if values else Series(1.0, 240)
    lines = chart(found, width, height, Tone.ACCENT)
    assert len(lines) == (height if width > 0 < height else 0)
    assert all(width_of(one) <= width for one in lines)


def test_an_empty_series_is_an_empty_chart() -> None:
    assert drawn(Series(1.0, 240), 12, 1) == ["10          "]
