"""What one round of questions brought back from one server."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Generic, TypeVar

from mecha_tui.core.server import Counters, Model, Props
from mecha_tui.core.slots import Slot

T = TypeVar("T")


class Failure(Enum):
    """Why a question brought no value."""

    REFUSED = "refused"
    """Nothing listens there, or the host cannot be reached."""
    PENDING = "pending"
    """Asked, and no answer yet: the server is busy or hangs."""
    DROPPED = "dropped"
    """The connection closed before the reply was whole."""
    LOADING = "loading"
    LOCKED = "locked"
    """The API key is missing or wrong."""
    OFF = "off"
    """The server was started without this endpoint (501)."""
    MISSING = "missing"
    """There is no such path (404)."""
    NOT_LOADED = "not-loaded"
    """A router's model is not loaded, or was not named."""
    FOREIGN = "foreign"
    """An answer, but not one of llama-server: HTML, another shape, too large."""
    RESTING = "resting"
    """Not asked on purpose: asking would keep the server awake, or wake it."""
    FAULT = "fault"
    """Any other HTTP error."""


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """One endpoint's answer: a value, or what went wrong."""

    asked_s: float
    """When it was asked, in monotonic seconds."""
    value: T | None = None
    failure: Failure | None = None
    """None exactly when there is a value."""
    detail: str = ""
    """The failure in words, safe to show."""
    taken_s: float | None = None
    """When the value arrived, in monotonic seconds; None without one."""


@dataclass(frozen=True, slots=True)
class Replies:
    """One round's answers of one server; None stands for a question not asked this round."""

    health: Answer[bool] | None = None
    props: Answer[Props] | None = None
    slots: Answer[tuple[Slot, ...]] | None = None
    metrics: Answer[Counters] | None = None
    models: Answer[tuple[Model, ...]] | None = None

    def all(self) -> tuple[Answer[object], ...]:
        """Return the answers of every question asked, in a fixed order."""
        asked = (self.props, self.slots, self.metrics, self.models, self.health)
        return tuple(answer for answer in asked if answer is not None)  # type: ignore[misc]  # Answer is read-only
