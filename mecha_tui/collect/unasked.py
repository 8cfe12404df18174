"""Why something is not asked of a server, and after which answers nothing more is."""

from __future__ import annotations

from mecha_tui.core.replies import Failure

SLOTS_OFF = "/slots is off: the server was started with --no-slots"
METRICS_UNWANTED = "/metrics is not asked: metrics = false in the settings"
METRICS_OFF = "/metrics is off: the server was started without --metrics"
ASLEEP = "the server sleeps, and asking for its slots would wake it"
RESTING = "idle, and not asked so that the server can fall asleep"

SPEAKS_FOR_ALL = frozenset(
    {
        Failure.REFUSED,
        Failure.PENDING,
        Failure.DROPPED,
        Failure.LOADING,
        Failure.LOCKED,
        Failure.NOT_LOADED,
        Failure.FOREIGN,
    }
)
"""After one of these no further question is asked in the same round."""
