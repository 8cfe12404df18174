"""Text from outside never reaches the terminal as anything but text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from mecha_tui.present.clean import cell_width, clean, clean_block, cut_text
from mecha_tui.present.plain_glyphs import ASCII_GLYPHS, ascii_only
from mecha_tui.present.text import Part


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("qwen3.6", "qwen3.6"),
        ("qwen[/b]\x1b[31m", "qwen[/b]"),
        ("\x1b]0;title\x07rest", "rest"),
        ("\x1b]52;c;aGk=\x1b\\rest", "rest"),
        ("\x9b31mred", "red"),
        ("a\tb\nc\rd", "a b c d"),
        ("a\x00b\x07c", "abc"),
        ("left\u202eright", "leftright"),
        ("no\u00a0break", "no break"),
        ("line\u2028break", "line break"),
        ("\ud800", "\N{REPLACEMENT CHARACTER}"),
        ("通义千问", "通义千问"),
    ],
)
def test_only_what_can_be_drawn_is_kept(text: str, safe: str) -> None:
    assert clean(text) == safe


@given(st.text())
def test_cleaned_text_is_printable_and_cleaning_it_again_changes_nothing(text: str) -> None:
    safe = clean(text)
    assert not any(unicodedata.category(one) in ("Cc", "Cf", "Cs", "Zl", "Zp") for one in safe)
    assert "\x1b" not in safe
    assert clean(safe) == safe


@given(st.text())
def test_no_part_of_a_line_can_hold_a_control_character(text: str) -> None:
    assert not any(unicodedata.category(one) == "Cc" for one in Part(text).text)


def test_a_block_keeps_its_lines_and_its_limit() -> None:
    assert clean_block("one\x1b[1m\r\ntwo\x00\nthree", 100) == "one\ntwo\nthree"
    assert clean_block("abcdef", 3) == "abc"


@given(st.text())
def test_a_width_is_what_the_terminal_library_says(text: str) -> None:
    safe = clean(text)
    assert cell_width(safe) == cell_len(safe)


@given(st.text(), st.integers(-3, 40))
def test_a_cut_text_fits(text: str, width: int) -> None:
    safe = clean(text)
    assert cell_width(cut_text(safe, width)) <= max(0, width)
    assert safe.startswith(cut_text(safe, width))


def test_every_glyph_has_an_ascii_twin_of_one_cell() -> None:
    for glyph, twin in ASCII_GLYPHS.items():
        assert cell_width(glyph) == len(glyph) == 1
        assert twin.isascii()
        assert len(twin) == 1


@given(st.text())
def test_ascii_only_keeps_the_width(text: str) -> None:
    safe = clean(text)
    assert ascii_only(safe).isascii()
    assert len(ascii_only(safe)) == cell_width(safe)
