"""Whether client and server agree, as findings with what cures them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from mecha_tui.core.client import ClientPromise
from mecha_tui.core.numbers import ServerNumbers


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
class Cure:
    """One way out: the exact line, and where it goes."""

    line: str
    """What to write, such as ``context_window = 8192`` or ``-c 131072``."""
    place: str
    """Where, such as ``~/.mecha/config.toml [providers.local]``, or the server's launch flags."""


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


def judge(numbers: ServerNumbers, clients: tuple[ClientPromise, ...]) -> Agreement:
    """Return what every rule says about one server and its clients."""
    del numbers, clients
    return Agreement()
