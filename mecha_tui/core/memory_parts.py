"""The pool cut into parts that add up: the server, others, cache, and what is free."""

from __future__ import annotations

from dataclasses import dataclass

from mecha_tui.core.memory import Memory, MemoryKind


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a pool. Server, other, cache and free always add up to the total."""

    total_bytes: int
    server_bytes: int | None
    """What the server holds of the pool for sure; None when nothing of it is known."""
    server_is_whole: bool
    """Whether that is all it holds; otherwise its GPU or its host share is not known."""
    other_bytes: int
    """What is in use besides; when the server's part is unknown, it is in here."""
    cache_bytes: int
    """Cached files, which count as available; those of the server's model among them."""
    free_bytes: int
    """What is available besides cached files."""

    @property
    def available_bytes(self) -> int:
        """What a program can still get."""
        return self.cache_bytes + self.free_bytes

    @property
    def used_bytes(self) -> int:
        """What is not available."""
        return self.total_bytes - self.available_bytes


def memory_parts(memory: Memory) -> Parts | None:
    """Return the pool's parts; None when its size or what is available is not known.

    Drivers and kernel count at different moments and by different rules, so what the
    server is said to hold is bounded by what is in use at all.
    """
    total, available = memory.pool_total_bytes.value, memory.pool_available_bytes.value
    if total is None or available is None:
        return None
    available = min(available, total)
    cache = min(memory.page_cache_bytes.value or 0, available)
    held, is_whole = _held(memory)
    used = total - available
    server = None if held is None else min(held, used)
    return Parts(
        total_bytes=total,
        server_bytes=server,
        server_is_whole=is_whole,
        other_bytes=used - (server or 0),
        cache_bytes=cache,
        free_bytes=available - cache,
    )


def _held(memory: Memory) -> tuple[int | None, bool]:
    """Return what the server holds of its pool, and whether that is all."""
    gpu = memory.server_gpu_bytes.value
    host = memory.server_host_bytes.value
    if host is not None:
        host = max(0, host - (memory.server_cache_bytes.value or 0))
    if memory.kind is MemoryKind.DISCRETE:
        return gpu, gpu is not None
    if memory.kind is MemoryKind.NONE:
        return host, host is not None
    known = [part for part in (gpu, host) if part is not None]
    return (sum(known) if known else None), len(known) == 2
