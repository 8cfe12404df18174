"""Lines written to the terminal, coloured only where someone looks."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from typing import TextIO

from mecha_tui.present.check import Line, Tone
from mecha_tui.present.hanging import hanging

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


def is_utf8(stream: TextIO) -> bool:
    """Whether a stream takes more than ASCII for sure."""
    return stream.encoding.lower().replace("-", "") == "utf8"


def write_lines(lines: Iterable[Line], stream: TextIO | None = None) -> None:
    """Write lines, broken and coloured for a terminal, as they are elsewhere."""
    out = stream or sys.stdout
    coloured = is_coloured(out)
    if out.isatty():
        width = shutil.get_terminal_size().columns
        lines = [each for line in lines for each in hanging(line, width)]
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
