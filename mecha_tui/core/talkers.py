"""Who is connected to a server: programs of this machine by name, others by address."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

NOT_ASKED = "not looked for yet"


@dataclass(frozen=True, slots=True)
class Talker:
    """One program, or one machine, and its connections."""

    name: str
    """A program's name, or the address of another machine."""
    pid: int | None
    """None for another machine."""
    count: int
    """Established connections."""
    is_watching: bool = False
    """Whether it is mecha-tui: this one or another."""
    since_s: float | None = None
    """Monotonic second at which it was first seen; None before that was noted."""

    @property
    def key(self) -> tuple[str, int | None]:
        """What tells it from the others."""
        return self.name, self.pid


@dataclass(frozen=True, slots=True)
class Talkers:
    """One look at all connections to a server."""

    found: tuple[Talker, ...] = ()
    hidden: int = 0
    """Connections of this machine whose program may not be looked at."""
    reason: str = NOT_ASKED
    """Why nobody is known; empty where the connections could be read."""
    taken_s: float | None = None
    """Monotonic second of the look; None before the first."""

    @property
    def is_known(self) -> bool:
        """Whether the connections could be read."""
        return not self.reason


class TalkerSource(Protocol):
    """Something that can tell who talks to a server; asked only while somebody reads it."""

    async def talkers(self, url: str) -> Talkers:
        """Look once, or return the last look while it is young. This never raises."""
        ...
