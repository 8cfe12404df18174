"""What a llama-server was told at its start, by command line and environment."""

from __future__ import annotations

from dataclasses import dataclass

from mecha_tui.core.kv import ModelShape
from mecha_tui.core.reading import Reading, unknown

NOT_GIVEN = "not given, so left to the server"
"""The reason of a flag that was not given and has no fixed default."""

_UNREAD: Reading[int] = unknown("the server's command line was not read")
_UNREAD_BOOL: Reading[bool] = unknown("the server's command line was not read")
_UNREAD_TEXT: Reading[str] = unknown("the server's command line was not read")


@dataclass(frozen=True, slots=True)
class LaunchFlags:
    """The launch flags that decide a context's size and an answer's room.

    A flag that was not given is unknown with the reason that says so, unless the server
    has a fixed default for it, which then counts as known.
    """

    context_tokens: Reading[int] = _UNREAD
    """``-c``: tokens over all slots; 0 means the model's own."""
    slots: Reading[int] = _UNREAD
    """``-np``; unknown, or below 1, when left to the server."""
    is_unified: Reading[bool] = _UNREAD_BOOL
    """``-kvu``: one pool shared by all slots."""
    per_slot_cap_tokens: Reading[int] = _UNREAD
    """``--kv-unified-per-slot``."""
    reasoning_budget: Reading[int] = _UNREAD
    """``--reasoning-budget`` in tokens; -1 is no limit, 0 is no thinking."""
    cache_ram_mib: Reading[int] = _UNREAD
    """``-cram``: the host prompt cache in MiB; -1 is no limit, 0 is off."""
    context_shift: Reading[bool] = _UNREAD_BOOL
    """``--context-shift``: the oldest text is dropped silently when a slot is full."""
    sleep_idle_s: Reading[int] = _UNREAD
    """``--sleep-idle-seconds``; -1 is never."""
    reasoning: Reading[str] = _UNREAD_TEXT
    """``--reasoning``: ``on``, ``off``, or ``auto`` for what the chat template can do."""
    cache_type_k: Reading[str] = _UNREAD_TEXT
    """``-ctk``: how keys are stored, such as ``f16`` or ``q8_0``."""
    cache_type_v: Reading[str] = _UNREAD_TEXT
    """``-ctv``: how values are stored."""
    swa_full: Reading[bool] = _UNREAD_BOOL
    """``--swa-full``: layers with a sliding window keep the whole context all the same."""
    physical_batch_tokens: Reading[int] = _UNREAD
    """``-ub``: the largest batch computed at once."""
    fit: Reading[bool] = _UNREAD_BOOL
    """``--fit``: whether the server may choose a smaller context to fit the memory."""
    model_path: Reading[str] = _UNREAD_TEXT
    """``-m``, as given."""
    is_embedding: Reading[bool] = _UNREAD_BOOL
    """``--embeddings`` or ``--reranking``: it answers with vectors or scores, not with text."""
    slot_save_path: Reading[str] = _UNREAD_TEXT
    """``--slot-save-path``: where slots are saved to and restored from."""
    model: Reading[ModelShape] = unknown("the model file was not read")
    """What the model's own file says of its shape."""
    is_complete: bool = False
    """Whether command line and environment were both read, so that a flag found in neither
    was not given."""

    @property
    def can_restore_slots(self) -> bool | None:
        """Whether somebody can fill a slot from a file; None when that is not known."""
        if self.slot_save_path.value is not None:
            return True
        is_given = self.slot_save_path.reason != NOT_GIVEN
        return False if self.is_complete and not is_given else None

    @property
    def has_auto_slots(self) -> bool | None:
        """Whether the number of slots was left to the server; None when that is not known."""
        if self.slots.value is not None:
            return self.slots.value < 1
        return True if self.is_complete else None

    @property
    def has_own_context(self) -> bool | None:
        """Whether a total was asked for with ``-c``; None when that is not known."""
        if self.context_tokens.value is not None:
            return self.context_tokens.value > 0
        return False if self.is_complete else None
