"""Whether client and server agree, as findings with what cures them: one small rule each."""

from __future__ import annotations

from collections.abc import Callable

from mecha_tui.core.agreement.answer import answer_room_none, answer_room_small
from mecha_tui.core.agreement.findings import (
    Agreement,
    Cure,
    Edit,
    Finding,
    Severity,
    Verdict,
    agreement,
)
from mecha_tui.core.agreement.window import (
    compaction_over_slot,
    window_missing,
    window_over_slot,
    window_under_slot,
)
from mecha_tui.core.client import ClientPromise
from mecha_tui.core.numbers import ServerNumbers
from mecha_tui.core.server import Role

__all__ = ["Agreement", "Cure", "Edit", "Finding", "Severity", "Verdict", "judge"]

ClientRule = Callable[[ServerNumbers, ClientPromise], Finding | None]

_CLIENT_RULES: tuple[ClientRule, ...] = (
    window_over_slot,
    window_under_slot,
    window_missing,
    compaction_over_slot,
    answer_room_none,
    answer_room_small,
)


def judge(numbers: ServerNumbers, clients: tuple[ClientPromise, ...]) -> Agreement:
    """Return what every rule says about one server and its clients.

    Rules about what a server does not use stay silent: one that only makes embeddings
    writes nothing and thinks nothing, and a router has no context of its own.
    """
    if numbers.role is Role.ROUTER:
        return Agreement()
    findings = [
        finding
        for client in clients
        if numbers.role is not Role.EMBEDDINGS
        for rule in _CLIENT_RULES
        if (finding := rule(numbers, client)) is not None
    ]
    if not clients and numbers.role is not Role.EMBEDDINGS:
        findings.append(_nobody())
    return agreement(tuple(findings))


def _nobody() -> Finding:
    return Finding(
        "client-unknown",
        Severity.WARNING,
        Verdict.UNKNOWN,
        "Not known: what the client was promised (no client's settings name this server; "
        "use --context-window and --max-tokens, or [clients.NAME] in the settings).",
    )
