"""What to ask a server next, so that watching it costs little and keeps it from nothing.

Asking ``/slots`` keeps a server awake, and wakes one that sleeps; on some builds so does
``/metrics``, which moreover resets the averages that other scrapers read. ``/props``,
``/health`` and the list of models change nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

PROPS_INTERVAL_S = 10.0
MODELS_INTERVAL_S = 60.0
IDLE_PATIENCE_S = 30.0
"""So long must a server be idle before it is asked in every second round only: each look
at ``/slots`` is a line in the server's log."""
PARTLY_BUSY_METRICS_INTERVAL_S = 4.0
PROBE_INTERVAL_S = 60.0
"""An endpoint that was off or missing is tried again after this time."""
SLEEP_MARGIN_S = 2.0
UNKNOWN_REST_S = 900.0


@dataclass(frozen=True, slots=True)
class Looks:
    """What the looks so far told of one server, as far as it decides what to ask next."""

    props_s: float | None = None
    """Monotonic second of the last answer of ``/props``; None before the first."""
    is_sleeping: bool | None = None
    """What it said there; None where the build does not say, and so cannot sleep."""
    has_slept: bool = False
    sleep_idle_s: int | None = None
    """``--sleep-idle-seconds`` by the launch flags, 0 or less for never; None if unknown."""
    has_slots: bool = True
    """Whether ``/slots`` can be asked; where it is off, ``/metrics`` tells whether all is idle."""
    skipped_slots: bool = False
    """Whether the last round did without ``/slots``."""
    slots_s: float | None = None
    """Monotonic second of the last look that told which slots are busy."""
    busy: int | None = None
    """Busy slots at that time; None when the slots do not say."""
    slot_count: int | None = None
    idle_since_s: float | None = None
    """Since when every look found all slots idle; None when the last one did not."""
    metrics_s: float | None = None
    deferred: int | None = None
    models_s: float | None = None
    connections: int | None = None
    """Other clients' connections now; None when they cannot be seen."""

    @property
    def may_sleep(self) -> bool | None:
        """Whether the server goes to sleep when idle; None when nothing tells."""
        if self.sleep_idle_s is not None:
            return self.sleep_idle_s > 0
        if self.props_s is not None and self.is_sleeping is None:
            return False
        return True if self.has_slept else None


def is_props_due(looks: Looks, now_s: float) -> bool:
    """Whether to ask ``/props``: every round where the server could have fallen asleep.

    It is also asked every round where no ``/slots`` shows that the server still lives.
    """
    if looks.props_s is None or looks.may_sleep is not False or not looks.has_slots:
        return True
    return now_s - looks.props_s >= PROPS_INTERVAL_S


def is_models_due(looks: Looks, now_s: float) -> bool:
    """Whether to ask for the list of models."""
    return looks.models_s is None or now_s - looks.models_s >= MODELS_INTERVAL_S


def is_resting(looks: Looks, now_s: float) -> bool:
    """Whether the server must be left alone, so that it stays asleep or may fall asleep.

    An idle server is asked again when another client is connected. One that is still
    awake when its time was up has had visitors, so it is asked again, too.
    """
    if looks.is_sleeping:
        return True
    if looks.slots_s is None or looks.idle_since_s is None or looks.may_sleep is False:
        return False
    if looks.connections is None and looks.may_sleep is None:
        return False
    if looks.connections:
        return False
    rest_s = UNKNOWN_REST_S
    if looks.sleep_idle_s is not None:
        rest_s = looks.sleep_idle_s + SLEEP_MARGIN_S
    return now_s - looks.slots_s < rest_s


def is_slots_due(looks: Looks, now_s: float) -> bool:
    """Whether to ask ``/slots``; never while the server sleeps or should be let sleep."""
    if is_resting(looks, now_s):
        return False
    if looks.slots_s is None or looks.idle_since_s is None or looks.connections:
        return True
    if now_s - looks.idle_since_s < IDLE_PATIENCE_S:
        return True
    return looks.skipped_slots


def are_connections_wanted(looks: Looks) -> bool:
    """Whether to count other clients' connections.

    The kernel walks all its sockets for that, which takes some milliseconds: more than
    the rest of a round. While the server counts its queue itself, or is idle and never
    sleeps, nothing depends on it.
    """
    if looks.busy == 0 or looks.is_sleeping:
        return looks.may_sleep is not False
    return looks.deferred is None


def is_metrics_due(looks: Looks, now_s: float) -> bool:
    """Whether to ask ``/metrics``: only while requests can be waiting.

    While all slots are idle nothing waits; while some are, only a request that wants a
    certain slot does; while all are busy, the count is wanted every round.
    """
    if not looks.has_slots:
        return is_slots_due(looks, now_s)
    if looks.busy == 0 or is_resting(looks, now_s):
        return False
    if looks.metrics_s is None:
        return True
    if looks.busy is not None and (looks.busy == looks.slot_count or looks.deferred):
        return True
    return now_s - looks.metrics_s >= PARTLY_BUSY_METRICS_INTERVAL_S
