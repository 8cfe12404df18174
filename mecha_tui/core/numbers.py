"""The numbers of one server that its clients must agree with, each with its source."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

from mecha_tui.core.division import KvMode, fair_share_tokens, padded
from mecha_tui.core.kv import CacheFlags, is_cache_type, reserved_bytes, slot_bytes
from mecha_tui.core.launch import LaunchFlags
from mecha_tui.core.reading import Reading, known, unknown
from mecha_tui.core.server import Model, Props, Role
from mecha_tui.core.slots import Slot

T = TypeVar("T")

__all__ = ["Doors", "KvMode", "ServerNumbers", "server_numbers"]

_UNREAD: Reading[int] = unknown("not read yet")
_UNREAD_BOOL: Reading[bool] = unknown("not read yet")
_SILENT = "the server does not say"
_WORKED_OUT = "model file and flags"


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
    role: Role | None = None
    """None before the server said what it is."""
    thinks: Reading[bool] = _UNREAD_BOOL
    """Whether the model thinks before it answers."""
    sees_images: Reading[bool] = _UNREAD_BOOL
    model_names: tuple[str, ...] = ()
    """Every name that the server's model goes by."""
    router_model: str | None = None
    """The model's name within a router; None for a server of its own."""
    has_slots_endpoint: Reading[bool] = _UNREAD_BOOL
    has_metrics_endpoint: Reading[bool] = _UNREAD_BOOL
    launch: LaunchFlags = field(default_factory=LaunchFlags)
    slot_kv_bytes: Reading[int] = _UNREAD
    """Keys and values of one full slot, worked out from the model's file."""
    kv_bytes: Reading[int] = _UNREAD
    """Keys and values that the server reserved at its start, worked out likewise."""

    @property
    def fair_share_tokens(self) -> int | None:
        """Tokens that every slot may hold at once; None while that cannot be told.

        In divided mode the slot's window; in a shared pool at most the pool over the slots.
        """
        window, mode = self.slot_window_tokens.value, self.kv_mode.value
        slots, pool = self.slots.value, self.pool_tokens.value
        if window is None or mode is None:
            return None
        if mode is KvMode.DIVIDED:
            return window
        if slots is None or pool is None:
            return None
        return fair_share_tokens(window, mode, slots, pool)


@dataclass(frozen=True, slots=True)
class Doors:
    """Whether endpoints that can be off were found open; None before anyone asked."""

    slots: bool | None = None
    metrics: bool | None = None


def server_numbers(
    launch: LaunchFlags,
    props: Props | None,
    slots: tuple[Slot, ...] | None,
    models: tuple[Model, ...],
    *,
    model_id: str | None = None,
    doors: Doors = Doors(),
) -> ServerNumbers:
    """Return the numbers, the server's own figure before any that was worked out.

    Args:
        launch: What the server was told at its start.
        props: Its ``/props``.
        slots: Its ``/slots``.
        models: Its list of models.
        model_id: The model within a router; None for a server of its own.
        doors: Which endpoints were found open or off; builds differ in whether they say.
    """
    told = props or Props()
    own = tuple(one for one in models if model_id is None or one.model_id == model_id)
    count = _slot_count(props, slots)
    window = _slot_window(props, slots, own if model_id is not None else ())
    training = next((one.training_window_tokens for one in own), None)
    mode = kv_mode(launch, count.value, window.value, training)
    pool = pool_tokens(launch, mode.value, count.value, window, training)
    return ServerNumbers(
        context_tokens=launch.context_tokens,
        slots=count,
        slot_window_tokens=window,
        kv_mode=mode,
        pool_tokens=pool,
        reasoning_budget=_budget(launch, props),
        training_window_tokens=_told(training, "models"),
        cache_ram_mib=launch.cache_ram_mib,
        context_shift=launch.context_shift,
        role=None if props is None else props.role,
        thinks=_thinks(launch, props),
        sees_images=_told(told.sees_images, "props"),
        model_names=_model_names(props, own),
        router_model=model_id,
        has_slots_endpoint=_door(doors.slots, told.has_slots_endpoint, "/slots"),
        has_metrics_endpoint=_door(doors.metrics, told.has_metrics_endpoint, "/metrics"),
        launch=launch,
        slot_kv_bytes=slot_kv_bytes(launch, window),
        kv_bytes=kv_bytes(launch, window, count, mode, pool),
    )


def kv_mode(
    launch: LaunchFlags,
    slots: int | None,
    window_tokens: int | None,
    training_window_tokens: int | None = None,
) -> Reading[KvMode]:
    """Return how the slots come by their context.

    The server never says it in words. Where its own window equals all of ``-c`` or just
    one part of it, that decides; otherwise the flags do.
    """
    if slots == 1:
        return known(KvMode.DIVIDED, "one slot")
    total, cap = launch.context_tokens.value, launch.per_slot_cap_tokens.value
    is_bounded = bool(cap) or window_tokens == training_window_tokens
    if total and total > 0 and slots and window_tokens and not is_bounded:
        whole, part = padded(total), padded(total // slots)
        if whole != part and window_tokens in (whole, total):
            return known(KvMode.SHARED, "each slot holds all of -c")
        if whole != part and window_tokens in (part, total // slots):
            return known(KvMode.DIVIDED, "each slot holds its part of -c")
    if launch.is_unified.value:
        return known(KvMode.SHARED, launch.is_unified.source or "flags")
    if launch.has_auto_slots:
        return known(KvMode.SHARED, "slots left to the server")
    if launch.has_auto_slots is False and launch.is_unified.value is False:
        return known(KvMode.DIVIDED, launch.slots.source or "flags")
    return unknown(launch.slots.reason or launch.is_unified.reason or _SILENT)


def pool_tokens(
    launch: LaunchFlags,
    mode: KvMode | None,
    slots: int | None,
    window: Reading[int],
    training_window_tokens: int | None = None,
) -> Reading[int]:
    """Return the size of the pool that all slots share."""
    if mode is None:
        return unknown("whether the slots share one pool is not known")
    if mode is KvMode.DIVIDED:
        return unknown("each slot has a part of its own")
    total, cap = launch.context_tokens.value, launch.per_slot_cap_tokens.value
    if total and total > 0:
        pool = total if window.value == total else padded(total)
        return known(pool, launch.context_tokens.source or "flags")
    if cap and slots:
        return known(padded(cap * slots), launch.per_slot_cap_tokens.source or "flags")
    if window.value is None or window.source is None:
        return unknown(window.reason or _SILENT)
    if launch.has_own_context is None and window.value == training_window_tokens:
        return unknown("the slots are capped at the model's training window, and -c is not known")
    if cap is None and not launch.is_complete and not launch.context_tokens.is_known:
        return unknown(launch.context_tokens.reason or _SILENT)
    return known(window.value, window.source)


def slot_kv_bytes(launch: LaunchFlags, window: Reading[int]) -> Reading[int]:
    """Return what one full slot takes; unknown where shape, cache type or window is."""
    flags = _cache_flags(launch)
    if launch.model.value is None or window.value is None or flags.value is None:
        return _first_reason(launch.model, window, flags)
    return known(slot_bytes(launch.model.value, flags.value, window.value), _WORKED_OUT)


def kv_bytes(
    launch: LaunchFlags,
    window: Reading[int],
    slots: Reading[int],
    mode: Reading[KvMode],
    pool: Reading[int],
) -> Reading[int]:
    """Return what the server reserved for all its slots together."""
    flags, shape, count = _cache_flags(launch), launch.model.value, slots.value
    if shape is None or flags.value is None or count is None or mode.value is None:
        return _first_reason(launch.model, flags, slots, mode)
    if mode.value is KvMode.SHARED:
        if pool.value is None:
            return _first_reason(pool)
        total = reserved_bytes(shape, flags.value, pool.value, sequences=count, streams=1)
    else:
        if window.value is None:
            return _first_reason(window)
        total = reserved_bytes(shape, flags.value, window.value, sequences=1, streams=count)
    return known(total, _WORKED_OUT)


def _cache_flags(launch: LaunchFlags) -> Reading[CacheFlags]:
    type_k, type_v = launch.cache_type_k.value, launch.cache_type_v.value
    full, batch = launch.swa_full.value, launch.physical_batch_tokens.value
    if type_k is None or type_v is None or full is None or batch is None:
        readings = (launch.cache_type_k, launch.cache_type_v)
        return _first_reason(*readings, launch.swa_full, launch.physical_batch_tokens)
    if not is_cache_type(type_k) or not is_cache_type(type_v):
        return unknown("the size of its cache type is not known")
    return known(CacheFlags(type_k, type_v, full, batch), "flags")


def _first_reason(*readings: Reading[object]) -> Reading[T]:
    """Return an unknown with the reason of the first reading that is unknown."""
    return unknown(next((one.reason for one in readings if one.reason is not None), _SILENT))


def _slot_count(props: Props | None, slots: tuple[Slot, ...] | None) -> Reading[int]:
    if props is not None and props.slot_count is not None:
        return known(props.slot_count, "props")
    return known(len(slots), "slots") if slots else unknown(_SILENT)


def _slot_window(
    props: Props | None, slots: tuple[Slot, ...] | None, models: tuple[Model, ...]
) -> Reading[int]:
    windows = [slot.window_tokens for slot in slots or () if slot.window_tokens is not None]
    if windows:
        return known(min(windows), "slots")
    if props is not None and props.slot_window_tokens is not None:
        return known(props.slot_window_tokens, "props")
    told = next((one.slot_window_tokens for one in models if one.slot_window_tokens), None)
    return _told(told, "models")


def _budget(launch: LaunchFlags, props: Props | None) -> Reading[int]:
    """Return the reasoning budget of a server that writes; another has no use for one."""
    if props is not None and props.role is Role.EMBEDDINGS:
        return unknown("an embeddings server does not think")
    return launch.reasoning_budget


def _thinks(launch: LaunchFlags, props: Props | None) -> Reading[bool]:
    """Return whether the model thinks: the flag that forbids it, else the template's ability."""
    if launch.reasoning.value == "off":
        return known(False, launch.reasoning.source or "flags")
    return _told(None if props is None else props.thinks, "props")


def _model_names(props: Props | None, models: tuple[Model, ...]) -> tuple[str, ...]:
    names = [one.model_id for one in models]
    if props is not None:
        path = props.model_path or ""
        names += [props.model_alias or "", path, path.replace("\\", "/").rpartition("/")[2]]
    return tuple(dict.fromkeys(name for name in names if name))


def _door(found: bool | None, told: bool | None, path: str) -> Reading[bool]:
    """Return whether an endpoint can be asked: what was found there before what was said."""
    return _told(told, "props") if found is None else known(found, path)


def _told(value: T | None, source: str) -> Reading[T]:
    return unknown(_SILENT) if value is None else known(value, source)
