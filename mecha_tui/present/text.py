"""Lines of text with tones: what every screen and report is made of, before any colour."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from mecha_tui.present.clean import cell_width, clean, cut_text


class Tone(Enum):
    """What a piece of text means; the theme decides how it looks."""

    TEXT = "text"
    MUTED = "muted"
    FAINT = "faint"
    """Borders and the empty part of a gauge."""
    ACCENT = "accent"
    """Writing, the model, a key, a cure."""
    READING = "reading"
    """Reading, other programs."""
    WARNING = "warning"
    ERROR = "error"
    GOOD = "good"


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of text in one tone. Control characters never get past its constructor."""

    text: str
    tone: Tone = Tone.TEXT
    is_bold: bool = False
    is_lit: bool = False
    """Whether it stands on the background of the chosen row."""

    def __post_init__(self) -> None:
        if not self.text.isprintable():
            object.__setattr__(self, "text", clean(self.text))


Line = tuple[Part, ...]
"""One line of a screen."""

EMPTY: Line = ()


def line(*pieces: str | Part | Line) -> Line:
    """Return one line made of texts, parts and lines."""
    parts: list[Part] = []
    for piece in pieces:
        if isinstance(piece, str):
            parts.append(Part(piece))
        elif isinstance(piece, Part):
            parts.append(piece)
        else:
            parts.extend(piece)
    return tuple(part for part in parts if part.text)


def muted(text: str) -> Part:
    """Return text that does not matter now."""
    return Part(text, Tone.MUTED)


def faint(text: str) -> Part:
    """Return text that only frames."""
    return Part(text, Tone.FAINT)


def bold(text: str, tone: Tone = Tone.TEXT) -> Part:
    """Return text that stands out."""
    return Part(text, tone, is_bold=True)


def width_of(parts: Line) -> int:
    """Return how many cells a line takes."""
    # Every frame asks for thousands of these, nearly all of them ASCII.
    return sum([len(part.text) if part.text.isascii() else cell_width(part.text) for part in parts])


def plain(parts: Line) -> str:
    """Return a line's text alone."""
    return "".join(part.text for part in parts)


def cut(parts: Line, width: int) -> Line:
    """Return the line in at most ``width`` cells, an ellipsis where it was cut."""
    if width <= 0:
        return EMPTY
    if width_of(parts) <= width:
        return parts
    kept: list[Part] = []
    room = width - 1
    for part in parts:
        cells = cell_width(part.text)
        if cells > room:
            kept.append(replace(part, text=cut_text(part.text, room) + "…"))
            break
        kept.append(part)
        room -= cells
    return tuple(kept)


def filled(parts: Line, width: int) -> Line:
    """Return the line in exactly ``width`` cells."""
    cells = width_of(parts)
    if cells > width:
        parts = cut(parts, width)
        cells = width_of(parts)
    return (*parts, Part(" " * (width - cells))) if cells < width else parts


def spread(left: Line, right: Line, width: int) -> Line:
    """Return one line of exactly ``width`` cells with both ends filled; the left is cut first."""
    right = cut(right, width)
    room = width - width_of(right)
    return (*filled(left, room), *right)


def faded(parts: Line) -> Line:
    """Return the line greyed, as what is no longer true."""
    return tuple(
        [
            Part(
                part.text, Tone.FAINT if part.tone is Tone.FAINT else Tone.MUTED, False, part.is_lit
            )
            for part in parts
        ]
    )


def lit(parts: Line) -> Line:
    """Return the line on the background of the chosen row."""
    return tuple([Part(part.text, part.tone, part.is_bold, True) for part in parts])


def wrapped(text: str, width: int, tone: Tone = Tone.TEXT, *, limit: int = 500) -> list[Line]:
    """Return a text broken between words into lines of at most ``width`` cells.

    Args:
        text: The text; line breaks in it are kept.
        width: Cells in a line; below one nothing fits and nothing is returned.
        tone: The tone of every line.
        limit: Lines after this many are dropped.
    """
    if width < 1:
        return []
    lines: list[str] = []
    for paragraph in text.split("\n"):
        lines.extend(_broken(paragraph, width))
        if len(lines) >= limit:
            break
    return [(Part(one, tone),) if one else EMPTY for one in lines[:limit]]


def _broken(paragraph: str, width: int) -> list[str]:
    lines = [""]
    room = width
    for word in clean(paragraph).split(" "):
        cells = cell_width(word)
        if lines[-1] and cells + 1 > room:
            lines.append("")
            room = width
        if lines[-1]:
            lines[-1] += " "
            room -= 1
        while cells > room:
            head = cut_text(word, room) or word[:1]
            lines[-1] += head
            word = word[len(head) :]
            cells = cell_width(word)
            lines.append("")
            room = width
        lines[-1] += word
        room -= cells
    return lines
