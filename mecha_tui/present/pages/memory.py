"""Where the memory is: every figure with its source, who holds it, and the last hour."""

from __future__ import annotations

from mecha_tui.core.agreement import Finding
from mecha_tui.core.memory import Device, Holder, Limit, Memory, MemoryKind, Role
from mecha_tui.core.memory_parts import memory_parts
from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.reading import unknown
from mecha_tui.present import numbers
from mecha_tui.present.pages.memory_figures import (
    LABEL,
    figure_row,
    free_row,
    words_row,
)
from mecha_tui.present.pages.memory_kv import kv_lines
from mecha_tui.present.pages.page import Page, heading
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
    line,
    muted,
    wrapped,
)
from mecha_tui.present.view import View
from mecha_tui.present.words import finding_sign, is_part_of_router

_CHART_LINES = 7
_HOLDERS = 12
_NO_CHART = "Nothing has been read yet that a chart could show."
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
        *_pool(picture, width),
        EMPTY,
        *_server(picture, width),
        EMPTY,
        *kv_lines(picture.numbers, memory, width),
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


def _pool(picture: ServerPicture, width: int) -> list[Line]:
    memory = picture.memory
    parts = memory_parts(memory)
    lines: list[Line] = []
    if parts is not None:
        lines = [memory_bar(parts, width), *memory_legend(picture, parts, width)]
        lines += [*wrapped(memory.kind_note, width, Tone.MUTED), EMPTY]
    lines += [
        heading("pool", width),
        figure_row("total", memory.pool_total_bytes, width),
        figure_row("available", memory.pool_available_bytes, width),
    ]
    headroom = memory.headroom_bytes
    if headroom.is_known and headroom.value != memory.pool_available_bytes.value:
        lines.append(figure_row("left for a server", memory.headroom_bytes, width))
    if memory.llama_headroom_bytes.value != memory.headroom_bytes.value:
        lines.append(figure_row("as llama.cpp will see it", memory.llama_headroom_bytes, width))
    if memory.kind is MemoryKind.UNIFIED:
        lines.append(figure_row("VRAM", memory.vram, width))
    if memory.kind in (MemoryKind.UNIFIED, MemoryKind.NONE):
        lines.append(figure_row("page cache, reclaimable", memory.page_cache_bytes, width))
    return lines


def _server(picture: ServerPicture, width: int) -> list[Line]:
    memory = picture.memory
    whose = "this router and all its models" if is_part_of_router(picture) else "this server"
    return [
        heading(whose, width),
        figure_row("on the GPU", memory.server_gpu_bytes, width),
        figure_row("on the host", memory.server_host_bytes, width),
        figure_row("  of it file cache", memory.server_cache_bytes, width),
        figure_row("  swapped out", memory.server_swap_bytes, width),
        *[one for limit in memory.limits for one in _limit(limit, width)],
    ]


def _limit(limit: Limit, width: int) -> list[Line]:
    if not limit.limit_bytes.is_known:
        reason = limit.limit_bytes.reason or ""
        return [cut(line(muted(f"{'limit':<{LABEL}}        –      {limit.name}: {reason}")), width)]
    return [
        figure_row("limit", limit.limit_bytes, width, limit.name),
        figure_row("  left below it", limit.left_bytes, width),
    ]


def _hour(picture: ServerPicture, width: int) -> list[Line]:
    head = heading("in use over the last hour", width)
    lines = hour_chart(picture, min(width, 100), _CHART_LINES)
    return [head, *(lines or wrapped(_NO_CHART, width, Tone.MUTED))]


def _holders(memory: Memory, width: int) -> list[Line]:
    head = heading("who holds it", width)
    if not memory.holders:
        return [head, *wrapped("No process is visible.", width, Tone.MUTED)]
    columns = f"{'pid':>8}  {'on the GPU':>12}  {'on the host':>12}       name"
    lines = [head, cut(line(muted(columns)), width)]
    lines += [cut(_holder(one), width) for one in memory.holders[:_HOLDERS]]
    hidden = len(memory.holders) - _HOLDERS
    if hidden > 0:
        lines.append(cut(line(muted(f"{hidden} more hold less")), width))
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
    head = heading("GPUs", width)
    if not memory.devices:
        return [head, *wrapped(memory.kind_note or "none found", width, Tone.MUTED)]
    lines = [head]
    for device in memory.devices:
        lines += _device(device, width)
    lines.append(figure_row("held by all programs", memory.gpu_used_bytes, width))
    return lines


def _device(device: Device, width: int) -> list[Line]:
    number = "" if device.index is None else f"{device.index} "
    head = line(bold(f"{number}{device.name}"), muted(f"  {device.driver}, {device.kind.value}"))
    lines = [cut(head, width)]
    if device.error is not None:
        lines += [line("  ", one) for one in wrapped(device.error, width - 2, Tone.ERROR)]
    if device.total_bytes.is_known or device.error is None:
        lines.append(free_row("  own memory", device.total_bytes, device.available_bytes, width))
    shared = device.shared_total_bytes, device.shared_available_bytes
    if shared[0] is not None and shared[1] is not None:
        lines.append(free_row("  mappable host memory", shared[0], shared[1], width))
    if not device.processes.is_known and device.error is None:
        lines.append(figure_row("  processes", unknown(device.processes.reason or ""), width))
    return lines


def _host(memory: Memory, width: int) -> list[Line]:
    host, pressure = memory.host, memory.pressure
    lines = [
        heading("host", width),
        figure_row("total", host.total_bytes, width),
        figure_row("available", host.available_bytes, width),
        figure_row("free", host.free_bytes, width),
        figure_row("swap", host.swap_total_bytes, width),
        figure_row("  used", host.swap_used_bytes, width),
    ]
    if host.huge_total_bytes.value:
        lines += [
            figure_row("huge pages", host.huge_total_bytes, width),
            figure_row("  of it free", host.huge_free_bytes, width),
        ]
    if host.arc_bytes.is_known:
        lines.append(figure_row("ZFS cache, reclaimable", host.arc_bytes, width))
    some, kills = pressure.some_ratio, pressure.oom_kills
    lines.append(words_row("waited for memory", numbers.percent(some.value), some, width))
    shown = numbers.UNKNOWN if kills.value is None else str(kills.value)
    lines.append(words_row("killed for want of it", shown, kills, width))
    return lines
