"""Where the memory is: every figure with its source, who holds it, and the last hour."""

from __future__ import annotations

from mecha_tui.core.agreement import Finding
from mecha_tui.core.memory import Device, Holder, Limit, Memory, MemoryKind, Role
from mecha_tui.core.memory_parts import memory_parts
from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.reading import Reading, unknown
from mecha_tui.present import numbers
from mecha_tui.present.pages.page import Page
from mecha_tui.present.panels.memory_panel import (
    hour_chart,
    memory_age,
    memory_bar,
    memory_legend,
    memory_title,
)
from mecha_tui.present.text import (
    EMPTY,
    Line,
    Part,
    Tone,
    bold,
    cut,
    faint,
    line,
    muted,
    width_of,
    wrapped,
)
from mecha_tui.present.view import View
from mecha_tui.present.words import finding_sign

_LABEL = 24
_CHART_LINES = 7
_HOLDERS = 12
_ROLE_WORDS = {
    Role.SERVER: ("this server", Tone.ACCENT),
    Role.OURS: ("this screen", Tone.MUTED),
    Role.OTHER: ("", Tone.TEXT),
    Role.UNATTRIBUTED: ("unattributed", Tone.WARNING),
}


def memory_page(view: View, width: int, first: int = 0) -> Page:
    """Return the page."""
    picture = view.picture
    if picture is None:
        return Page(line(bold("4 memory")), [line(muted("Waiting for the first look."))], first)
    memory = picture.memory
    lines = [
        *_findings(picture.memory_findings, width),
        *_pool(memory, width),
        EMPTY,
        *_server(memory, width),
        EMPTY,
        *_hour(picture, width),
        EMPTY,
        *_holders(memory, width),
        EMPTY,
        *_devices(memory, width),
        EMPTY,
        *_host(memory, width),
    ]
    title = line(bold(f"4 memory · {memory_title(memory)}"))
    age = memory_age(picture)
    return Page(title, lines, first, line(age, " ") if age else EMPTY)


def _heading(text: str, width: int) -> Line:
    words = line(bold(text), " ")
    return cut(line(words, faint("─" * max(0, width - width_of(words)))), width)


def _findings(findings: tuple[Finding, ...], width: int) -> list[Line]:
    lines: list[Line] = []
    for finding in findings:
        sign = finding_sign(finding)
        head = line(Part(f"{sign.symbol} {sign.word}", sign.tone, is_bold=True))
        lines.append(cut(line(head, muted(f"  {finding.code}")), width))
        lines += [line("  ", each) for each in wrapped(finding.message, width - 2)]
        if finding.effect:
            lines += [line("  ", each) for each in wrapped(finding.effect, width - 2, Tone.MUTED)]
        for cure in finding.cures:
            cured = line("  ", bold(cure.line, Tone.ACCENT), muted(f"   {cure.place}"))
            lines.append(cut(cured, width))
        lines.append(EMPTY)
    return lines


def _pool(memory: Memory, width: int) -> list[Line]:
    parts = memory_parts(memory)
    lines: list[Line] = []
    if parts is not None:
        lines = [memory_bar(parts, width), *memory_legend(memory, parts, width)]
        lines += [*wrapped(memory.kind_note, width, Tone.MUTED), EMPTY]
    lines += [
        _heading("pool", width),
        _figure("total", memory.pool_total_bytes, width),
        _figure("available", memory.pool_available_bytes, width),
    ]
    if memory.llama_headroom_bytes.value != memory.headroom_bytes.value:
        lines.append(_figure("as llama.cpp will see it", memory.llama_headroom_bytes, width))
    if memory.kind is MemoryKind.UNIFIED:
        lines.append(_figure("VRAM", memory.vram, width))
    if memory.kind in (MemoryKind.UNIFIED, MemoryKind.NONE):
        lines.append(_figure("page cache, reclaimable", memory.page_cache_bytes, width))
    return lines


def _server(memory: Memory, width: int) -> list[Line]:
    return [
        _heading("this server", width),
        _figure("on the GPU", memory.server_gpu_bytes, width),
        _figure("on the host", memory.server_host_bytes, width),
        _figure("  of it file cache", memory.server_cache_bytes, width),
        _figure("  swapped out", memory.server_swap_bytes, width),
        *[one for limit in memory.limits for one in _limit(limit, width)],
    ]


def _limit(limit: Limit, width: int) -> list[Line]:
    if not limit.limit_bytes.is_known:
        reason = limit.limit_bytes.reason or ""
        return [
            cut(line(muted(f"{'limit':<{_LABEL}}        –      {limit.name}: {reason}")), width)
        ]
    return [
        _figure("limit", limit.limit_bytes, width, limit.name),
        _figure("  left below it", limit.left_bytes, width),
    ]


def _hour(picture: ServerPicture, width: int) -> list[Line]:
    head = _heading("in use over the last hour", width)
    lines = hour_chart(picture, min(width, 100), _CHART_LINES)
    return [head, *(lines or [line(muted("Nothing has been read yet that a chart could show."))])]


def _holders(memory: Memory, width: int) -> list[Line]:
    head = _heading("who holds it", width)
    if not memory.holders:
        return [head, line(muted("No process is visible."))]
    columns = f"{'pid':>8}  {'on the GPU':>12}  {'on the host':>12}       name"
    lines = [head, cut(line(muted(columns)), width)]
    lines += [cut(_holder(one), width) for one in memory.holders[:_HOLDERS]]
    hidden = len(memory.holders) - _HOLDERS
    if hidden > 0:
        lines.append(line(muted(f"{hidden} more hold less")))
    if memory.unattributed_gpu_bytes is not None:
        held = numbers.gib(memory.unattributed_gpu_bytes)
        lines += wrapped(
            f"{held} GiB on the GPU are held by pids that are not visible here, as those of "
            "another container: unattributed.",
            width,
            Tone.MUTED,
        )
    return lines


def _holder(one: Holder) -> Line:
    word, tone = _ROLE_WORDS[one.role]
    gpu = "" if one.gpu_bytes is None else f"{numbers.gib(one.gpu_bytes)} GiB"
    host = "" if one.host_bytes is None else f"{numbers.gib(one.host_bytes)} GiB"
    measure = one.host_measure or ""
    return line(
        muted(f"{one.pid:>8}  "),
        f"{gpu or numbers.UNKNOWN:>12}  {host or numbers.UNKNOWN:>12} ",
        muted(f"{measure:<5} "),
        Part(one.name, tone),
        muted(f"  {word}" if word else ""),
    )


def _devices(memory: Memory, width: int) -> list[Line]:
    head = _heading("GPUs", width)
    if not memory.devices:
        return [head, *wrapped(memory.kind_note or "none found", width, Tone.MUTED)]
    lines = [head]
    for device in memory.devices:
        lines += _device(device, width)
    lines.append(_figure("held by all programs", memory.gpu_used_bytes, width))
    return lines


def _device(device: Device, width: int) -> list[Line]:
    number = "" if device.index is None else f"{device.index} "
    head = line(bold(f"{number}{device.name}"), muted(f"  {device.driver}, {device.kind.value}"))
    lines = [cut(head, width)]
    if device.error is not None:
        lines += [line("  ", one) for one in wrapped(device.error, width - 2, Tone.ERROR)]
    if device.total_bytes.is_known or device.error is None:
        lines.append(_free("  own memory", device.total_bytes, device.available_bytes, width))
    shared = device.shared_total_bytes, device.shared_available_bytes
    if shared[0] is not None and shared[1] is not None:
        lines.append(_free("  mappable host memory", shared[0], shared[1], width))
    if not device.processes.is_known and device.error is None:
        lines.append(_figure("  processes", unknown(device.processes.reason or ""), width))
    return lines


def _free(label: str, total: Reading[int], free: Reading[int], width: int) -> Line:
    if not total.is_known:
        return _figure(label, total, width)
    told = numbers.gib(free.value)
    why = free.source if free.is_known else free.reason
    figure = line(f"{numbers.gib(total.value):>9}", muted(" GiB"), f"  {told}", muted(" GiB free"))
    return cut(line(muted(f"{label:<{_LABEL}}"), figure, muted(f"   {why or ''}")), width)


def _host(memory: Memory, width: int) -> list[Line]:
    host, pressure = memory.host, memory.pressure
    lines = [
        _heading("host", width),
        _figure("total", host.total_bytes, width),
        _figure("available", host.available_bytes, width),
        _figure("free", host.free_bytes, width),
        _figure("swap", host.swap_total_bytes, width),
        _figure("  used", host.swap_used_bytes, width),
    ]
    if host.huge_total_bytes.value:
        lines += [
            _figure("huge pages", host.huge_total_bytes, width),
            _figure("  of it free", host.huge_free_bytes, width),
        ]
    if host.arc_bytes.is_known:
        lines.append(_figure("ZFS cache, reclaimable", host.arc_bytes, width))
    some, kills = pressure.some_ratio, pressure.oom_kills
    lines.append(_words("waited for memory", numbers.percent(some.value), some, width))
    shown = numbers.UNKNOWN if kills.value is None else str(kills.value)
    lines.append(_words("killed for want of it", shown, kills, width))
    return lines


def _figure(label: str, reading: Reading[int], width: int, source: str | None = None) -> Line:
    unit = muted(" GiB") if reading.is_known else Part("    ")
    why = (source or reading.source) if reading.is_known else reading.reason
    figure = f"{numbers.gib(reading.value):>9}"
    whole = line(muted(f"{label:<{_LABEL}}"), figure, unit, muted(f"  {why or ''}"))
    return cut(whole, width)


def _words(label: str, value: str, reading: Reading[int] | Reading[float], width: int) -> Line:
    why = reading.source if reading.is_known else reading.reason
    return cut(line(muted(f"{label:<{_LABEL}}"), f"{value:>9}", muted(f"      {why or ''}")), width)
