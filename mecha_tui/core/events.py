"""Things that happened, worth a line with the time."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from mecha_tui.core.agreement.findings import Severity
from mecha_tui.core.succession import Replacement


class EventKind(Enum):
    """What happened."""

    STATE = "state"
    """The server's state changed; the subject is the new state's word."""
    FINDING = "finding"
    """The numbers came to disagree; the subject is the finding's code."""
    CURED = "cured"
    """A finding went away; the subject is its code."""
    REPLACED = "replaced"
    """Another server answers at the address; ``replacement`` says which came after which."""
    QUEUE = "queue"
    """Requests began to wait; the subject is how many, in words."""
    TASK = "task"
    """A long task ended; the subject is its slot, the detail what it did."""
    CUT = "cut"
    """A task ended because its slot was full; the subject says where."""
    REREAD = "reread"
    """A task read again what was held before; the subject says how much."""
    CONTENT = "content"
    """Somebody erased a slot or restored one; the subject says which."""
    LOG = "log"
    """The server's log told something; the subject is a ``LogKind``, the detail a sentence."""


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the event list."""

    wall_s: float
    """Seconds since the epoch."""
    kind: EventKind
    subject: str
    detail: str | None = None
    """More, such as the reason, when there is any."""
    severity: Severity | None = None
    """Of a finding: how much it matters."""
    replacement: Replacement | None = None
    """Of a replacement: both servers."""
