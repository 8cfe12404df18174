"""One look at the slots under way: which tasks it finds begun, going on and ended."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from mecha_tui.core.rereads import Memory, Prompt, Ways
from mecha_tui.core.slots import Slot
from mecha_tui.core.tasks import (
    Running,
    Task,
    begun,
    continued,
    ended,
    is_same,
    so_far,
    unseen,
)


@dataclass(slots=True)
class Look:
    """What one look makes of the tasks; it changes while slot after slot is taken in."""

    at_s: float
    busy: int | None
    ways: Ways
    running: dict[int, Running]
    ended: list[Task] = field(default_factory=list)
    changes: list[tuple[int, int, int]] = field(default_factory=list)
    memory: Memory = field(default_factory=Memory)
    has_begun: bool = False

    def end(self, task: Running, left: Slot | None, *, is_lost: bool = False) -> None:
        """Take in that a task is over, and what it left in its slot."""
        whole = ended(task, left, self.at_s, is_lost=is_lost)
        self.ended.append(whole)
        if whole.held_tokens and not is_lost:
            self.memory = self.memory.with_content(
                whole.slot_id, whole.held_tokens, whole.prompt_tokens, task.conversation
            )

    def take(self, slot: Slot, before: Slot | None) -> None:
        """Take in a slot that runs a task."""
        task = self.running.get(slot.slot_id)
        if task is not None and is_same(task, slot):
            task = continued(task, slot, self.at_s, self.busy)
        else:
            if task is not None:
                self.end(task, None)
            self.has_begun = True
            task = begun(slot, before, self.at_s, self.busy)
        if task.first_written is not None and task.conversation is None:
            task = self._recognized(task)
        self.running[slot.slot_id] = task

    def _recognized(self, task: Running) -> Running:
        told = so_far(task)
        if told.prompt_tokens is None:
            return task
        prompt = Prompt(
            self.at_s,
            told.slot_id,
            told.task_id,
            told.prompt_tokens,
            told.reused_tokens or 0,
            told.held_before_tokens,
        )
        self.memory, visit = self.memory.with_prompt(prompt, self.ways)
        return replace(task, conversation=visit.conversation)

    def rest(self, slot: Slot, before: Slot | None) -> None:
        """Take in a slot that runs nothing."""
        task = self.running.pop(slot.slot_id, None)
        if task is not None:
            is_its_own = task.slot.task_id == slot.task_id
            self.end(task, slot if is_its_own else None)
            if not is_its_own and slot.task_id is not None:
                self.ended.append(unseen(slot, task.slot, self.at_s))
        elif before is None:
            self._first_seen(slot)
        elif before.task_id != slot.task_id:
            if slot.task_id is not None:
                self.ended.append(unseen(slot, before, self.at_s))
                self._first_seen(slot)
        elif (before.held_tokens or 0) != (slot.held_tokens or 0) and not before.is_processing:
            # A slot that is only now known to be empty was not erased.
            held = (slot.slot_id, before.held_tokens or 0, slot.held_tokens or 0)
            self.changes.append(held)
            self.memory = self.memory.without_content(slot.slot_id)

    def _first_seen(self, slot: Slot) -> None:
        if slot.held_tokens:
            self.memory = self.memory.with_content(slot.slot_id, slot.held_tokens, None, None)
