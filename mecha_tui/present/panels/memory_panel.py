"""Where the memory is: the server's, other programs', the page cache, and what is left."""

from __future__ import annotations

from mecha_tui.core.agreement import Severity
from mecha_tui.core.memory import Memory, MemoryKind
from mecha_tui.core.memory_parts import Parts, memory_parts
from mecha_tui.core.picture import ServerPicture
from mecha_tui.present import numbers
from mecha_tui.present.bars import FULL, REST, shares
from mecha_tui.present.charts import chart
from mecha_tui.present.text import (
    EMPTY,
    Line,
    Part,
    Tone,
    bold,
    cut,
    faded,
    line,
    muted,
    spread,
    wrapped,
)
from mecha_tui.present.words import finding_sign, is_part_of_router

KIND_WORDS = {
    MemoryKind.UNIFIED: "unified",
    MemoryKind.DISCRETE: "VRAM",
    MemoryKind.NONE: "host",
    MemoryKind.UNKNOWN: "unknown",
}
_LEGEND_CELLS = 34
_CHART_LINES = 4
"""Below this many lines a chart tells nothing."""


def memory_title(memory: Memory) -> str:
    """Return the kind of memory in a word."""
    return KIND_WORDS[memory.kind]


def memory_tone(picture: ServerPicture) -> Tone:
    """Return the border's tone: red or yellow only when something is wrong."""
    severities = {one.severity for one in picture.memory_findings}
    if Severity.ERROR in severities:
        return Tone.ERROR
    return Tone.WARNING if Severity.WARNING in severities else Tone.FAINT


def memory_age(picture: ServerPicture) -> Line:
    """Return how old the figures are, once they are old enough to matter."""
    old = picture.memory_old_s
    return EMPTY if old is None else line(Part(f"{numbers.age(old)} old", Tone.WARNING))


def memory_footer(picture: ServerPicture) -> Line:
    """Return what is wrong in a word or two, or how old the figures are."""
    if picture.memory_findings:
        sign = finding_sign(picture.memory_findings[0])
        code = picture.memory_findings[0].code.replace("-", " ")
        return line(Part(f"{sign.symbol} {code}", sign.tone), muted("  m why"))
    return memory_age(picture)


def memory_lines(picture: ServerPicture, width: int, room: int) -> list[Line]:
    """Return the bar and its legend, or one line of figures where there is little room."""
    memory = picture.memory
    parts = memory_parts(memory)
    if parts is None:
        return _unknown_lines(memory, width)[: max(0, room)]
    bar = memory_bar(parts, width)
    if room < 5:
        lines = [bar, *_short_legend(memory, parts, width)]
    else:
        lines = [bar, *memory_legend(picture, parts, width), *_notes(memory, parts, width)]
        lines += _hour_below(picture, width, room - len(lines))
    lines = lines if picture.memory_old_s is None else [faded(one) for one in lines]
    return lines[: max(0, room)]


def memory_legend(picture: ServerPicture, parts: Parts, width: int) -> list[Line]:
    """Return a line for each kind of use, in the order of the bar."""
    memory = picture.memory
    server = _legend(FULL, _server_word(picture, parts), parts.server_bytes, Tone.ACCENT, width)
    others = "other programs" if parts.server_bytes is not None else "in use by all"
    lines = [server, _legend(FULL, others, parts.other_bytes, Tone.READING, width)]
    if memory.kind is not MemoryKind.DISCRETE:
        cache = parts.cache_bytes if memory.page_cache_bytes.is_known else None
        lines.append(_legend(FULL, "page cache", cache, Tone.MUTED, width))
    # The cache has a line of its own, and yet it is part of what is available.
    word = "available" if len(lines) < 3 or not parts.cache_bytes else "available with cache"
    end = _legend(REST, word, parts.available_bytes, Tone.FAINT, width, is_bold=True)
    return [*lines, end]


def _short_legend(memory: Memory, parts: Parts, width: int) -> list[Line]:
    """Return the figures in two lines."""
    word = "server" if memory.kind is MemoryKind.NONE else "model"
    server = line(Part(f"{word} {numbers.gib(parts.server_bytes)}", Tone.ACCENT))
    other = line(Part(f"other {numbers.gib(parts.other_bytes)}", Tone.READING))
    cache = EMPTY
    if memory.page_cache_bytes.is_known:
        cache = line(muted(f"cache {numbers.gib(parts.cache_bytes)}"))
    total = muted(f" of {numbers.gib(parts.total_bytes)} GiB")
    free = line(muted("available "), bold(numbers.gib(parts.available_bytes)), total)
    return [cut(line(server, "   ", other, "   ", cache), width), cut(free, width)]


def memory_bar(parts: Parts, width: int) -> Line:
    """Return the pool as one bar: server, others, cache, and the rest that is free."""
    return shares(
        [
            (parts.server_bytes or 0, Tone.ACCENT),
            (parts.other_bytes, Tone.READING),
            (parts.cache_bytes, Tone.MUTED),
        ],
        parts.total_bytes,
        width,
    )


def memory_line(memory: Memory, width: int) -> Line:
    """Return the figures in one line, without what does not fit."""
    parts = memory_parts(memory)
    if parts is None:
        reason = memory.pool_total_bytes.reason or memory.pool_available_bytes.reason
        return cut(line(muted(f"{numbers.UNKNOWN}  {reason or 'not read yet'}")), width)
    word = "server" if memory.kind is MemoryKind.NONE else "model"
    whole = muted(f" of {numbers.gib(parts.total_bytes)} GiB")
    end = line(bold(numbers.gib(parts.available_bytes)), whole)
    server = line(Part(f"{word} {numbers.gib(parts.server_bytes)}", Tone.ACCENT), "   ")
    other = line(Part(f"other {numbers.gib(parts.other_bytes)}", Tone.READING), "   ")
    cache = line(muted(f"cache {numbers.gib(parts.cache_bytes)}   "))
    available = muted("available ")
    has_cache = memory.page_cache_bytes.is_known
    for pieces in ((server, other, cache if has_cache else EMPTY), (server, other), (server,)):
        whole_line = line(*pieces, available, end)
        if sum(len(part.text) for part in whole_line) <= width:
            return whole_line
    return cut(line(available, end), width)


def _server_word(picture: ServerPicture, parts: Parts) -> str:
    """Name the server's part, and which half of it is known where one is not."""
    memory = picture.memory
    if is_part_of_router(picture) and parts.server_bytes is not None:
        return "router's models"
    if memory.kind is MemoryKind.NONE:
        return "server"
    if parts.server_is_whole or parts.server_bytes is None:
        return "model and KV"
    return "server on GPU" if memory.server_gpu_bytes.is_known else "server on host"


def _notes(memory: Memory, parts: Parts, width: int) -> list[Line]:
    """Return what the bar stands for, and what does not lie in it."""
    whole = f"of {numbers.gib(parts.total_bytes)} GiB"
    lines = wrapped(
        f"{whole} · {memory.kind_note}" if memory.kind_note else whole, width, Tone.MUTED
    )
    if memory.kind is MemoryKind.DISCRETE:
        lines.append(cut(host_line(memory), width))
    if memory.swap_used_bytes.value:
        used, total = memory.swap_used_bytes.value, memory.swap_total_bytes.value
        lines.append(
            cut(line(muted(f"swap {numbers.gib(used)} of {numbers.gib(total)} GiB")), width)
        )
    return lines


def hour_chart(picture: ServerPicture, width: int, height: int) -> list[Line]:
    """Return what was in use over the last hour, on the pool's own scale, and a time axis."""
    total, used = picture.memory.pool_total_bytes.value, picture.memory_history.used
    if not total or height < 2 or not any(value is not None for value in used.values):
        return []
    lines = chart(used, width, height - 1, Tone.READING, top=(total, f"{numbers.gib(total)} GiB"))
    return [*lines, spread(line(muted("1 h ago")), line(muted("now")), width)]


def _hour_below(picture: ServerPicture, width: int, room: int) -> list[Line]:
    if room < _CHART_LINES + 1:
        return []
    return [EMPTY, *hour_chart(picture, width, room - 1)]


def host_line(memory: Memory) -> Line:
    """Return host memory in one line, for where it is not the pool."""
    available, total = memory.host.available_bytes.value, memory.host.total_bytes.value
    return line(muted(f"host {numbers.gib(available)} of {numbers.gib(total)} GiB available"))


def _unknown_lines(memory: Memory, width: int) -> list[Line]:
    """Say that the pool is unknown and why; host memory is told as what it is."""
    reason = memory.pool_total_bytes.reason or memory.pool_available_bytes.reason or "not read yet"
    head = cut(line(muted(f"{numbers.UNKNOWN} unknown")), width)
    lines = [head, *wrapped(reason, width, Tone.MUTED)]
    if memory.host.total_bytes.is_known and memory.kind is not MemoryKind.NONE:
        lines.append(cut(host_line(memory), width))
    if memory.server_host_bytes.is_known:
        own = numbers.gib(memory.server_host_bytes.value)
        lines.append(cut(line(muted(f"server on the host {own} GiB")), width))
    return lines


def _legend(
    glyph: str, word: str, count: int | None, tone: Tone, width: int, *, is_bold: bool = False
) -> Line:
    value = Part(
        numbers.gib(count), Tone.MUTED if tone is Tone.MUTED else Tone.TEXT, is_bold=is_bold
    )
    label = line(Part(glyph, tone), f" {word}")
    return spread(label, line(value, muted(" GiB")), min(width, _LEGEND_CELLS))
