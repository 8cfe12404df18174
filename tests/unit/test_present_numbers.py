"""Numbers are rounded in one place, and unknown is never zero."""

from __future__ import annotations

import pytest

from mecha_tui.present import numbers


@pytest.mark.parametrize(
    ("tokens", "text"), [(None, "–"), (0, "0"), (999, "999"), (262_144, "262,144")]
)
def test_tokens(tokens: int | None, text: str) -> None:
    assert numbers.tokens(tokens) == text


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (None, "–"),
        (0.0, "0 %"),
        (0.684, "68 %"),
        (0.29, "29 %"),
        (0.896, "89 %"),
        (0.999, "99 %"),
        (1.0, "100 %"),
        (1.25, "125 %"),
    ],
)
def test_percent(ratio: float | None, text: str) -> None:
    assert numbers.percent(ratio) == text


@pytest.mark.parametrize(
    ("rate", "text"),
    [
        (None, "–"),
        (0.0, "0.0"),
        (38.24, "38.2"),
        (999.94, "999.9"),
        (999.95, "1,000"),
        (1480.4, "1,480"),
    ],
)
def test_rate(rate: float | None, text: str) -> None:
    assert numbers.rate(rate) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(None, "–"), (0, "0.0"), (20 * 1024**2, "0.02"), (1024**3, "1.0"), (130_663_165_952, "121.7")],
)
def test_gib(count: int | None, text: str) -> None:
    assert numbers.gib(count) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "–"),
        (-3, "0:00"),
        (21.9, "0:21"),
        (100, "1:40"),
        (3723, "1:02:03"),
        (90_000, "1d 1h"),
    ],
)
def test_duration(seconds: float | None, text: str) -> None:
    assert numbers.duration(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "–"),
        (59.9, "<1 min"),
        (60, "1 min"),
        (7500, "2h 5m"),
        (3 * 86400 + 4 * 3600, "3d 4h"),
    ],
)
def test_span(seconds: float | None, text: str) -> None:
    assert numbers.span(seconds) == text


def test_an_age_is_counted_in_seconds_at_first() -> None:
    assert numbers.age(12.4) == "12 s"
    assert numbers.age(119) == "119 s"
    assert numbers.age(120) == "2 min"


def test_the_clock_is_the_local_one() -> None:
    assert numbers.clock(43_471) == "12:04"
    assert numbers.clock_with_seconds(43_471) == "12:04:31"
