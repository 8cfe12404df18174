"""ASCII in the place of the screen's own glyphs, for terminals that are not UTF-8."""

from __future__ import annotations

from mecha_tui.present.clean import cell_width

ASCII_GLYPHS = {
    "━": "=",
    "╸": "=",
    "─": "-",
    "┄": " ",
    "┼": "|",
    "┿": "|",
    "│": "|",
    "┤": "|",
    "├": "|",
    "┃": "|",
    "╱": "/",
    "╭": "+",
    "╮": "+",
    "╰": "+",
    "╯": "+",
    "▶": ">",
    "◀": "<",
    "·": ".",
    "●": "*",
    "○": "o",
    "◌": "o",
    "◐": "o",
    "◇": "o",
    "☾": "z",
    "✗": "x",
    "✓": "+",
    "–": "-",
    "−": "-",
    "÷": "/",
    "→": ">",
    "≤": "<",
    "≈": "~",
    "∞": "~",
    "…": ".",
    "›": ">",
    "↑": "^",
    "↓": "v",
    "←": "<",
    "⟲": "@",
    "↻": "@",
    "‖": "#",
    "▁": ".",
    "▂": ".",
    "▃": ":",
    "▄": ":",
    "▅": "|",
    "▆": "|",
    "▇": "#",
    "█": "#",
}
"""What each glyph becomes; every one takes exactly one cell on both sides."""


def ascii_only(text: str) -> str:
    """Return the text in ASCII, in as many cells; foreign letters become question marks."""
    if text.isascii():
        return text
    return "".join(
        character
        if character.isascii()
        else ASCII_GLYPHS.get(character, "?" * cell_width(character))
        for character in text
    )
