"""Where memory stands: the pool, the server's GPU memory, the server's host memory."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from mecha_tui.core.reading import Reading, unknown

_UNREAD: Reading[int] = unknown("not read yet")


class MemoryKind(Enum):
    """What kind of memory the model lives in."""

    UNIFIED = "unified"
    """One pool for GPU and host."""
    DISCRETE = "discrete"
    """The card has memory of its own."""
    NONE = "none"
    """No GPU: the host's memory is all there is."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Memory:
    """Three quantities, kept apart and never inferred from each other."""

    kind: MemoryKind = MemoryKind.UNKNOWN
    kind_note: str = ""
    """Why it is this kind, in a few words, such as ``NVIDIA GB10: no separate VRAM``."""
    pool_total_bytes: Reading[int] = _UNREAD
    """The memory that models compete for: unified or host RAM, or a card's VRAM."""
    pool_available_bytes: Reading[int] = _UNREAD
    page_cache_bytes: Reading[int] = _UNREAD
    """Reclaimable file cache inside the pool; unknown for VRAM."""
    server_gpu_bytes: Reading[int] = _UNREAD
    server_host_bytes: Reading[int] = _UNREAD
    swap_used_bytes: Reading[int] = _UNREAD
    swap_total_bytes: Reading[int] = _UNREAD
    taken_s: float | None = None
    """Monotonic seconds at which it was read."""
