"""One round of looking at every server, as it comes from the collectors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from mecha_tui.core.client import ClientPromise
from mecha_tui.core.launch import LaunchFlags
from mecha_tui.core.memory import Memory
from mecha_tui.core.replies import Replies
from mecha_tui.core.server import ServerProcess
from mecha_tui.core.server_log import LogNews

NOT_LOOKED = "the process behind the address was not looked for"
"""Why the process is not known before anyone looked."""


@dataclass(frozen=True, slots=True)
class ServerSample:
    """What one round saw of one server. What was not looked at this round is None."""

    url: str
    """The server's address without credentials; also its name on the screen."""
    model_id: str | None = None
    """The model within a router; None for a server of its own."""
    replies: Replies = field(default_factory=Replies)
    connections: int | None = None
    """Established connections to the server, without our own; None when not visible."""
    process: ServerProcess | None = None
    why_no_process: str = ""
    """Why the process behind the address is not known."""
    is_quiet: bool = False
    """Whether its process is seen to do nothing since all its slots were found idle."""
    may_keep_awake: bool = False
    """Whether asking may keep it from a sleep of which nobody knows."""
    launch: LaunchFlags = field(default_factory=LaunchFlags)
    clients: tuple[ClientPromise, ...] = ()
    memory: Memory = field(default_factory=Memory)
    log: LogNews | None = None
    """What its log told since the look before; None when nothing new was read."""
    is_own_memory: bool = True
    """Whether the memory is this server's own, and not that of its router and all its models."""

    @property
    def key(self) -> str:
        """What tells this server from every other in the same round."""
        return self.url if self.model_id is None else f"{self.url}#{self.model_id}"


@dataclass(frozen=True, slots=True)
class Round:
    """One look at everything."""

    taken_s: float
    """Monotonic seconds."""
    wall_s: float
    """Seconds since the epoch, for display only."""
    servers: tuple[ServerSample, ...] = ()
    pause_s: float = 0.0
    """So long nothing is likely to change, and the next look may wait."""


class Sampler(Protocol):
    """Anything that can look once at every server: the real one, a replay, a test's script."""

    async def sample(self) -> Round:
        """Look once. Trouble is told in the round's answers; this never raises."""
        ...

    async def aclose(self) -> None:
        """Close what was opened."""
        ...
