"""Which pool a model lives in, chosen from what devices and host said."""

from __future__ import annotations

from dataclasses import dataclass

from mecha_tui.core.memory import Device, Host, Limit, MemoryKind
from mecha_tui.core.memory_device import LARGEST_BYTES
from mecha_tui.core.reading import Reading, known, unknown

_PREFERENCE = (MemoryKind.DISCRETE, MemoryKind.UNKNOWN, MemoryKind.UNIFIED)
"""A device that does not say comes before host memory, which must not stand in for it."""


@dataclass(frozen=True, slots=True)
class Pool:
    """The memory that models compete for."""

    kind: MemoryKind
    note: str
    """Why it is this kind."""
    total_bytes: Reading[int]
    available_bytes: Reading[int]
    page_cache_bytes: Reading[int]
    vram: Reading[int]
    """The cards' own memory; unknown, with the reason, where there is none to speak of."""
    devices: tuple[Device, ...]
    """The devices that draw on it."""


def pool(
    host: Host,
    devices: tuple[Device, ...],
    fault: str | None,
    server_pids: frozenset[int],
) -> Pool:
    """Return the pool of the device that the server is on, else of the likeliest.

    Args:
        host: The host's memory.
        devices: Every GPU that some driver named.
        fault: Why a GPU that is or may be there could not be asked at all; None otherwise.
            Host memory is then never offered in its place.
        server_pids: The server and its children.
    """
    chosen = _chosen(devices, server_pids)
    is_shared = bool(chosen) and chosen[0].kind is MemoryKind.UNIFIED
    if not chosen or (fault is not None and is_shared and not _is_on(chosen, server_pids)):
        return _without_device(host, fault)
    kind = chosen[0].kind
    if kind is MemoryKind.DISCRETE:
        return _discrete(chosen, devices)
    if kind is MemoryKind.UNIFIED:
        return _unified(host, chosen)
    reason = chosen[0].error or chosen[0].total_bytes.reason or "the driver does not say"
    missing: Reading[int] = unknown(reason)
    return Pool(kind, reason, missing, missing, missing, missing, chosen)


def _chosen(devices: tuple[Device, ...], server_pids: frozenset[int]) -> tuple[Device, ...]:
    """Return the devices of the kind that the server is on, else of the likeliest kind."""
    on = [one for one in devices if _is_on((one,), server_pids)]
    for kind in _PREFERENCE:
        found = tuple(one for one in on or devices if one.kind is kind)
        if found:
            return found if not on else tuple(one for one in devices if one.kind is kind)
    return ()


def _is_on(devices: tuple[Device, ...], server_pids: frozenset[int]) -> bool:
    uses = [use for one in devices for use in one.processes.value or ()]
    return any(use.is_visible and use.pid in server_pids for use in uses)


def _without_device(host: Host, fault: str | None) -> Pool:
    if fault is not None:
        missing: Reading[int] = unknown(fault)
        return Pool(MemoryKind.UNKNOWN, fault, missing, missing, missing, missing, ())
    return Pool(
        MemoryKind.NONE,
        "no GPU found",
        host.total_bytes,
        host.available_bytes,
        host.page_cache_bytes,
        unknown("no GPU found"),
        (),
    )


def _discrete(chosen: tuple[Device, ...], devices: tuple[Device, ...]) -> Pool:
    """Sum the cards that answer; host memory and BAR1 have no part in it."""
    total = _sum(tuple(one.total_bytes for one in chosen))
    available = _sum(tuple(one.available_bytes for one in chosen))
    silent = [one for one in devices if one.error is not None]
    note = chosen[0].name if len(chosen) == 1 else f"{len(chosen)} GPUs"
    if silent:
        note += f", {len(silent)} with an error"
    cache: Reading[int] = unknown("a card's own memory holds no file cache")
    return Pool(MemoryKind.DISCRETE, note, total, available, cache, total, chosen)


def headroom(chosen: Pool, limits: tuple[Limit, ...]) -> Reading[int]:
    """Return what a server can really still take of its pool.

    A control group's limit binds where the model lies in host memory alone; it does not
    see what drivers take for a GPU, not even from the same memory.
    """
    if chosen.kind is not MemoryKind.NONE:
        return chosen.available_bytes
    left = [one.left_bytes for one in limits if one.left_bytes.value is not None]
    tightest = min([chosen.available_bytes, *left], key=_or_most)
    return chosen.available_bytes if chosen.available_bytes.value is None else tightest


def _or_most(reading: Reading[int]) -> int:
    return LARGEST_BYTES if reading.value is None else reading.value


def _sum(parts: tuple[Reading[int], ...]) -> Reading[int]:
    total = 0
    for part in parts:
        if part.value is None:
            return part
        total += part.value
    return known(total, parts[0].source or "")


def _unified(host: Host, chosen: tuple[Device, ...]) -> Pool:
    name = chosen[0].name
    carved = [one for one in chosen if one.shared_total_bytes is not None]
    note = f"{name}: no separate VRAM"
    vram: Reading[int] = unknown(chosen[0].total_bytes.reason or note)
    total, available = host.total_bytes, host.available_bytes
    if carved:
        note = f"{name}: host memory with a carve-out for the GPU"
        vram = unknown(note)
        total, available = _with_carve_out(host, carved[0])
    return Pool(MemoryKind.UNIFIED, note, total, available, host.page_cache_bytes, vram, chosen)


def _with_carve_out(host: Host, device: Device) -> tuple[Reading[int], Reading[int]]:
    """Return what a chip with a carve-out and mappable host memory can use.

    The two can add up to more than there is, so the mappable part is bounded by the host's.
    """
    total = _added(device.total_bytes, device.shared_total_bytes, host.total_bytes)
    available = _added(device.available_bytes, device.shared_available_bytes, host.available_bytes)
    if total.value is not None and available.value is not None and available.value > total.value:
        available = unknown("more is available than there is")
    return total, available


def _added(own: Reading[int], shared: Reading[int] | None, host: Reading[int]) -> Reading[int]:
    if own.value is None or shared is None or shared.value is None or host.value is None:
        gaps = [one for one in (own, shared, host) if one is not None and one.value is None]
        return unknown((gaps[0].reason if gaps else None) or "the driver does not say")
    source = f"{own.source} + min({shared.source}, {host.source})"
    return known(own.value + min(shared.value, host.value), source)
