"""What ``-c``, ``-np`` and their kin make of a context: explained, where the server decides.

The server's own figure of a slot's window always comes first. This arithmetic tells why
it is what it is, and what another flag would make of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

PADDING_TOKENS = 256
"""A slot's window is rounded up to a multiple of this."""
AUTO_SLOTS = 4
"""Slots of a server that was not told ``-np``."""


class KvMode(Enum):
    """How the slots come by their context."""

    DIVIDED = "divided"
    """Each slot has a part of its own."""
    SHARED = "shared"
    """All slots draw on one pool."""


@dataclass(frozen=True, slots=True)
class Division:
    """A context as it falls to the slots."""

    slots: int
    slot_window_tokens: int
    mode: KvMode
    pool_tokens: int
    """All slots together: the shared pool, or the sum of the parts."""


def padded(tokens: int) -> int:
    """Return a number of tokens rounded up as the server rounds a window."""
    return -(-tokens // PADDING_TOKENS) * PADDING_TOKENS


def division(
    context_tokens: int,
    slots: int | None,
    *,
    is_unified: bool = False,
    per_slot_cap_tokens: int | None = None,
    training_window_tokens: int | None = None,
) -> Division | None:
    """Return what a server makes of its flags.

    Args:
        context_tokens: ``-c``; 0 when not given, or left to the model.
        slots: ``-np``; None when left to the server, which then shares one pool.
        is_unified: ``-kvu``.
        per_slot_cap_tokens: ``--kv-unified-per-slot``.
        training_window_tokens: What the model was trained for, the most a slot gets.

    Returns:
        None where only the server can tell: without a total and a cap, builds differ.
    """
    count = slots if slots else AUTO_SLOTS
    mode = KvMode.SHARED if is_unified or not slots else KvMode.DIVIDED
    cap = per_slot_cap_tokens or None
    shares = 1 if mode is KvMode.SHARED else count
    if context_tokens > 0:
        each = padded(context_tokens // shares)
    elif cap is not None:
        each = padded(cap * count // shares)
    else:
        return None
    window = min(each, *(one for one in (cap, training_window_tokens) if one is not None), each)
    return Division(count, window, mode, each * shares)


def fair_share_tokens(slot_window_tokens: int, mode: KvMode, slots: int, pool_tokens: int) -> int:
    """Return what every slot may hold at the same time without passing any limit."""
    if mode is KvMode.DIVIDED:
        return slot_window_tokens
    return min(slot_window_tokens, pool_tokens // slots)
