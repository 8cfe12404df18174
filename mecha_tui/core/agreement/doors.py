"""Notes about endpoints that are off, and the flag that would show more."""

from __future__ import annotations

from mecha_tui.core.agreement.cures import LAUNCH_FLAGS
from mecha_tui.core.agreement.findings import Cure, Finding, Severity
from mecha_tui.core.agreement.wording import disagreement
from mecha_tui.core.numbers import ServerNumbers


def slots_hidden(numbers: ServerNumbers) -> Finding | None:
    """The server does not show its slots."""
    if numbers.has_slots_endpoint.value is not False:
        return None
    return disagreement(
        "slots-hidden",
        Severity.INFO,
        "/slots is off: what each slot holds and does cannot be shown.",
        "No gauges, no speeds and no re-reads are seen.",
        Cure("--slots", LAUNCH_FLAGS),
    )


def metrics_off(numbers: ServerNumbers) -> Finding | None:
    """The server does not count for others."""
    if numbers.has_metrics_endpoint.value is not False:
        return None
    return disagreement(
        "metrics-off",
        Severity.INFO,
        "/metrics is off: how many requests wait is at best an estimate.",
        "The queue is told from connections instead of the server's own count.",
        Cure("--metrics", LAUNCH_FLAGS),
    )
