"""What a llama-server was told at its start, by command line and environment."""

from __future__ import annotations

from dataclasses import dataclass

from mecha_tui.core.reading import Reading, unknown

_UNREAD: Reading[int] = unknown("the server's command line was not read")
_UNREAD_BOOL: Reading[bool] = unknown("the server's command line was not read")


@dataclass(frozen=True, slots=True)
class LaunchFlags:
    """The launch flags that decide a context's size and an answer's room.

    A flag that was not given is unknown with the reason that says so, unless the server
    has a fixed default for it, which then counts as known.
    """

    context_tokens: Reading[int] = _UNREAD
    """``-c``: tokens over all slots; 0 means the model's own."""
    slots: Reading[int] = _UNREAD
    """``-np``; unknown when left to the server."""
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
