"""Why the numbers agree or not: each with its source, each finding with every cure."""

from __future__ import annotations

from mecha_tui.core.agreement import Cure, Finding, Verdict
from mecha_tui.core.client import ClientPromise
from mecha_tui.core.numbers import KvMode
from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.reading import Reading, known, unknown
from mecha_tui.present import numbers
from mecha_tui.present.pages.page import Page, heading
from mecha_tui.present.panels.numbers_panel import verdict_part
from mecha_tui.present.text import (
    EMPTY,
    Line,
    Part,
    Tone,
    bold,
    cut,
    line,
    lit,
    muted,
    width_of,
    wrapped,
)
from mecha_tui.present.view import View
from mecha_tui.present.words import finding_sign

_LABEL = 20
_FIGURE = 12


def cures(view: View) -> list[Cure]:
    """Return every cure of every finding, in the order of the page."""
    if view.picture is None:
        return []
    return [cure for finding in view.picture.agreement.findings for cure in finding.cures]


def agreement_page(view: View, width: int, first: int, chosen: int) -> Page:
    """Return the page.

    Args:
        view: What to show.
        width: Cells in a line.
        first: The first line shown.
        chosen: Which cure is chosen, counted over all findings.
    """
    picture = view.picture
    if picture is None:
        return Page(_TITLE, [line(muted("Waiting for the first look."))], first)
    lines = _findings(picture, width, chosen)
    lines += [EMPTY, heading("the server", width), *_server(picture, width)]
    for client in picture.clients:
        lines += [EMPTY, heading(f"the client “{client.name}”", width), *_client(client, width)]
    if not picture.clients:
        why = (
            "None is known. Tell one's promise with --context-window and --max-tokens, or with a "
            "[clients.NAME] table in mecha-tui's settings."
        )
        lines += [EMPTY, heading("clients", width), *wrapped(why, width, Tone.MUTED)]
    return Page(_TITLE, lines, first, line(verdict_part(picture)))


_TITLE = line(bold("1 numbers"), bold(" · do they agree?"))


def cure_line_number(view: View, width: int, chosen: int) -> int | None:
    """Return at which line of the page the chosen cure stands."""
    if view.picture is None:
        return None
    lines = _findings(view.picture, width, chosen)
    return next((at for at, one in enumerate(lines) if any(part.is_lit for part in one)), None)


def _findings(picture: ServerPicture, width: int, chosen: int) -> list[Line]:
    findings = picture.agreement.findings
    if not findings:
        return [line(verdict_part(picture))]
    lines: list[Line] = []
    number = 0
    for finding in findings:
        lines += [] if not lines else [EMPTY]
        lines += _finding(finding, width, chosen - number)
        number += len(finding.cures)
    return lines


def _finding(finding: Finding, width: int, chosen: int) -> list[Line]:
    sign = finding_sign(finding)
    is_fact = finding.verdict is Verdict.DISAGREE
    tone = Tone.TEXT if is_fact else Tone.MUTED
    who = f" · client {finding.client}" if finding.client else ""
    body = width - 2
    lines = [
        cut(
            line(
                Part(f"{sign.symbol} {sign.word}", sign.tone, is_bold=True),
                muted(f"  {finding.code}{who}"),
            ),
            width,
        )
    ]
    lines += [line("  ", each) for each in wrapped(finding.message, body, tone)]
    if finding.effect:
        lines += [line("  ", each) for each in wrapped(finding.effect, body, Tone.MUTED)]
    for index, cure in enumerate(finding.cures):
        is_chosen = index == chosen
        mark = bold("› ", Tone.ACCENT) if is_chosen else Part("  ")
        word = muted("set  " if index == 0 else "or   ")
        whole = line(mark, word, bold(cure.line, Tone.ACCENT), muted(f"   {cure.place}"))
        below: list[Line] = []
        if width_of(whole) > width:
            whole = cut(line(mark, word, bold(cure.line, Tone.ACCENT)), width)
            below = [line(" " * 7, one) for one in wrapped(cure.place, width - 7, Tone.MUTED)]
        lines += [lit(one) if is_chosen else one for one in (whole, *below)]
    return lines


def _server(picture: ServerPicture, width: int) -> list[Line]:
    given = picture.numbers
    mode = given.kv_mode
    modes = {KvMode.DIVIDED: "divided", KvMode.SHARED: "shared"}
    mode_text = numbers.UNKNOWN if mode.value is None else modes[mode.value]
    shift = given.context_shift
    shift_text = {None: numbers.UNKNOWN, True: "on", False: "off"}[shift.value]
    rows = [
        _reading("-c", _tokens(given.context_tokens), given.context_tokens, width),
        _reading("slots", _tokens(given.slots), given.slots, width),
        _reading("slot window", _tokens(given.slot_window_tokens), given.slot_window_tokens, width),
        _reading("KV cache", mode_text, mode, width),
    ]
    if mode.value is not KvMode.DIVIDED:
        rows.append(_reading("pool", _tokens(given.pool_tokens), given.pool_tokens, width))
    return [
        *rows,
        _reading(
            "reasoning budget", _tokens(given.reasoning_budget), given.reasoning_budget, width
        ),
        _reading(
            "training window",
            _tokens(given.training_window_tokens),
            given.training_window_tokens,
            width,
        ),
        _reading("-cram (MiB)", _tokens(given.cache_ram_mib), given.cache_ram_mib, width),
        _reading("context shift", shift_text, shift, width),
        *_others(picture, width),
    ]


def _others(picture: ServerPicture, width: int) -> list[Line]:
    """Return what the screen shows elsewhere and may not know, with its source or reason."""
    queue, process = picture.waiting, picture.process
    estimate = queue.reason if not queue.is_exact else None
    waiting = known(queue.count, queue.source or "") if queue.count is not None else None
    pid: Reading[int] = unknown(picture.why_no_process or "no process was looked for")
    if process is not None:
        pid = known(process.pid, process.unit or "the process that owns the address")
    rows = [
        _reading(
            "waiting", numbers.tokens(queue.count), waiting or unknown(queue.reason or ""), width
        )
    ]
    if waiting is not None and estimate:
        rows.append(cut(line(" " * (_LABEL + _FIGURE), muted(f"  at most: {estimate}")), width))
    return [*rows, _reading("process", "–" if pid.value is None else str(pid.value), pid, width)]


def _client(client: ClientPromise, width: int) -> list[Line]:
    vision = {None: numbers.UNKNOWN, True: "yes", False: "no"}
    return [
        _reading("context_window", _tokens(client.context_window), client.context_window, width),
        _reading("max_tokens", _tokens(client.max_tokens), client.max_tokens, width),
        _reading("compacts at", _tokens(client.compact_at_tokens), client.compact_at_tokens, width),
        _reading("model", client.model.value or numbers.UNKNOWN, client.model, width),
        _reading("vision", vision[client.vision.value], client.vision, width),
        _reading("thinking", vision[client.thinking.value], client.thinking, width),
    ]


def _tokens(reading: Reading[int]) -> str:
    return numbers.tokens(reading.value)


def _reading(
    label: str,
    text: str,
    reading: Reading[object] | Reading[int] | Reading[str] | Reading[bool] | Reading[KvMode],
    width: int,
) -> Line:
    source = muted(f"  {reading.source}") if reading.source else muted(f"  {reading.reason or ''}")
    figure = f"{text:>{_FIGURE}}" if len(text) <= _FIGURE else text
    return cut(line(muted(f"{label:<{_LABEL}}"), figure, source), width)
