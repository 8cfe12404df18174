"""The numbers that must agree, and what to do where they do not."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from mecha_tui.core.agreement import Finding, Severity, Verdict
from mecha_tui.core.client import ClientPromise
from mecha_tui.core.numbers import KvMode, ServerNumbers
from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.server import Role
from mecha_tui.present import numbers
from mecha_tui.present.remembered import remembered
from mecha_tui.present.text import Line, Part, Tone, bold, cut, line, muted, width_of
from mecha_tui.present.words import (
    AGREE_SIGN,
    UNKNOWN_SIGN,
    Sign,
    finding_sign,
    is_embedding,
    short_finding,
)


class Detail(Enum):
    """How much of the division a line has room for."""

    FULL = "full"
    SHORT = "short"
    LEAST = "least"


CODES_BY_NUMBER = {
    "slot": ("division-unexpected", "pool-oversold"),
    "context_window": ("window-over-slot", "window-under-slot", "window-missing"),
    "budget": ("budget-unlimited",),
    "max_tokens": ("answer-room-none", "answer-room-small", "output-over-slot"),
}
"""Which findings put their mark behind which number."""


@remembered
def numbers_lines(picture: ServerPicture, width: int, room: int) -> list[Line]:
    """Return the panel's lines: the numbers, then as many findings as fit.

    Args:
        picture: The server.
        width: Cells in a line.
        room: Lines there are; at least the first is always the numbers.
    """
    lines = [_four_numbers(picture, width)]
    for finding in _shown(picture):
        lines.extend(_finding_lines(finding, picture, width))
    return lines[: max(1, room)]


def numbers_tone(picture: ServerPicture) -> Tone:
    """Return the border's tone: red or yellow only when something disagrees."""
    severities = {one.severity for one in picture.agreement.disagreements}
    if Severity.ERROR in severities:
        return Tone.ERROR
    return Tone.WARNING if Severity.WARNING in severities else Tone.FAINT


def numbers_footer(picture: ServerPicture) -> Line:
    """Return the verdict in words, for the panel's lower border."""
    return line(verdict_part(picture), bold("  a", Tone.ACCENT), muted(" why"))


def verdict_part(picture: ServerPicture) -> Part:
    """Return the verdict as a symbol and words."""
    count = sum(one.severity is not Severity.INFO for one in picture.agreement.disagreements)
    if count:
        tone = numbers_tone(picture)
        sign = "✗" if tone is Tone.ERROR else "!"
        return Part(f"{sign} {count} disagree" if count > 1 else f"{sign} 1 disagrees", tone)
    if picture.agreement.verdict is Verdict.AGREE:
        return Part("✓ all agree", Tone.GOOD)
    return Part("– cannot tell", Tone.MUTED)


def _shown(picture: ServerPicture) -> Sequence[Finding]:
    """Return the findings worth a line: what decides the verdict, then the notes."""
    agreement = picture.agreement
    told = (*agreement.open_questions[:1], *agreement.disagreements)
    return told or agreement.findings


def _four_numbers(picture: ServerPicture, width: int) -> Line:
    client = picture.judged_client
    given = picture.numbers
    marks = {name: _mark(name, picture, client) for name in CODES_BY_NUMBER}
    window = None if client is None else client.context_window.value
    room = None if client is None else client.max_tokens.value
    budget = given.reasoning_budget.value
    long, short = ("context_window", "reasoning-budget", "max_tokens"), ("window", "budget", "max")
    for names, gap, detail in (
        (long, "     ", Detail.FULL),
        (long, "   ", Detail.FULL),
        (short, "   ", Detail.SHORT),
        (short, "  ", Detail.SHORT),
        (short, "  ", Detail.LEAST),
    ):
        whole = line(
            _division(given, detail, marks["slot"]),
            gap,
            _number(names[0], numbers.tokens(window), marks["context_window"]),
            gap,
            _number(names[1], _budget(budget), marks["budget"]),
            gap,
            _number(names[2], numbers.tokens(room), marks["max_tokens"]),
        )
        if width_of(whole) <= width:
            break
    return cut(whole, width)


def _division(given: ServerNumbers, detail: Detail, mark: Sign | None) -> Line:
    context = _context(given.context_tokens.value)
    slots = numbers.tokens(given.slots.value)
    window = numbers.tokens(given.slot_window_tokens.value)
    end = Part(f" {mark.symbol}", mark.tone) if mark and mark.tone is not Tone.GOOD else ""
    if given.kv_mode.value is KvMode.SHARED:
        pool = numbers.tokens(given.pool_tokens.value)
        if detail is not Detail.FULL:
            many = muted(f" by {slots}") if detail is Detail.SHORT else ""
            return line(muted("pool "), bold(pool), many, end)
        return line(
            muted("-c "), context, muted(f" shared by {slots} slots  "), bold(f"pool {pool}"), end
        )
    if detail is Detail.FULL:
        whole = line(muted("-c "), context, muted("  ÷  -np "), slots, muted("  →  "))
        return line(whole, bold(f"{window} a slot"), end)
    is_divided = None not in (given.context_tokens.value, given.slots.value)
    if detail is Detail.SHORT and is_divided:
        return line(muted("-c "), context, muted("÷"), slots, muted("→"), bold(window), end)
    return line(muted("slot "), bold(window), end)


def _context(context_tokens: int | None) -> str:
    return "the model's own" if context_tokens == 0 else numbers.tokens(context_tokens)


def _budget(budget: int | None) -> str:
    return {-1: "no limit", 0: "no thinking"}.get(budget, numbers.tokens(budget))  # type: ignore[arg-type]  # None is no key


def _number(name: str, text: str, mark: Sign | None) -> Line:
    if mark is None:
        return line(muted(f"{name} "), text)
    is_bad = mark.tone in (Tone.ERROR, Tone.WARNING)
    value = bold(text, mark.tone) if is_bad else Part(text)
    if text == numbers.UNKNOWN:
        return line(muted(f"{name} "), value)
    return line(muted(f"{name} "), value, Part(f" {mark.symbol}", mark.tone))


def _mark(name: str, picture: ServerPicture, client: ClientPromise | None) -> Sign | None:
    """Return what the rules say about one number; None where no rule spoke of it."""
    codes = CODES_BY_NUMBER[name]
    found = [
        one
        for one in picture.agreement.findings
        if one.code in codes and (one.client is None or client is None or one.client == client.name)
    ]
    facts = [one for one in found if one.verdict is Verdict.DISAGREE]
    if facts:
        return finding_sign(facts[0])
    if found:
        return UNKNOWN_SIGN
    if picture.numbers.role in (Role.ROUTER, Role.LLAMA_SWAP, Role.EMBEDDINGS):
        return None
    is_judged = picture.agreement.verdict is not Verdict.UNKNOWN or picture.agreement.findings
    if is_embedding(picture):
        return None
    if name in ("context_window", "max_tokens") and is_judged and client is not None:
        return AGREE_SIGN
    return None


def _finding_lines(finding: Finding, picture: ServerPicture, width: int) -> list[Line]:
    """Return a finding in one line where it fits, else its sentence and its cure in two."""
    sign = finding_sign(finding)
    mark = Part(f"{sign.symbol} ", sign.tone)
    tone = Tone.MUTED if finding.verdict is Verdict.UNKNOWN else Tone.TEXT
    if not finding.cures:
        return [cut(line(mark, Part(finding.message, tone)), width)]
    cure = finding.cures[0]
    there = muted(f"  in {cure.place}")
    short = short_finding(finding, picture)
    for said, place in (
        (finding.message, there),
        (finding.message, ""),
        (short, there),
        (short, ""),
    ):
        whole = line(mark, Part(said, tone), muted("  → "), Part(cure.line, Tone.ACCENT), place)
        if width_of(whole) <= width:
            return [whole]
    return [
        cut(line(mark, Part(short, tone)), width),
        cut(line(muted("  → "), Part(cure.line, Tone.ACCENT), there), width),
    ]
