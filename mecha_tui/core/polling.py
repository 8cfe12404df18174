"""What to ask a server next, so that watching it costs little and keeps it from nothing.

Asking ``/slots`` keeps a server awake, and wakes one that sleeps; on some builds so does
``/metrics``, which moreover resets the averages that other scrapers read. ``/props``,
``/health`` and the list of models change nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

PROPS_INTERVAL_S = 10.0
MODELS_INTERVAL_S = 60.0
IDLE_PATIENCE_S = 10.0
"""So long must a server be idle before it is asked less: each look at ``/slots`` is a line
in the server's log."""
QUIET_INTERVAL_S = 10.0
"""An idle server whose process is seen to compute nothing is asked for its slots this often."""
UNSEEN_INTERVAL_S = 2.0
"""Likewise, where nothing but ``/slots`` shows that work has come."""
CALM_INTERVAL_S = 2.0
"""How often it is looked for evidence of work where everything has been idle for a while."""
AWAY_INTERVAL_S = 5.0
"""How often a server is tried that has been down for longer than a restart takes."""
PARTLY_BUSY_METRICS_INTERVAL_S = 4.0
PROBE_INTERVAL_S = 60.0
"""An endpoint that was off or missing is tried again after this time."""
GENTLE_INTERVAL_S = 900.0
"""A server that may sleep, and shows nothing of its work, is asked this often while idle."""


@dataclass(frozen=True, slots=True)
class Looks:
    """What the looks so far told of one server, as far as it decides what to ask next."""

    is_gentle: bool = False
    """Whether a server of which nobody knows if it sleeps is treated as if it did."""
    is_once: bool = False
    """Whether this is a single look, which may be one of many in a loop."""
    props_s: float | None = None
    """Monotonic second of the last answer of ``/props``; None before the first."""
    is_sleeping: bool | None = None
    """What it said there; None where the build does not say, and so cannot sleep."""
    has_slept: bool = False
    sleep_idle_s: int | None = None
    """``--sleep-idle-seconds`` by the launch flags, 0 or less for never; None if unknown."""
    has_slots: bool = True
    """Whether ``/slots`` can be asked; where it is off, ``/metrics`` tells whether all is idle."""
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
    is_computing: bool | None = None
    """Whether the server's process uses the processor; None when it cannot be seen."""
    connections: int | None = None
    """Other clients' connections now; None when they cannot be seen."""

    def anew(self) -> Looks:
        """Return what still counts when another process answers."""
        return Looks(
            is_gentle=self.is_gentle,
            is_once=self.is_once,
            sleep_idle_s=self.sleep_idle_s,
            is_computing=self.is_computing,
            connections=self.connections,
        )

    @property
    def may_sleep(self) -> bool | None:
        """Whether the server goes to sleep when idle; None when nothing tells."""
        if self.sleep_idle_s is not None:
            return self.sleep_idle_s > 0
        if self.props_s is not None and self.is_sleeping is None:
            return False
        return True if self.has_slept else None

    @property
    def is_working(self) -> bool | None:
        """Whether there is evidence of work that did not cost the server a question.

        A client may hold a connection for days, so the process's own work counts more.
        """
        if self.is_computing is not None:
            return self.is_computing
        return None if self.connections is None else self.connections > 0

    @property
    def may_keep_awake(self) -> bool:
        """Whether asking may keep it from a sleep of which nobody knows."""
        return self.may_sleep is None and self.is_working is None and not self.is_gentle

    @property
    def is_quiet(self) -> bool:
        """Whether its process is seen to do nothing since all its slots were found idle."""
        return self.is_computing is False and self.idle_since_s is not None


def is_calm(looks: Looks, now_s: float) -> bool:
    """Whether nothing goes on that a look at the usual pace would show sooner."""
    if looks.is_sleeping:
        return True
    if looks.is_computing is not False:
        return False
    is_unasked = looks.slots_s is None
    idle_since_s = looks.idle_since_s
    return is_unasked or (idle_since_s is not None and now_s - idle_since_s >= IDLE_PATIENCE_S)


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

    One that works is watched until its slots were seen idle again.
    """
    if looks.is_sleeping:
        return True
    if looks.may_sleep is False or looks.may_keep_awake or looks.is_working:
        return False
    if looks.slots_s is None:
        return looks.is_working is False or looks.is_once
    if looks.idle_since_s is None:
        return False
    return looks.is_working is False or now_s - looks.slots_s < GENTLE_INTERVAL_S


def is_slots_due(looks: Looks, now_s: float) -> bool:
    """Whether to ask ``/slots``; never while the server sleeps or should be let sleep."""
    if is_resting(looks, now_s):
        return False
    if looks.slots_s is None or looks.idle_since_s is None or looks.is_working:
        return True
    if now_s - looks.idle_since_s < IDLE_PATIENCE_S:
        return True
    interval_s = UNSEEN_INTERVAL_S if looks.is_computing is None else QUIET_INTERVAL_S
    return now_s - looks.slots_s >= interval_s


def are_connections_wanted(looks: Looks) -> bool:
    """Whether to count other clients' connections.

    The kernel walks all its sockets for that, which takes some milliseconds: more than
    the rest of a round. They count where the process itself cannot be seen, and where the
    server does not count its queue.
    """
    if looks.busy == 0 or looks.is_sleeping or looks.slots_s is None:
        return looks.is_computing is None and looks.may_sleep is not False
    return looks.deferred is None


def is_metrics_due(looks: Looks, now_s: float) -> bool:
    """Whether to ask ``/metrics``: while requests can be waiting, and once when all is done.

    While all slots are idle nothing waits, and the counters stand still. While some are
    busy, only a request that wants a certain slot waits; while all are, the count is
    wanted every round.
    """
    if not looks.has_slots:
        return is_slots_due(looks, now_s)
    if is_resting(looks, now_s):
        return False
    if looks.busy == 0:
        return _has_ended_since(looks)
    if looks.metrics_s is None:
        return True
    if looks.busy is not None and (looks.busy == looks.slot_count or looks.deferred):
        return True
    return now_s - looks.metrics_s >= PARTLY_BUSY_METRICS_INTERVAL_S


def _has_ended_since(looks: Looks) -> bool:
    """Whether all slots fell idle after the last look at the counters."""
    if looks.metrics_s is None or looks.idle_since_s is None:
        return False
    return looks.metrics_s < looks.idle_since_s
