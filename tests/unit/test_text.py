"""Text from outside loses what could command a terminal, and nothing that can be read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mecha_tui.core.secrets import masked_arguments
from mecha_tui.core.text import plain_lines, plain_text


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("qwen[/b]\x1b[31m", "qwen[/b]"),
        ("a\x1b]0;owned\x07b", "ab"),
        ("a\x1b]8;;http://x\x1b\\link", "alink"),
        ("a\x1bPq\x9b31mb", "aqb"),
        ("a\x9b2Jb", "ab"),
        ("two\r\nlines\tand\x00more", "two lines andmore"),
        ("right\u202eleft\u2066", "rightleft"),
        ("half\ud800", "half"),
        ("日本語 модель 🦙", "日本語 модель 🦙"),
        ("  padded \n", "padded"),
        ("\x1b", ""),
    ],
)
def test_a_line_is_made_safe(text: str, plain: str) -> None:
    assert plain_text(text) == plain


def test_length_is_bounded_and_the_cut_is_shown() -> None:
    assert plain_text("x" * 10**6, 10) == "x" * 9 + "…"
    assert plain_lines("x" * 10**6 + "y", 10) == "…" + "x" * 8 + "y"
    assert plain_text("x" * 10, 10) == "x" * 10


def test_lines_and_tabs_stay_in_a_text_of_many_lines() -> None:
    assert plain_lines("a\r\nb\rc\u2028d\te\x1b[1m") == "a\nb\nc\nd\te"


@given(st.text())
def test_nothing_that_comes_out_commands_a_terminal(text: str) -> None:
    for plain in (plain_text(text), plain_lines(text)):
        assert not any(ord(one) < 32 and one not in "\n\t" for one in plain)
        assert not any(127 <= ord(one) < 160 for one in plain)
        plain.encode()
    assert "\n" not in plain_text(text)


@pytest.mark.parametrize(
    ("arguments", "masked"),
    [
        (["--api-key", "k", "-c", "1"], ("--api-key", "***", "-c", "1")),
        (["--api-key=k"], ("--api-key=***",)),
        (["-hft", "k"], ("-hft", "***")),
        (["--hf-token", "k"], ("--hf-token", "***")),
        (["--api-key", "--api-key"], ("--api-key", "***")),
        (["--api-key-file", "/path"], ("--api-key-file", "/path")),
        (["LLAMA_API_KEY=k", "HF_TOKEN=k"], ("LLAMA_API_KEY=***", "HF_TOKEN=***")),
        (["--special", "--keep", "5"], ("--special", "--keep", "5")),
        ([], ()),
    ],
)
def test_keys_are_masked_in_a_command_line(arguments: list[str], masked: tuple[str, ...]) -> None:
    assert masked_arguments(arguments) == masked
