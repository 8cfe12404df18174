"""The numbers of one server that its clients must agree with, each with its source."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from mecha_tui.core.launch import LaunchFlags
from mecha_tui.core.reading import Reading, known, unknown
from mecha_tui.core.server import Model, Props
from mecha_tui.core.slots import Slot


class KvMode(Enum):
    """How the slots come by their context."""

    DIVIDED = "divided"
    """Each slot has a part of its own."""
    SHARED = "shared"
    """All slots draw on one pool."""


_UNREAD: Reading[int] = unknown("not read yet")
_UNREAD_BOOL: Reading[bool] = unknown("not read yet")


@dataclass(frozen=True, slots=True)
class ServerNumbers:
    """What the server gives, from its own replies where it says and its launch flags elsewhere."""

    context_tokens: Reading[int] = _UNREAD
    """``-c`` as given."""
    slots: Reading[int] = _UNREAD
    slot_window_tokens: Reading[int] = _UNREAD
    """What one slot holds, as the server reports it: authoritative."""
    kv_mode: Reading[KvMode] = unknown("not read yet")
    pool_tokens: Reading[int] = _UNREAD
    """The shared pool; unknown with a reason when there is none."""
    reasoning_budget: Reading[int] = _UNREAD
    """-1 is no limit, 0 is no thinking."""
    training_window_tokens: Reading[int] = _UNREAD
    cache_ram_mib: Reading[int] = _UNREAD
    context_shift: Reading[bool] = _UNREAD_BOOL


def server_numbers(
    launch: LaunchFlags,
    props: Props | None,
    slots: tuple[Slot, ...] | None,
    models: tuple[Model, ...],
) -> ServerNumbers:
    """Return the numbers, the server's own figure before any that was worked out."""
    windows = [slot.window_tokens for slot in slots or () if slot.window_tokens is not None]
    window: Reading[int] = unknown("the server does not say")
    if windows:
        window = known(min(windows), "/slots")
    elif props is not None and props.slot_window_tokens is not None:
        window = known(props.slot_window_tokens, "/props")
    count: Reading[int] = unknown("the server does not say")
    if slots:
        count = known(len(slots), "/slots")
    elif props is not None and props.slot_count is not None:
        count = known(props.slot_count, "/props")
    training = next((one.training_window_tokens for one in models), None)
    return ServerNumbers(
        context_tokens=launch.context_tokens,
        slots=count,
        slot_window_tokens=window,
        kv_mode=unknown("not worked out yet"),
        pool_tokens=unknown("not worked out yet"),
        reasoning_budget=launch.reasoning_budget,
        training_window_tokens=(
            unknown("the server does not say")
            if training is None
            else known(training, "/v1/models")
        ),
        cache_ram_mib=launch.cache_ram_mib,
        context_shift=launch.context_shift,
    )
