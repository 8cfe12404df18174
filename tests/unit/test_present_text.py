"""Lines keep their width whatever they hold."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mecha_tui.present.panel import panel
from mecha_tui.present.text import (
    Part,
    Tone,
    bold,
    cut,
    faded,
    filled,
    line,
    plain,
    spread,
    width_of,
    wrapped,
)

LINES = st.lists(st.builds(Part, st.text(), st.sampled_from(Tone)), max_size=4).map(tuple)


@given(LINES, st.integers(0, 60))
def test_a_filled_line_has_exactly_its_width(parts: tuple[Part, ...], width: int) -> None:
    assert width_of(filled(parts, width)) == width


@given(LINES, LINES, st.integers(0, 60))
def test_a_spread_line_has_exactly_its_width(
    left: tuple[Part, ...], right: tuple[Part, ...], width: int
) -> None:
    assert width_of(spread(left, right, width)) == width


@given(LINES, st.integers(-2, 40), st.integers(-2, 9))
def test_a_panel_has_exactly_its_size(parts: tuple[Part, ...], width: int, height: int) -> None:
    drawn = panel(parts, [parts] * 3, width, height, footer=parts)
    assert [width_of(one) for one in drawn] == ([width] * height if width > 0 < height else [])


@given(st.text(), st.integers(1, 30))
def test_wrapped_text_fits_and_loses_no_word(text: str, width: int) -> None:
    lines = wrapped(text, width, limit=10_000)
    assert all(width_of(one) <= max(2, width) for one in lines)
    letters = "".join(plain(one) for one in lines).replace(" ", "")
    whole = "".join(plain(one) for one in wrapped(text, 100_000, limit=10_000))
    assert letters == whole.replace(" ", "")


def test_a_cut_line_says_that_it_was_cut() -> None:
    assert plain(cut(line("abc", bold("def")), 5)) == "abcd…"
    assert plain(cut(line("abc", bold("def")), 6)) == "abcdef"
    assert plain(cut(line("模型模型"), 4)) == "模…"


def test_what_is_no_longer_true_loses_its_colour_but_not_its_words() -> None:
    grey = faded(line(bold("✗ down", Tone.ERROR), Part("──", Tone.FAINT)))
    assert plain(grey) == "✗ down──"
    assert [part.tone for part in grey] == [Tone.MUTED, Tone.FAINT]
    assert not any(part.is_bold for part in grey)
