"""What a rule may find: severity, verdict, both numbers in words, and what cures it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from mecha_tui.core.client import ConfigKey


class Severity(Enum):
    """How much a finding matters."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Verdict(Enum):
    """What a rule, or all of them together, came to."""

    AGREE = "agree"
    DISAGREE = "disagree"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Edit:
    """A cure that a program can carry out in a client's settings file."""

    key: ConfigKey
    value: int | bool | str


@dataclass(frozen=True, slots=True)
class Cure:
    """One way out: the exact line, and where it goes."""

    line: str
    """What to write, such as ``context_window = 8192`` or ``-c 131072``."""
    place: str
    """Where, such as ``~/.mecha/config.toml [providers.local]``, or the server's launch flags."""
    edit: Edit | None = None
    """The same for a program; None where only a person can change it."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One rule that does not hold, or cannot be judged."""

    code: str
    """Stable name of the rule, such as ``window-over-slot``."""
    severity: Severity
    verdict: Verdict
    """DISAGREE, or UNKNOWN with what is missing in the message."""
    message: str
    """One sentence with both numbers."""
    effect: str = ""
    """What one would notice, in plain words."""
    cures: tuple[Cure, ...] = ()
    client: str | None = None
    """The client concerned; None for a finding about the server alone."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """All findings of one server."""

    verdict: Verdict = Verdict.UNKNOWN
    findings: tuple[Finding, ...] = ()
    """Worst first; unknown ones last."""

    @property
    def disagreements(self) -> tuple[Finding, ...]:
        """The findings that are facts, without the unknown ones."""
        return tuple(one for one in self.findings if one.verdict is Verdict.DISAGREE)

    @property
    def open_questions(self) -> tuple[Finding, ...]:
        """What keeps the verdict unknown; nothing where the verdict stands."""
        if self.verdict is not Verdict.UNKNOWN:
            return ()
        return tuple(
            one
            for one in self.findings
            if one.verdict is Verdict.UNKNOWN and one.severity is not Severity.INFO
        )


_ORDER = (Severity.ERROR, Severity.WARNING, Severity.INFO)


def agreement(findings: tuple[Finding, ...]) -> Agreement:
    """Return findings in order with the verdict over all; what is only informative has no say."""
    ordered = sorted(
        findings,
        key=lambda one: (one.verdict is not Verdict.DISAGREE, _ORDER.index(one.severity)),
    )
    weighty = [one.verdict for one in findings if one.severity is not Severity.INFO]
    verdict = Verdict.AGREE
    if Verdict.DISAGREE in weighty:
        verdict = Verdict.DISAGREE
    elif Verdict.UNKNOWN in weighty:
        verdict = Verdict.UNKNOWN
    return Agreement(verdict, tuple(ordered))
