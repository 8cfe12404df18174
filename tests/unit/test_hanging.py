"""A report is broken to the terminal's width without losing or breaking anything."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mecha_tui.present.check import Line, Piece, Tone
from mecha_tui.present.hanging import hanging

CURE: Line = (
    Piece("           cure "),
    Piece("context_window = 8192", Tone.STRONG),
    Piece("  in ~/.mecha/config.toml [providers.local]", Tone.QUIET),
)


def text(line: Line) -> str:
    return "".join(piece.text for piece in line).rstrip()


def test_a_line_that_fits_stays() -> None:
    assert hanging(CURE, 80) == [CURE]


def test_what_goes_on_stands_under_the_beginning_of_the_text() -> None:
    line = (Piece("           a slot holds 8,192 tokens and the client promises 32,768"),)
    assert [text(one) for one in hanging(line, 40)] == [
        "           a slot holds 8,192 tokens and",
        "           the client promises 32,768",
    ]


def test_a_source_goes_on_under_itself() -> None:
    line = (Piece("  -c  "), Piece("32,768"), Piece("  the command line of process 4711"))
    assert [text(one) for one in hanging(line, 36)] == [
        "  -c  32,768  the command line of",
        "              process 4711",
    ]


def test_a_cure_is_not_broken() -> None:
    assert any("context_window = 8192" in text(one) for one in hanging(CURE, 30))


@given(st.lists(st.text("ab \u4e2d", max_size=12), min_size=1, max_size=5), st.integers(8, 40))
def test_no_word_is_lost(texts: list[str], width: int) -> None:
    line = tuple(Piece(one) for one in texts)
    whole = " ".join(text(one) for one in hanging(line, width))
    assert whole.replace(" ", "") == text(line).replace(" ", "")
