"""Every size has a plan that fits it, and the slots come before decoration."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mecha_tui.present.plan import Layout, plan


@given(st.integers(1, 300), st.integers(1, 120), st.integers(1, 9), st.integers(1, 200))
def test_a_plan_never_exceeds_the_screen(width: int, height: int, numbers: int, slots: int) -> None:
    found = plan(width, height, numbers, slots)
    if found.layout is Layout.SUMMARY:
        return
    assert found.numbers + found.slots + found.lower + found.events + 2 <= height
    assert found.numbers >= 3
    assert found.slots >= 3


def test_the_three_sizes() -> None:
    large, middle, small = plan(120, 40, 3, 5), plan(80, 24, 3, 5), plan(60, 15, 3, 5)
    assert (large.layout, large.slots, large.events > 2) == (Layout.NORMAL, 7, True)
    assert (middle.layout, middle.slots, middle.lower, middle.events) == (Layout.NORMAL, 7, 6, 4)
    assert (small.layout, small.slots, small.lower) == (Layout.COMPACT, 7, 2)


def test_many_slots_take_what_the_others_can_spare() -> None:
    assert plan(120, 40, 3, 129).slots == 25
    assert plan(80, 24, 3, 129).slots == 12


def test_too_small_for_panels_is_a_summary() -> None:
    assert plan(45, 40, 3, 5).layout is Layout.SUMMARY
    assert plan(120, 10, 3, 5).layout is Layout.SUMMARY
