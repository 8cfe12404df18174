"""The report of ``mecha-tui check`` for people: numbers with sources, findings with cures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from mecha_tui.core.agreement import Finding, Severity, Verdict
from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.reading import Reading
from mecha_tui.present.words import report_name

UNKNOWN = "–"
_WORDS = {
    Verdict.AGREE: "the numbers agree",
    Verdict.DISAGREE: "the numbers disagree",
    Verdict.UNKNOWN: "could not tell",
}


class Tone(Enum):
    """How a piece of text may be coloured, where colour is wanted; the words say it already."""

    PLAIN = "plain"
    STRONG = "strong"
    QUIET = "quiet"
    GOOD = "good"
    WARNING = "warning"
    BAD = "bad"


_TONES = {
    Severity.ERROR: Tone.BAD,
    Severity.WARNING: Tone.WARNING,
    Severity.INFO: Tone.QUIET,
    Verdict.AGREE: Tone.GOOD,
    Verdict.DISAGREE: Tone.BAD,
    Verdict.UNKNOWN: Tone.WARNING,
}


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a line in one tone."""

    text: str
    tone: Tone = Tone.PLAIN


Line = tuple[Piece, ...]


def check_lines(pictures: Iterable[ServerPicture]) -> list[Line]:
    """Return the whole report, an empty line between two servers."""
    lines: list[Line] = []
    for picture in pictures:
        if lines:
            lines.append(())
        lines += _server_lines(picture)
    return lines


def finding_lines(finding: Finding) -> list[Line]:
    """Return one finding: what is wrong, what one notices, and every way out."""
    is_unknown = finding.verdict is Verdict.UNKNOWN
    word = "unknown" if is_unknown else finding.severity.value
    tone = Tone.QUIET if is_unknown else _TONES[finding.severity]
    whom = "" if finding.client is None else f"{finding.client}: "
    lines: list[Line] = [
        (Piece(f"  {word:<8} ", tone), Piece(finding.code, Tone.STRONG)),
        (Piece(f"           {whom}{finding.message}"),),
    ]
    if finding.effect:
        lines.append((Piece(f"           {finding.effect}", Tone.QUIET),))
    width = max((len(cure.line) for cure in finding.cures), default=0)
    for number, cure in enumerate(finding.cures):
        word = "cure" if number == 0 else "or"
        lines.append(
            (
                Piece(f"           {word:<5}"),
                Piece(f"{cure.line:<{width}}", Tone.STRONG),
                Piece(f"  in {cure.place}", Tone.QUIET),
            )
        )
    return lines


def change_line(clock: str, word: str, picture: ServerPicture, finding: Finding) -> Line:
    """Return one line for a finding that came or went."""
    whom = "" if finding.client is None else f"{finding.client}: "
    tone = Tone.GOOD if word == "cleared" else _TONES[finding.severity]
    return (
        Piece(f"{clock}  "),
        Piece(f"{word:<8}", tone),
        Piece(f"  {picture.key}  {finding.code}  {whom}{finding.message}"),
    )


def _server_lines(picture: ServerPicture) -> list[Line]:
    verdict = picture.agreement.verdict
    state = picture.condition.state.value
    reason = f" ({picture.condition.reason})" if picture.condition.reason else ""
    lines: list[Line] = [
        (
            Piece(picture.url, Tone.STRONG),
            Piece(f"  {report_name(picture)}  {state}{reason}  "),
            Piece(_WORDS[verdict], _TONES[verdict]),
        )
    ]
    lines += _table(_rows(picture))
    for finding in _grouped(picture.agreement.findings):
        lines.append(())
        lines += finding_lines(finding)
    return lines


def _grouped(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings with those that lack the same input made one, so that it is read once."""
    grouped: dict[tuple[object, ...], Finding] = {}
    for finding in findings:
        is_unknown = finding.verdict is Verdict.UNKNOWN
        key = (finding.client, finding.message, None if is_unknown else finding.code)
        earlier = grouped.get(key)
        codes = finding.code if earlier is None else f"{earlier.code}, {finding.code}"
        grouped[key] = replace(finding, code=codes)
    return list(grouped.values())


def _rows(picture: ServerPicture) -> list[tuple[str, str, str]]:
    numbers = picture.numbers
    mode = numbers.kv_mode
    rows = [
        _row("-c", numbers.context_tokens),
        _row("slots", numbers.slots),
        _row("a slot's window", numbers.slot_window_tokens),
        (
            "context",
            UNKNOWN if mode.value is None else mode.value.value,
            mode.source or mode.reason or "",
        ),
        _row("--reasoning-budget", numbers.reasoning_budget),
    ]
    if numbers.pool_tokens.is_known:
        rows.insert(4, _row("the shared pool", numbers.pool_tokens))
    for client in picture.clients:
        rows.append(_row(f"{client.name}: context_window", client.context_window))
        rows.append(_row(f"{client.name}: max_tokens", client.max_tokens))
    return rows


def _row(name: str, reading: Reading[int]) -> tuple[str, str, str]:
    value = UNKNOWN if reading.value is None else f"{reading.value:,}"
    return name, value, reading.source or reading.reason or ""


def _table(rows: Sequence[tuple[str, str, str]]) -> list[Line]:
    names = max(len(name) for name, _, _ in rows)
    values = max(len(value) for _, value, _ in rows)
    return [
        (
            Piece(f"  {name:<{names}}  "),
            Piece(f"{value:>{values}}", Tone.STRONG),
            Piece(f"  {source}", Tone.QUIET),
        )
        for name, value, source in rows
    ]
