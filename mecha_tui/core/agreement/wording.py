"""The shapes of a rule's answer, so that each rule holds only its condition and its words."""

from __future__ import annotations

from mecha_tui.core.agreement.findings import Cure, Finding, Severity, Verdict
from mecha_tui.core.client import ClientPromise
from mecha_tui.core.reading import Reading


def disagreement(
    code: str,
    severity: Severity,
    message: str,
    effect: str,
    *cures: Cure | None,
    client: ClientPromise | None = None,
) -> Finding:
    """Return a finding that is a fact; a cure that does not exist here is left out."""
    return Finding(
        code,
        severity,
        Verdict.DISAGREE,
        message,
        effect,
        tuple(dict.fromkeys(cure for cure in cures if cure is not None)),
        None if client is None else client.name,
    )


def undecided(
    code: str,
    severity: Severity,
    *inputs: tuple[str, Reading[object]],
    client: ClientPromise | None = None,
) -> Finding:
    """Return that a rule cannot be judged, naming each unknown input and why it is unknown."""
    missing = "; ".join(
        f"{name} ({reading.reason or 'not known'})"
        for name, reading in inputs
        if not reading.is_known
    )
    return Finding(
        code,
        severity,
        Verdict.UNKNOWN,
        f"Not known: {missing}.",
        client=None if client is None else client.name,
    )


def count(tokens: int) -> str:
    """Return a number as people read it."""
    return f"{tokens:,}"


def quoted(text: str) -> str:
    """Return a text in quotes, as a settings file or a shell takes it."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def shell_quoted(text: str) -> str:
    """Return a text that a shell takes as one word and nothing more."""
    return "'" + text.replace("'", "'\\''") + "'"
