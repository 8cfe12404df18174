"""How the pool filled over the last hour."""

from __future__ import annotations

from dataclasses import dataclass, field

from mecha_tui.core.history import Series
from mecha_tui.core.memory import Memory
from mecha_tui.core.memory_parts import memory_parts

BUCKET_S = 15.0
BUCKETS = 240
"""An hour."""


def _series() -> Series:
    return Series(BUCKET_S, BUCKETS)


@dataclass(frozen=True, slots=True)
class MemoryHistory:
    """Bytes in use over time; a time at which they were not known is a gap."""

    used: Series = field(default_factory=_series)
    """What is not available of the pool."""
    server: Series = field(default_factory=_series)
    """The server's part of it."""
    taken_s: float | None = None
    """When the newest value was read."""

    def with_memory(self, memory: Memory) -> MemoryHistory:
        """Return the history with one more look; a look already in it changes nothing."""
        taken_s = memory.taken_s
        if taken_s is None or (self.taken_s is not None and taken_s <= self.taken_s):
            return self
        parts = memory_parts(memory)
        return MemoryHistory(
            self.used.with_value(taken_s, None if parts is None else parts.used_bytes),
            self.server.with_value(taken_s, None if parts is None else parts.server_bytes),
            taken_s,
        )
