"""What is usual, and whether a speed still is, like for like."""

from __future__ import annotations

import pytest

from mecha_tui.core.usual import (
    DAY_S,
    Direction,
    Load,
    Measurement,
    Pace,
    Setup,
    Usual,
    compare,
    depth_band,
    usual,
)

SETUP = Setup(model="m.gguf", window_tokens=8192, slot_count=4)
LOAD = Load(1, 0)
SETTLED = Usual(100.0, 0.5, 30, 30_000, 3)


def measured(tokens_per_s: float, day: int = 0, tokens: int = 500) -> Measurement:
    return Measurement(
        Direction.WRITING, SETUP, LOAD, tokens_per_s, tokens, 10.0, day * DAY_S + 5.0, "watching"
    )


def test_nothing_measured_has_no_usual() -> None:
    assert usual([]) is None


def test_the_usual_is_the_median_and_says_what_it_rests_on() -> None:
    found = usual([measured(78.0), measured(80.0), measured(20.0)])
    assert found is not None
    assert found.tokens_per_s == 78.0
    assert (found.count, found.tokens, found.days) == (3, 1500, 1)
    assert found.spread == pytest.approx(1.4826 * 2.0)


def test_an_even_number_of_equals_lies_between() -> None:
    found = usual([measured(70.0), measured(80.0)])
    assert found is not None
    assert found.tokens_per_s == 75.0


def test_a_long_bad_day_does_not_outweigh_three_good_ones() -> None:
    good = [measured(100.0, day) for day in range(3) for _ in range(30)]
    found = usual([*good, *(measured(40.0, 4) for _ in range(5000))])
    assert found is not None
    assert found.tokens_per_s == 100.0


def test_only_the_newest_days_count() -> None:
    old = [measured(100.0, day) for day in range(40)]
    found = usual([*old, *(measured(60.0, 100 + day) for day in range(30))])
    assert found is not None
    assert found.tokens_per_s == 60.0


@pytest.mark.parametrize(
    ("tokens_per_s", "verdict"),
    [(100.0, Pace.AS_USUAL), (91.0, Pace.AS_USUAL), (89.0, Pace.SLOWER), (120.0, Pace.FASTER)],
)
def test_a_tenth_below_is_slower(tokens_per_s: float, verdict: Pace) -> None:
    found = compare(tokens_per_s, 500, SETTLED)
    assert found.verdict is verdict
    assert found.ratio == pytest.approx(tokens_per_s / 100)


@pytest.mark.parametrize(("tokens_per_s", "verdict"), [(93.0, Pace.SLOWER), (96, Pace.AS_USUAL)])
def test_what_was_slower_must_come_well_back(tokens_per_s: float, verdict: Pace) -> None:
    assert compare(tokens_per_s, 500, SETTLED, was_slower=True).verdict is verdict


def test_a_speed_that_varies_by_itself_must_fall_further() -> None:
    restless = Usual(100.0, 15.0, 30, 30_000, 3)
    assert compare(80.0, 500, restless).verdict is Pace.AS_USUAL
    assert compare(65.0, 500, restless).verdict is Pace.SLOWER


@pytest.mark.parametrize(
    ("tokens_per_s", "tokens", "known"),
    [
        (None, 500, SETTLED),
        (10.0, 20, SETTLED),
        (10.0, 500, None),
        (10.0, 500, Usual(100.0, 0.5, 2, 30_000, 1)),
        (10.0, 500, Usual(100.0, 0.5, 30, 200, 1)),
    ],
)
def test_too_little_is_not_judged(
    tokens_per_s: float | None, tokens: int, known: Usual | None
) -> None:
    found = compare(tokens_per_s, tokens, known)
    assert found.verdict is Pace.UNKNOWN
    assert found.ratio is None
    assert found.reason


@pytest.mark.parametrize(
    ("held", "band"),
    [(0, 0), (1023, 0), (1024, 1024), (2047, 1024), (2048, 2048), (108_000, 65536)],
)
def test_depths_are_alike_within_a_factor_of_two(held: int, band: int) -> None:
    assert depth_band(held) == band
