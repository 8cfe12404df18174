"""Slots of a server that ended or sleeps: what they held is gone."""

from __future__ import annotations

from dataclasses import replace

from mecha_tui.core.fuel import fuel
from mecha_tui.core.picture import ServerPicture, SlotPicture
from mecha_tui.core.slots import Slot
from mecha_tui.core.state import ServerState

_GONE = (
    ServerState.DOWN,
    ServerState.LOADING,
    ServerState.ASLEEP,
    ServerState.NOT_LLAMA_SERVER,
)
"""States without the model that held the slots' tokens."""


def with_gone_slots(picture: ServerPicture) -> ServerPicture:
    """Leave of the slots only that there were some, once their model is gone from memory."""
    if picture.condition.state not in _GONE or not picture.slots:
        return picture
    return replace(
        picture,
        slots=tuple(one if one.is_gone else _gone(one) for one in picture.slots),
        busy=0 if picture.condition.state is ServerState.ASLEEP else None,
    )


def _gone(one: SlotPicture) -> SlotPicture:
    window = one.slot.window_tokens
    return SlotPicture(
        Slot(one.slot.slot_id, window_tokens=window),
        replace(fuel(None, window), scale_tokens=one.fuel.scale_tokens),
        tokens_per_s=None,
        since_s=None,
        task_since_s=None,
        is_gone=True,
        lost_tokens=one.slot.held_tokens,
    )
