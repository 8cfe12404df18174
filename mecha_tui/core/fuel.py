"""How full a context window is, measured against what the client was promised."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

WARM_RATIO = 0.75
"""From here the gauge is yellow, as in mecha's own."""
HOT_RATIO = 0.90
"""From here the gauge is red, as in mecha's own."""


class FuelLevel(Enum):
    """How near a context is to its end."""

    UNKNOWN = "unknown"
    NORMAL = "normal"
    WARM = "warm"
    HOT = "hot"


@dataclass(frozen=True, slots=True)
class Fuel:
    """One context gauge: what is held, on which scale, and where the marks stand."""

    held_tokens: int | None
    scale_tokens: int | None
    """Tokens at the right end of the gauge: the client's promise, else the slot's window."""
    limit_tokens: int | None
    """Where the context really ends: the smaller of promise and window."""
    wall_tokens: int | None
    """The slot's end when it lies before the right end of the gauge; None otherwise."""
    compaction_tokens: int | None
    """Where the client compacts its transcript; None when unknown or past the limit."""

    @property
    def ratio(self) -> float | None:
        """Held over limit, 0 to 1 and never clamped, so that a server's fault stays visible."""
        if self.held_tokens is None or not self.limit_tokens:
            return None
        return self.held_tokens / self.limit_tokens

    @property
    def level(self) -> FuelLevel:
        """Whether the context is nearly full."""
        if self.ratio is None:
            return FuelLevel.UNKNOWN
        if self.ratio >= HOT_RATIO:
            return FuelLevel.HOT
        return FuelLevel.WARM if self.ratio >= WARM_RATIO else FuelLevel.NORMAL


def fuel(
    held_tokens: int | None,
    window_tokens: int | None,
    promised_tokens: int | None = None,
    compaction_tokens: int | None = None,
) -> Fuel:
    """Return the gauge of one slot.

    Args:
        held_tokens: Tokens in the slot's cache.
        window_tokens: The slot's window.
        promised_tokens: The client's ``context_window``.
        compaction_tokens: Where the client compacts its transcript.
    """
    ends = [tokens for tokens in (window_tokens, promised_tokens) if tokens]
    limit = min(ends) if ends else None
    scale = promised_tokens or window_tokens
    wall = window_tokens if window_tokens and scale and window_tokens < scale else None
    mark = compaction_tokens if compaction_tokens and limit and compaction_tokens <= limit else None
    return Fuel(held_tokens, scale, limit, wall, mark)
