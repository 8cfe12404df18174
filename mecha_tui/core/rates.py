"""Token rates from counts that grow, within one task, on a monotonic clock."""

from __future__ import annotations

from dataclasses import dataclass

from mecha_tui.core.slots import Phase, Slot

SPAN_S = 3.0
"""A rate looks back this many seconds: prompts are counted in steps of a whole batch."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A count and the monotonic second at which it was seen."""

    at_s: float
    tokens: int


@dataclass(frozen=True, slots=True)
class Track:
    """The recent marks of one count; a new subject starts a new track."""

    subject: tuple[object, ...] = ()
    """What is counted, such as slot, task and phase."""
    marks: tuple[Mark, ...] = ()

    def with_mark(self, subject: tuple[object, ...], at_s: float, tokens: int) -> Track:
        """Return the track with one more look; another subject or a drop starts afresh."""
        mark = Mark(at_s, tokens)
        if subject != self.subject or (self.marks and tokens < self.marks[-1].tokens):
            return Track(subject, (mark,))
        if self.marks and at_s <= self.marks[-1].at_s:
            return self
        old = [one for one in self.marks if at_s - one.at_s <= SPAN_S]
        if not old and self.marks:
            old = [self.marks[-1]]
        return Track(subject, (*old, mark))

    @property
    def tokens_per_s(self) -> float | None:
        """Tokens per second over the marks; None at first sight."""
        if len(self.marks) < 2:
            return None
        first, last = self.marks[0], self.marks[-1]
        return (last.tokens - first.tokens) / (last.at_s - first.at_s)


def counted_tokens(slot: Slot) -> int | None:
    """Return the count that moves in the slot's phase; None when idle or not told."""
    if slot.phase is Phase.WRITING:
        return slot.written_tokens
    return slot.read_tokens if slot.phase is Phase.READING else None


def new_tokens(before: Slot | None, now: Slot, phase: Phase) -> int | None:
    """Return how many tokens of one kind a slot's task gained between two looks.

    A task that began between the looks counts from zero, for all it did happened since.
    What an earlier task did after the first look is not seen, so the sum is a floor.

    Args:
        before: The slot at the earlier look; None at first sight, which gains nothing.
        now: The slot at the later look.
        phase: WRITING counts generated tokens, READING processed prompt tokens.

    Returns:
        None where the server does not say whether the slot runs, or how far it is.
    """
    if now.is_processing is None:
        return None
    if not now.is_processing:
        return 0
    tokens = _done(now, phase)
    if tokens is None or before is None:
        return None if tokens is None else 0
    if before.is_processing and before.task_id == now.task_id:
        return max(0, tokens - (_done(before, phase) or 0))
    return tokens


def _done(slot: Slot, phase: Phase) -> int | None:
    return slot.written_tokens if phase is Phase.WRITING else slot.read_tokens
