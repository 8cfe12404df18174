"""One slot's task, from the first look at which it ran to the first at which it did not.

After release a slot tells only what it holds. From that follows how much the task wrote:
it holds what was reused, read and written, but for the last token written.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from mecha_tui.core.rates import Mark
from mecha_tui.core.slots import Phase, Slot


class Ending(Enum):
    """How a task ended, as far as looks can tell."""

    DONE = "done"
    """By itself or by its client: looks cannot tell which."""
    LIMIT = "limit"
    """It wrote as much as it was allowed to."""
    WALL = "wall"
    """The slot was full."""
    LOST = "lost"
    """The server, or the slot, was gone before the end was seen."""


@dataclass(frozen=True, slots=True)
class Reread:
    """What a task read although the server had held it before."""

    tokens: int
    seconds: float | None = None
    """At the measured reading rate; None where none was measured."""


@dataclass(frozen=True, slots=True)
class Task:
    """What one task did. A count that the looks cannot know is None."""

    slot_id: int
    task_id: int | None
    began_s: float | None
    """Monotonic second of the first look at it; None when it ran before our time, or unseen."""
    reading_until_s: float | None
    """The first look at which it wrote; None when it was never seen to write."""
    ended_s: float | None
    """The first look at which it ran no more; None while it runs."""
    seen_s: float
    """The last look at which it ran."""
    reused_tokens: int | None = None
    read_tokens: int | None = None
    """Prompt tokens processed; at least so many when the task is partial."""
    written_tokens: int | None = None
    """Tokens generated; at least so many when the task is partial."""
    reading_tokens_per_s: float | None = None
    """Between two looks at which it read."""
    writing_tokens_per_s: float | None = None
    held_before_tokens: int | None = None
    """What the slot held at the look before it."""
    held_tokens: int | None = None
    """What the slot held at the last look, or after it."""
    window_tokens: int | None = None
    busy_slots: int | None = None
    """The most slots that were busy at once while it ran."""
    reread: Reread | None = None
    ending: Ending | None = None
    """None while it runs."""
    is_partial: bool = False
    """Whether some of it was not seen, so that counts are missing or floors."""

    @property
    def prompt_tokens(self) -> int | None:
        """The whole prompt; None until all of it was read, or when that was not seen."""
        if self.reading_until_s is None or self.reused_tokens is None or self.read_tokens is None:
            return None
        return self.reused_tokens + self.read_tokens

    @property
    def is_cut(self) -> bool:
        """Whether it ended because its slot was full."""
        return self.ending is Ending.WALL

    @property
    def seconds(self) -> float | None:
        """How long it ran, to the look; None when its beginning was not seen."""
        if self.began_s is None:
            return None
        return max(0.0, (self.seen_s if self.ended_s is None else self.ended_s) - self.began_s)


@dataclass(frozen=True, slots=True)
class Running:
    """A task under way: its newest look, and what of the earlier ones is still needed."""

    slot: Slot
    seen_s: float
    began_s: float | None
    held_before_tokens: int | None
    busy_slots: int | None
    first_read: Mark | None = None
    last_read: Mark | None = None
    first_written: Mark | None = None
    conversation: int | None = None
    """Which conversation it goes on with; None before its prompt was read."""
    reread: Reread | None = None
    is_odd: bool = False
    """Whether its counts went back."""

    @property
    def reading_tokens_per_s(self) -> float | None:
        """Between the first and the last look at which it read; None for fewer than two."""
        return _rate(self.first_read, self.last_read)


def begun(slot: Slot, before: Slot | None, at_s: float, busy_slots: int | None) -> Running:
    """Return a task at its first look.

    Args:
        slot: The slot now.
        before: The slot at the look before; None at first sight.
        at_s: The monotonic second of the look.
        busy_slots: Slots that are busy now.
    """
    held = None if before is None else before.held_tokens
    began_s = None if before is None else at_s
    return continued(Running(slot, at_s, began_s, held, busy_slots), slot, at_s, busy_slots)


def continued(task: Running, slot: Slot, at_s: float, busy_slots: int | None) -> Running:
    """Return a task after one more look at it."""
    first_read, last_read, first_written = task.first_read, task.last_read, task.first_written
    if slot.phase is Phase.READING and slot.read_tokens:
        last_read = Mark(at_s, slot.read_tokens)
        first_read = first_read or last_read
    elif slot.phase is Phase.WRITING and first_written is None and slot.written_tokens:
        first_written = Mark(at_s, slot.written_tokens)
    went_back = (slot.written_tokens or 0) < (task.slot.written_tokens or 0)
    if busy_slots is None or (task.busy_slots or 0) > busy_slots:
        busy_slots = task.busy_slots
    return Running(
        slot,
        at_s,
        task.began_s,
        task.held_before_tokens,
        busy_slots,
        first_read,
        last_read,
        first_written,
        task.conversation,
        task.reread,
        task.is_odd or went_back,
    )


def is_same(task: Running, slot: Slot) -> bool:
    """Whether a slot still runs this task; without numbers, a count that drops is another's."""
    if task.slot.task_id is None and slot.task_id is None:
        return (slot.written_tokens or 0) >= (task.slot.written_tokens or 0)
    return task.slot.task_id == slot.task_id


def so_far(task: Running) -> Task:
    """Return a task that still runs, as it stands."""
    slot = task.slot
    reused = slot.reused_tokens
    if not slot.read_tokens and not slot.written_tokens:
        reused = reused or None  # before the first batch, 0 stands for not known yet
    last = None
    if slot.phase is Phase.WRITING and slot.written_tokens is not None:
        last = Mark(task.seen_s, slot.written_tokens)
    return Task(
        slot.slot_id,
        slot.task_id,
        task.began_s,
        task.first_written.at_s if task.first_written else None,
        None,
        task.seen_s,
        reused,
        slot.read_tokens,
        slot.written_tokens,
        task.reading_tokens_per_s,
        _rate(task.first_written, last),
        task.held_before_tokens,
        slot.held_tokens,
        slot.window_tokens,
        task.busy_slots,
        task.reread,
        is_partial=task.is_odd,
    )


def ended(task: Running, left: Slot | None, at_s: float, *, is_lost: bool = False) -> Task:
    """Return a task at its end.

    Args:
        task: The task as last seen running.
        left: The idle slot that it left behind; None where another task runs there
            already, or where the slot is gone.
        at_s: The monotonic second of the look that found it ended.
        is_lost: Whether the server or the slot was gone.
    """
    told = so_far(task)
    written = None if left is None else _written(told, left)
    is_whole = written is not None and not told.is_partial and not task.slot.is_speculative
    held = told.held_tokens
    if left is not None and left.held_tokens is not None and left.held_tokens >= (held or 0):
        held = left.held_tokens
    seen = told.written_tokens if told.reading_until_s is not None else None
    told = replace(
        told,
        ended_s=at_s,
        written_tokens=seen if written is None else written,
        held_tokens=held,
        is_partial=not is_whole,
    )
    return replace(told, ending=Ending.LOST if is_lost else _ending(told, task.slot))


def unseen(left: Slot, before: Slot, at_s: float) -> Task:
    """Return a task that began and ended between two looks: only what it left is known."""
    task = Task(
        left.slot_id,
        left.task_id,
        None,
        None,
        at_s,
        at_s,
        held_before_tokens=before.held_tokens,
        held_tokens=left.held_tokens,
        window_tokens=left.window_tokens,
        is_partial=True,
    )
    return replace(task, ending=_ending(task, left))


def _written(task: Task, left: Slot) -> int | None:
    """Return how much a task wrote in all, by what it left; None where that does not tell."""
    prompt, held = task.prompt_tokens, left.held_tokens
    if prompt is None or held is None:
        return None
    written = held - prompt + 1
    # A slot that was emptied since, or that dropped old text, does not tell.
    return written if written >= (task.written_tokens or 0) else None


def _ending(task: Task, last: Slot) -> Ending:
    held, window = task.held_tokens, task.window_tokens
    if held is not None and window is not None and held >= window - 1:
        return Ending.WALL
    if last.written_tokens is not None and last.remaining_tokens is not None:
        limit = last.written_tokens + last.remaining_tokens
        if last.is_processing and not task.is_partial and task.written_tokens == limit:
            return Ending.LIMIT
    return Ending.DONE


def _rate(first: Mark | None, last: Mark | None) -> float | None:
    if first is None or last is None or last.at_s <= first.at_s:
        return None
    return (last.tokens - first.tokens) / (last.at_s - first.at_s)
