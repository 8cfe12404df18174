"""A whole screen as lines, and where it answers the mouse."""

from __future__ import annotations

from dataclasses import dataclass

from mecha_tui.present.text import Line
from mecha_tui.present.view import Hit


@dataclass(frozen=True, slots=True)
class Frame:
    """One drawn screen."""

    lines: tuple[Line, ...]
    hits: tuple[Hit, ...] = ()
    visible_rows: int = 0
    """How many rows of the slot table are on the screen."""

    def hit(self, x: int, y: int) -> Hit | None:
        """Return what lies under a cell."""
        return next(
            (one for one in self.hits if one.y == y and one.x <= x < one.x + one.width), None
        )
