"""What one llama-server slot is doing, worked out from one ``/slots`` entry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum


class Phase(Enum):
    """What a slot is doing now."""

    IDLE = "idle"
    """No task runs. The slot may still hold tokens, ready to be reused."""
    READING = "reading"
    """A prompt is being processed; no token has been generated yet."""
    WRITING = "writing"
    """Tokens are being generated."""
    UNKNOWN = "unknown"
    """The server does not say whether the slot is busy, or not what it is busy with."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One entry of ``GET /slots``. A field the server did not send is None.

    Source:
        ``server_slot::to_json`` in llama.cpp's ``tools/server/server-context.cpp``.
    """

    slot_id: int
    is_processing: bool | None = None
    window_tokens: int | None = None
    """Tokens this slot may hold (``n_ctx``), above zero. In a shared pool: the whole pool."""
    task_id: int | None = None
    """The running task, or on an idle slot the last one."""
    held_tokens: int | None = None
    """Tokens now in the slot's cache, prompt and generated together (``n_prompt_tokens``).

    This alone is the occupancy: generated tokens are in it already.
    """
    read_tokens: int | None = None
    """Prompt tokens processed for this task, reused ones apart (``n_prompt_tokens_processed``)."""
    reused_tokens: int | None = None
    """Prompt tokens taken over from the slot's earlier content (``n_prompt_tokens_cache``)."""
    written_tokens: int | None = None
    """Tokens generated for this task (``n_decoded``)."""
    remaining_tokens: int | None = None
    """Tokens the task may still generate; None when unknown or without limit."""
    is_unlimited: bool = False
    """Whether the server says that the task has no limit (``n_remain`` of -1)."""
    is_speculative: bool | None = None
    parameters: Mapping[str, object] = field(default_factory=dict)
    """Sampling parameters of the current or last task, as JSON values by name."""
    prompt: str | None = None
    """The prompt's text, on servers that send it."""
    generated: str | None = None
    """The generated text, on servers that send it."""

    @property
    def phase(self) -> Phase:
        """What the slot is doing, judged from this one look."""
        if self.is_processing is None:
            return Phase.UNKNOWN
        if not self.is_processing:
            return Phase.IDLE
        if self.written_tokens is None:
            return Phase.UNKNOWN
        return Phase.WRITING if self.written_tokens > 0 else Phase.READING

    @property
    def is_unused(self) -> bool:
        """Whether the slot never ran a task.

        Such a slot reports no counts, no task and no parameters at all. It may hold what
        somebody restored into it, which is not told either.
        """
        return (
            self.is_processing is False
            and self.task_id is None
            and not self.held_tokens
            and not self.parameters
        )

    @property
    def running_task_id(self) -> int | None:
        """The task that runs now; None on an idle slot, whose task is a leftover."""
        return self.task_id if self.is_processing else None


def reuse_ratio(slot: Slot) -> float | None:
    """Return which share of the prompt read so far came from the slot's cache.

    Returns:
        0 to 1; None on an idle slot (its counts are leftovers), before the first batch
        was read (a prompt is never reused whole, so a ratio of 1 would be wrong), or
        where the server sends no counts.
    """
    if not slot.is_processing or slot.reused_tokens is None or not slot.read_tokens:
        return None
    return slot.reused_tokens / (slot.reused_tokens + slot.read_tokens)
