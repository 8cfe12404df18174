"""Text from servers and files, made safe to keep and to show."""

from __future__ import annotations

import re

_SEQUENCE = re.compile(
    r"(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # system command, such as a title
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # control sequence, such as a colour
    r"|\x1b[ -/]*[0-~]"
)
_UNSAFE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
_LINE_END = re.compile(r"\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_BLANK = re.compile(r"[\n\t]+")

NAME_LIMIT = 300
"""Characters kept of a name, a path or a message."""
TEXT_LIMIT = 20_000
"""Characters kept of a prompt or an answer."""


def plain_text(text: str, limit: int = NAME_LIMIT) -> str:
    """Return one line without control, escape and direction characters, cut to a length.

    Square brackets stay: they are text, and it is for whoever draws to not read markup.
    """
    if text.isprintable() and len(text) <= limit:
        return text
    line = _BLANK.sub(" ", _safe(text[: 4 * limit])).strip()
    return line if len(line) <= limit else line[: limit - 1] + "…"


def plain_lines(text: str, limit: int = TEXT_LIMIT) -> str:
    """Return text of many lines made safe likewise, with only line ends and tabs left.

    Of a long text the end is kept, for that is where something happens.
    """
    lines = _safe(text[-4 * limit :])
    return lines if len(lines) <= limit else "…" + lines[1 - limit :]


def _safe(text: str) -> str:
    return _UNSAFE.sub("", _LINE_END.sub("\n", _SEQUENCE.sub("", text)))
