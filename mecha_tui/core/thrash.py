"""Turns in a row that read again what was held before: the pattern that accuses somebody."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mecha_tui.core.rereads import Visit

WINDOW_S = 1800.0
"""Turns longer ago say nothing of how it goes now."""
LEAST_TURNS = 3
"""So many turns in a row must have read again before anybody is accused."""
LEAST_IN_PLACE = 5
"""So many, where each could as well be a new conversation's first."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """Turns in a row that read again what was held before."""

    visits: tuple[Visit, ...]
    """Only those that did, oldest first."""
    conversations: int
    """How many took turns."""
    in_place: bool
    """Whether the slot held the conversation until its turn, most times."""

    @property
    def again_tokens(self) -> int:
        """Tokens that were read again."""
        return sum(one.again_tokens for one in self.visits)


def pattern(visits: tuple[Visit, ...], now_s: float) -> Pattern | None:
    """Return the pattern that the last turns make; None where they prove nothing.

    Every conversation must have come back about twice, and nobody new in between, for
    unlike prompts of any length seem to follow each other now and then.
    """
    recent = [one for one in visits if now_s - one.at_s <= WINDOW_S]
    grown = _run(recent, lambda one: one.in_place and one.again_tokens > 0)
    if len(grown) >= LEAST_IN_PLACE and len({one.slot_id for one in grown}) == 1:
        return Pattern(tuple(grown), 1, in_place=True)
    run = _run(recent, lambda one: not one.is_new)
    again = [one for one in run if one.again_tokens]
    talkers = {one.conversation for one in again}
    if len(again) < max(LEAST_TURNS, 2 * len(talkers) - 1) or 2 * len(again) < len(run):
        return None
    in_place = 2 * sum(one.in_place for one in again) > len(again)
    return Pattern(tuple(again), len(talkers), in_place)


def _run(visits: list[Visit], belongs: Callable[[Visit], bool]) -> list[Visit]:
    """Return the last turns in a row that belong, oldest first."""
    last = len(visits)
    while last and belongs(visits[last - 1]):
        last -= 1
    return visits[last:]
