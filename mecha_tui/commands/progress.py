"""How far a long command is, on standard error and out of the way of its result."""

from __future__ import annotations

import os
import sys

from mecha_tui.core.text import plain_text


class Progress:
    """One line that is written over on a terminal; elsewhere a line for each step."""

    def __init__(self) -> None:
        self._is_live = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._is_open = False
        self._step = ""

    def tell(self, step: str, text: str) -> None:
        """Show where it stands.

        Args:
            step: What is going on; only a new one is told where nothing can be written over.
            text: The step with what changes while it goes on.
        """
        if self._is_live:
            sys.stderr.write(f"\r\x1b[K{plain_text(text)}")
            self._is_open = True
        elif step != self._step:
            sys.stderr.write(f"{plain_text(text)}\n")
        self._step = step
        sys.stderr.flush()

    def end(self) -> None:
        """Leave the line empty for what follows."""
        if self._is_open:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._is_open = False
