"""Redrawing the changed spans of a line gives the new line, and never halves a character."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from mecha_tui.present.changes import NEAR, changed_spans
from mecha_tui.present.clean import cell_width
from mecha_tui.present.text import Line, Part, Tone, filled, line

WIDTH = 40
TEXTS = st.text(st.sampled_from("ab 12日本━e\u0301"), max_size=12)
PARTS = st.builds(
    Part,
    st.text(st.sampled_from("ab 12日本━e\u0301"), max_size=12).map(
        lambda text: text.lstrip("\u0301")
    ),
    st.sampled_from([Tone.TEXT, Tone.MUTED, Tone.ERROR]),
    st.booleans(),
    st.booleans(),
)
LINES = st.lists(PARTS, max_size=8).map(lambda parts: filled(line(*parts), WIDTH))


def cells(parts: Line) -> list[object]:
    """Return what a terminal's cells show: a wide character fills two, a mark none."""
    drawn: list[tuple[str, object]] = []
    for part in parts:
        for character in part.text:
            look = (part.is_lit,) if character == " " else (part.tone, part.is_bold, part.is_lit)
            if cell_width(character):
                drawn += [(character, look), ("", look)][: cell_width(character)]
            elif drawn:
                at = -2 if drawn[-1][0] == "" else -1
                drawn[at] = (drawn[at][0] + character, drawn[at][1])
    return list(drawn)


@given(LINES, LINES)
def test_the_spans_turn_one_line_into_the_other(before: Line, after: Line) -> None:
    old, new = cells(before), cells(after)
    for start, end in changed_spans(before, after):
        for edge in (start, end):
            assert edge == len(new) or new[edge][0] != "", "half a character"  # type: ignore[index]  # a cell
        old[start:end] = new[start:end]
    assert old == new


@given(LINES, LINES)
def test_spans_are_in_order_and_far_apart(before: Line, after: Line) -> None:
    spans = changed_spans(before, after)
    assert all(left[1] + NEAR <= right[0] for left, right in pairwise(spans))
    assert all(start < end <= WIDTH for start, end in spans)


@given(LINES)
def test_a_line_that_stays_sends_nothing(same: Line) -> None:
    assert changed_spans(same, same) == []


def test_a_digit_is_one_cell_and_a_blank_in_another_tone_is_none() -> None:
    assert changed_spans(line("a 1 b"), line("a", Part(" ", Tone.MUTED), "2 b")) == [(2, 3)]


def test_a_longer_line_is_drawn_to_its_end() -> None:
    assert changed_spans(line("abc"), line("abc" + "d" * 30)) == [(3, 33)]
