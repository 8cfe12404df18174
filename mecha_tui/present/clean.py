"""Text from servers and files made safe to draw, and how many cells it takes."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_ESCAPE = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # operating system command, such as a title
    r"|[\x1b\x9b]\[?[0-?]*[ -/]*[@-~]"  # control sequence, such as a colour
)
_INVISIBLE = (
    range(0xFE00, 0xFE10),
    range(0x1F3FB, 0x1F400),
    range(0x3164, 0x3165),
    range(0xFFA0, 0xFFA1),
)
"""Selectors, skin tones and fillers: they change the character before them, or nothing."""
_DISPUTED = (
    range(0x2630, 0x2638),
    range(0x268A, 0x2690),
    range(0x4DC0, 0x4E00),
    range(0x1D300, 0x1D357),
    range(0x1D360, 0x1D379),
)
"""Symbols that some terminals draw in one cell and others in two."""
_JAMO = (range(0x1160, 0x1200), range(0xD7B0, 0xD800))
"""Vowels that are drawn into the syllable before them."""


def clean(text: str) -> str:
    """Return the text on one line, without escape sequences and control characters.

    Line breaks, tabs and unusual blanks become one blank each; invisible marks, such as
    those that turn the writing direction, are dropped; what has no glyph becomes U+FFFD.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_safe(character) for character in _ESCAPE.sub("", text))


def clean_block(text: str, limit: int) -> str:
    """Return a longer text made safe, its line breaks kept, cut to ``limit`` characters."""
    return "\n".join(clean(line) for line in text[:limit].splitlines())


def _safe(character: str) -> str:
    if character.isascii() and character.isprintable():
        return character
    category = unicodedata.category(character)
    if category in ("Zs", "Zl", "Zp") or character in "\t\n\r\v\f":
        return " "
    if category in ("Cc", "Cf") or _is_in(character, _INVISIBLE):
        return ""
    if category in ("Cs", "Co", "Cn") or _is_in(character, _DISPUTED):
        return "\N{REPLACEMENT CHARACTER}"
    return character


def _is_in(character: str, ranges: tuple[range, ...]) -> bool:
    return any(ord(character) in one for one in ranges)


def cell_width(text: str) -> int:
    """Return how many cells a cleaned text takes in a terminal."""
    return len(text) if text.isascii() else _wide_width(text)


@lru_cache(maxsize=2048)
def _wide_width(text: str) -> int:
    """Borders and gauges are the same in every frame, so their widths are remembered."""
    return sum(_cells(character) for character in text)


def cut_text(text: str, width: int) -> str:
    """Return the longest beginning of the text that fits into ``width`` cells."""
    if text.isascii():
        return text[: max(0, width)]
    room = width
    for index, character in enumerate(text):
        room -= _cells(character)
        if room < 0:
            return text[:index]
    return text


@lru_cache(maxsize=1024)
def _cells(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Mc") or _is_in(character, _JAMO):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
