"""Lines written to the terminal, coloured only where someone looks."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import TextIO

from mecha_tui.present.check import Line, Tone

_CODES = {
    Tone.STRONG: "1",
    Tone.QUIET: "2",
    Tone.GOOD: "32",
    Tone.WARNING: "33",
    Tone.BAD: "31",
}


def is_coloured(stream: TextIO) -> bool:
    """Whether a stream is a terminal on which colour is wanted."""
    return stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def write_lines(lines: Iterable[Line], stream: TextIO | None = None) -> None:
    """Write lines, with colour on a terminal and as plain text elsewhere."""
    out = stream or sys.stdout
    coloured = is_coloured(out)
    for line in lines:
        text = "".join(
            f"\x1b[{_CODES[piece.tone]}m{piece.text}\x1b[0m"
            if coloured and piece.tone in _CODES and piece.text.strip()
            else piece.text
            for piece in line
        )
        encoding = out.encoding or "utf-8"
        out.write(text.rstrip().encode(encoding, "replace").decode(encoding) + "\n")
    out.flush()
