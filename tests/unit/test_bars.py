"""Gauges show what is held, where the client compacts, and what does not exist."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mecha_tui.core.fuel import Fuel, fuel
from mecha_tui.present.bars import gauge, shares
from mecha_tui.present.text import Tone, plain, width_of

COUNTS = st.one_of(st.none(), st.integers(0, 2_000_000))


@given(COUNTS, COUNTS, COUNTS, COUNTS, st.integers(-2, 200))
def test_a_gauge_of_any_width_has_exactly_that_width(
    held: int | None, window: int | None, promise: int | None, mark: int | None, width: int
) -> None:
    drawn = gauge(fuel(held, window, promise, mark), width, Tone.ACCENT)
    assert width_of(drawn) == max(0, width)


@given(COUNTS, COUNTS, COUNTS, COUNTS, COUNTS, st.integers(0, 60))
def test_even_a_senseless_gauge_is_drawn(
    held: int | None,
    scale: int | None,
    limit: int | None,
    wall: int | None,
    mark: int | None,
    width: int,
) -> None:
    assert width_of(gauge(Fuel(held, scale, limit, wall, mark), width, Tone.ACCENT)) == width


def text(
    held: int | None, window: int | None, promise: int | None = None, mark: int | None = None
) -> str:
    return plain(gauge(fuel(held, window, promise, mark), 16, Tone.ACCENT))


def test_nothing_held_is_an_empty_line_and_unknown_is_a_dotted_one() -> None:
    assert text(0, 8192) == "────────────────"
    assert text(None, 8192) == "┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄"
    assert text(100, None) == "┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄"


def test_half_cells_are_told_apart() -> None:
    assert text(4096, 8192) == "━━━━━━━━────────"
    assert text(4352, 8192) == "━━━━━━━━╸───────"


def test_a_single_token_can_be_seen() -> None:
    assert text(1, 262_144).startswith("╸─")


def test_a_full_slot_and_an_overfull_one_fill_the_gauge() -> None:
    assert text(8192, 8192) == text(9000, 8192) == "━" * 16


def test_the_compaction_mark_crosses_the_line_and_the_filled_part() -> None:
    assert text(0, 8192, None, 4096) == "────────┼───────"
    assert text(6144, 8192, None, 4096) == "━━━━━━━━┿━━━────"


def test_what_was_promised_and_is_not_there_is_drawn_as_missing() -> None:
    assert text(2048, 8192, 32_768) == "━───┤╱╱╱╱╱╱╱╱╱╱╱"
    assert text(8192, 8192, 32_768) == "━━━━┤╱╱╱╱╱╱╱╱╱╱╱"


def test_even_a_small_shortfall_shows() -> None:
    assert text(0, 8000, 8192).endswith("╱")


@given(st.lists(st.floats(0, 1e12), max_size=5), st.floats(0, 1e12), st.integers(0, 80))
def test_a_bar_of_shares_has_exactly_its_width(
    amounts: list[float], whole: float, width: int
) -> None:
    assert width_of(shares([(one, Tone.ACCENT) for one in amounts], whole, width)) == width


def test_shares_stand_side_by_side_and_a_small_one_can_be_seen() -> None:
    drawn = shares([(50, Tone.ACCENT), (0.1, Tone.READING), (25, Tone.MUTED)], 100, 20)
    assert [(part.text, part.tone) for part in drawn] == [
        ("━" * 10, Tone.ACCENT),
        ("━", Tone.READING),
        ("━" * 4, Tone.MUTED),
        ("─" * 5, Tone.FAINT),
    ]
