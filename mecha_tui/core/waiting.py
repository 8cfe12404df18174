"""How many requests run and how many wait for a slot."""

from __future__ import annotations

from dataclasses import dataclass

from mecha_tui.core.server import Counters
from mecha_tui.core.slots import Slot


@dataclass(frozen=True, slots=True)
class Waiting:
    """The queue: a count and how far it can be trusted."""

    count: int | None
    """Requests that wait; None when nothing tells."""
    is_exact: bool = False
    """False for an upper bound worked out from connections."""
    source: str | None = None
    """``metrics``, ``slots`` (none is busy) or ``connections``; None when unknown."""
    reason: str | None = None
    """Why there is no exact count."""


def busy_count(slots: tuple[Slot, ...] | None) -> int | None:
    """Return how many slots run a task; None when any slot does not say."""
    if slots is None or any(slot.is_processing is None for slot in slots):
        return None
    return sum(slot.is_processing is True for slot in slots)


def waiting(
    counters: Counters | None, connections: int | None, busy: int | None, why_no_metrics: str
) -> Waiting:
    """Return the queue, exact where the server counts it and else an upper bound.

    While no slot is busy nothing waits, whatever is connected.

    Args:
        counters: The server's own figures, when it publishes them and they are fresh.
        connections: Established connections to the server, without our own.
        busy: Slots that run a task.
        why_no_metrics: What to say where the server's own figure is missing.
    """
    if busy == 0:
        return Waiting(0, is_exact=True, source="slots")
    if counters is not None and counters.deferred_requests is not None:
        return Waiting(counters.deferred_requests, is_exact=True, source="metrics")
    if connections is not None and busy is not None:
        return Waiting(max(0, connections - busy), source="connections", reason=why_no_metrics)
    return Waiting(None, reason=why_no_metrics)
