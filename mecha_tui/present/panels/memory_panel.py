"""Where the memory is: the server's, other programs', the page cache, and what is left."""

from __future__ import annotations

from dataclasses import dataclass

from mecha_tui.core.memory import Memory, MemoryKind
from mecha_tui.present import numbers
from mecha_tui.present.bars import FULL, REST, shares
from mecha_tui.present.text import Line, Part, Tone, bold, cut, line, muted, spread, wrapped

_LEGEND_CELLS = 34
KIND_WORDS = {
    MemoryKind.UNIFIED: "unified",
    MemoryKind.DISCRETE: "VRAM",
    MemoryKind.NONE: "host",
    MemoryKind.UNKNOWN: "unknown",
}


@dataclass(frozen=True, slots=True)
class MemoryParts:
    """A pool's parts in bytes; None is unknown. None of them is guessed from another."""

    server: int | None
    other: int | None
    """What is used and not the server's; None unless all three others are known."""
    cache: int | None
    """Page cache, which is part of what is available."""
    available: int | None
    total: int | None


def memory_parts(memory: Memory) -> MemoryParts:
    """Return what the pool is made of.

    In unified memory the server's GPU and host bytes lie in the same pool and add up; a
    card's pool holds only the GPU bytes, a host's pool only the host bytes.
    """
    gpu, host = memory.server_gpu_bytes.value, memory.server_host_bytes.value
    server = {
        MemoryKind.UNIFIED: gpu + host if gpu is not None and host is not None else gpu,
        MemoryKind.DISCRETE: gpu,
        MemoryKind.NONE: host,
    }.get(memory.kind)
    total, available = memory.pool_total_bytes.value, memory.pool_available_bytes.value
    other = None
    if total is not None and available is not None and server is not None:
        other = total - available - server
        other = other if other >= 0 else None
    return MemoryParts(server, other, memory.page_cache_bytes.value, available, total)


def memory_title(memory: Memory) -> str:
    """Return the kind of memory in a word."""
    return KIND_WORDS[memory.kind]


def memory_lines(memory: Memory, width: int, room: int) -> list[Line]:
    """Return the bar and its legend, or one line of figures where there is little room."""
    parts = memory_parts(memory)
    if parts.total is None:
        reason = memory.pool_total_bytes.reason or "not read yet"
        return [line(muted("– unknown")), *wrapped(reason, width, Tone.MUTED)][:room]
    bar = memory_bar(parts, width)
    if room < 5:
        return [bar, *_short_legend(parts, width)][: max(0, room)]
    whole = f"of {numbers.gib(parts.total)} GiB"
    note = f"{whole} · {memory.kind_note}" if memory.kind_note else whole
    return [
        bar,
        _legend(FULL, "model and KV", parts.server, Tone.ACCENT, width),
        _legend(FULL, "other programs", parts.other, Tone.READING, width),
        _legend(FULL, "page cache", parts.cache, Tone.MUTED, width),
        _legend(REST, "available", parts.available, Tone.FAINT, width, is_bold=True),
        *wrapped(note, width, Tone.MUTED),
    ][:room]


def _short_legend(parts: MemoryParts, width: int) -> list[Line]:
    """Return the figures in two lines."""
    server = line(Part(f"model {numbers.gib(parts.server)}", Tone.ACCENT))
    other = line(Part(f"other {numbers.gib(parts.other)}", Tone.READING))
    cache = line(muted(f"cache {numbers.gib(parts.cache)}"))
    total = muted(f" of {numbers.gib(parts.total)} GiB")
    free = line(muted("available "), bold(numbers.gib(parts.available)), total)
    return [cut(line(server, "   ", other, "   ", cache), width), cut(free, width)]


def memory_bar(parts: MemoryParts, width: int) -> Line:
    """Return the pool as one bar: server, others, cache, and the rest that is free."""
    if not parts.total:
        return ()
    used = None if parts.available is None else parts.total - parts.available
    if parts.server is None or parts.other is None:
        known = [(used or 0, Tone.READING)]
    else:
        known = [(parts.server, Tone.ACCENT), (parts.other, Tone.READING)]
    cache = min(parts.cache or 0, parts.available or 0)
    return shares([*known, (cache, Tone.MUTED)], parts.total, width)


def memory_line(memory: Memory, width: int) -> Line:
    """Return the figures in one line, without what does not fit."""
    parts = memory_parts(memory)
    end = line(bold(numbers.gib(parts.available)), muted(f" of {numbers.gib(parts.total)} GiB"))
    server = line(Part(f"model {numbers.gib(parts.server)}", Tone.ACCENT), "   ")
    other = line(Part(f"other {numbers.gib(parts.other)}", Tone.READING), "   ")
    cache = line(muted(f"cache {numbers.gib(parts.cache)}   "))
    available = muted("available ")
    for pieces in ((server, other, cache), (server, other), (server,)):
        whole = line(*pieces, available, end)
        if sum(len(part.text) for part in whole) <= width:
            return whole
    return cut(line(available, end), width)


def _legend(
    glyph: str, word: str, count: int | None, tone: Tone, width: int, *, is_bold: bool = False
) -> Line:
    value = Part(
        numbers.gib(count), Tone.MUTED if tone is Tone.MUTED else Tone.TEXT, is_bold=is_bold
    )
    label = line(Part(glyph, tone), f" {word}")
    return spread(label, line(value, muted(" GiB")), min(width, _LEGEND_CELLS))
