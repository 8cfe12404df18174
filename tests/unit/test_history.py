"""A series keeps its gaps, whatever comes late, early or not at all."""

from __future__ import annotations

from mecha_tui.core.history import Series


def series(*values: tuple[float, float | None]) -> tuple[float | None, ...]:
    kept = Series(1.0, 5)
    for at_s, value in values:
        kept = kept.with_value(at_s, value)
    return kept.values


def test_a_bucket_nobody_filled_is_a_gap() -> None:
    assert series((0.1, 1.0), (3.2, 2.0)) == (1.0, None, None, 2.0)


def test_the_last_value_of_a_bucket_wins_and_a_gap_does_not_wipe_it() -> None:
    assert series((0.1, 1.0), (0.5, 2.0), (0.9, None)) == (2.0,)


def test_only_the_newest_are_kept_however_long_the_silence() -> None:
    assert series(*((float(at), float(at)) for at in range(9))) == (4.0, 5.0, 6.0, 7.0, 8.0)
    assert series((0.0, 1.0), (1e9, 2.0)) == (None, None, None, None, 2.0)


def test_a_time_that_goes_back_changes_nothing() -> None:
    assert series((5.0, 1.0), (2.0, 9.0)) == (1.0,)


def test_a_value_may_speak_for_the_stretch_since_an_earlier_one() -> None:
    kept = Series(1.0, 9).with_value(1.0, 1.0).with_value(5.5, 7.0, since_s=3.2)
    assert kept.values == (1.0, None, 7.0, 7.0, 7.0)
