"""One slot, live: everything the server tells about it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import zip_longest

from mecha_tui.core.picture import ServerPicture, SlotPicture
from mecha_tui.core.slots import Phase, Slot, reuse_ratio
from mecha_tui.present import numbers
from mecha_tui.present.bars import gauge, shares
from mecha_tui.present.clean import clean_block
from mecha_tui.present.pages.page import Page
from mecha_tui.present.panels.slots_panel import seen_s
from mecha_tui.present.rows import gauge_tone
from mecha_tui.present.text import (
    EMPTY,
    Line,
    Part,
    Tone,
    bold,
    cut,
    faded,
    faint,
    filled,
    line,
    muted,
    width_of,
    wrapped,
)
from mecha_tui.present.view import View
from mecha_tui.present.words import PHASE_SIGNS, no_slots_sentence, state_sentence

TEXT_LIMIT = 20_000
"""Characters shown of a prompt or of generated text; the end is what matters."""
VALUE_LIMIT = 200
LABEL = 13
_NAME_CELLS = 26
_COLUMN_CELLS = 50
NO_TEXT = (
    "The server does not send it. To see prompt and generated text, start the server with "
    "LLAMA_SERVER_SLOTS_DEBUG=1 in its environment. It is private: everyone who can reach "
    "the server can then read it."
)


def inspection_page(view: View, width: int, first: int = 0) -> Page:
    """Return the page about the chosen slot."""
    picture = view.picture
    one = chosen(view)
    if picture is None or one is None:
        why = "Waiting for the first look." if picture is None else no_slots_sentence(picture)
        return Page(line(bold("slot")), wrapped(why, width), first)
    lines = [*_now(one, picture, width), EMPTY, *_parameters(one.slot, picture, width)]
    lines += [EMPTY, *_texts(one.slot, width)]
    sentence = state_sentence(picture)
    if sentence is not None and picture.is_lost:
        told = picture.condition.reason
        reason = wrapped(told, width, Tone.MUTED) if told else []
        lines = [*wrapped(sentence, width, Tone.WARNING), *reason, *[faded(each) for each in lines]]
    note = line(muted(f"{len(picture.slots)} slots"))
    if view.is_stale and picture.age_s is not None:
        note = line(Part(f"picture {numbers.age(picture.age_s)} old", Tone.WARNING))
    return Page(line(bold(f"slot {one.slot.slot_id}")), lines, first, note)


def chosen(view: View) -> SlotPicture | None:
    """Return the chosen slot's picture; None when there is none."""
    if view.picture is None:
        return None
    slots = view.picture.slots
    return next((one for one in slots if one.slot.slot_id == view.chosen_slot), None)


def _row(label: str, *value: str | Part | Line) -> Line:
    return line(muted(f"{label:<{LABEL}}"), *value)


def _now(one: SlotPicture, picture: ServerPicture, width: int) -> list[Line]:
    slot = one.slot
    sign = PHASE_SIGNS[slot.phase]
    is_idle = slot.phase is Phase.IDLE
    phase_s = None if one.since_s is None else seen_s(picture) - one.since_s
    task_s = None if one.task_since_s is None or is_idle else seen_s(picture) - one.task_since_s
    for_words = numbers.span(phase_s) if is_idle else numbers.duration(phase_s)
    began = "" if one.since_s is not None else muted("  began before the first look")
    last = muted("  (the last one)") if is_idle and slot.task_id is not None else ""
    rate = muted(f" tok/s {sign.word}") if one.tokens_per_s is not None else _why_no_rate(one)
    lines = [
        _row("phase", Part(str(sign), sign.tone, is_bold=True), muted("  for "), for_words, began),
        _row(
            "task",
            numbers.UNKNOWN if slot.task_id is None else str(slot.task_id),
            last,
            "" if is_idle else line(muted("  running for "), numbers.duration(task_s)),
        ),
        _row("rate", bold(numbers.rate(one.tokens_per_s)), rate),
        _row("remaining", *_remaining(slot)),
        EMPTY,
        *_context(one, width),
    ]
    return [cut(each, width) for each in lines]


def _why_no_rate(one: SlotPicture) -> Line:
    why = {
        Phase.IDLE: "nothing runs",
        Phase.UNKNOWN: "the server does not say what the slot does",
    }.get(one.slot.phase, "needs a second look at the same task")
    return line(muted(f"  {why}"))


def _remaining(slot: Slot) -> list[str | Part | Line]:
    if slot.phase is Phase.IDLE:
        return [numbers.UNKNOWN, muted("  nothing runs")]
    if slot.is_unlimited:
        return ["∞", muted("  no limit was set on the answer")]
    if slot.remaining_tokens is None:
        return [numbers.UNKNOWN, muted("  the server does not say")]
    return [numbers.tokens(slot.remaining_tokens), muted(" tokens until the answer's limit")]


def _context(one: SlotPicture, width: int) -> list[Line]:
    slot, fuel = one.slot, one.fuel
    held = 0 if slot.is_unused else slot.held_tokens
    figures = line(
        "  ",
        numbers.percent(0.0 if slot.is_unused else fuel.ratio),
        "  ",
        bold(numbers.tokens(held)),
        muted(f" / {numbers.tokens(slot.window_tokens)}"),
    )
    room = max(0, width - LABEL - width_of(figures))
    lines = [_row("context", gauge(fuel, room, gauge_tone(one)), figures)]
    if held is None:
        lines.append(_row("", muted("this server does not say how much a slot holds")))
    if fuel.compaction_tokens is not None:
        lines.append(
            _row("", muted("┼ the client compacts at "), numbers.tokens(fuel.compaction_tokens))
        )
    if fuel.wall_tokens is not None:
        lines.append(
            _row(
                "",
                muted("╱ promised, but not there: "),
                numbers.tokens(fuel.wall_tokens),
                muted(" to "),
                numbers.tokens(fuel.scale_tokens),
            )
        )
    return lines + _kinds(slot, width)


def _kinds(slot: Slot, width: int) -> list[Line]:
    """Return what the held tokens are: reused, read, written."""
    if slot.phase is Phase.IDLE:
        if slot.held_tokens:
            return [_row("", muted("all of it kept from earlier tasks, ready to be reused"))]
        return []
    amounts = (
        ("reused", slot.reused_tokens, Tone.MUTED),
        ("read", slot.read_tokens, Tone.READING),
        ("written", slot.written_tokens, Tone.ACCENT),
    )
    lines = [
        _row(word, Part("━ ", tone), f"{numbers.tokens(count):>9}", muted(" tokens"), more)
        for word, count, tone in amounts
        for more in (_reuse(slot) if word == "reused" else EMPTY,)
    ]
    known = [(float(count), tone) for _, count, tone in amounts if count is not None]
    total = sum(count for count, _ in known)
    if len(known) == len(amounts) and total > 0:
        lines.insert(0, _row("of which", shares(known, total, max(0, width - LABEL))))
    return lines


def _reuse(slot: Slot) -> Line:
    ratio = reuse_ratio(slot)
    return EMPTY if ratio is None else line(muted(f"   {numbers.percent(ratio)} of the prompt"))


def _parameters(slot: Slot, picture: ServerPicture, width: int) -> list[Line]:
    """Return the sampling parameters, those that differ from the server's defaults first."""
    if not slot.parameters:
        why = "no task has run here yet" if slot.is_unused else "the server does not say"
        return [_heading("parameters", width), line(muted(f"– {why}"))]
    defaults = picture.props.default_parameters if picture.props is not None else {}
    names = [name for name in slot.parameters if name != "lora"]
    changed = [
        name for name in names if name in defaults and slot.parameters[name] != defaults[name]
    ]
    lines = [_heading("parameters that differ from the server's defaults", width)]
    lines += [_changed(name, slot.parameters[name], defaults[name], width) for name in changed]
    if not changed:
        lines.append(line(muted("none" if defaults else "– the server does not tell its defaults")))
    lines += [EMPTY, *_extras(slot), EMPTY, _heading("all other parameters", width)]
    rest = [name for name in names if name not in changed]
    return lines + _others(rest, slot.parameters, width)


def _others(names: list[str], values: Mapping[str, object], width: int) -> list[Line]:
    """Return the remaining parameters, in two columns where both stay readable."""
    if width < 2 * _COLUMN_CELLS:
        return [_parameter(name, values[name], width) for name in names]
    left_width = width // 2
    half = -(-len(names) // 2)
    left = [filled(_parameter(name, values[name], left_width), left_width) for name in names[:half]]
    right = [_parameter(name, values[name], width - left_width) for name in names[half:]]
    return [line(one, other) for one, other in zip_longest(left, right, fillvalue=EMPTY)]


def _changed(name: str, value: object, default: object, width: int) -> Line:
    mark = Part("* ", Tone.WARNING)
    label = muted(f"{name:<{_NAME_CELLS}} ")
    told = muted(f"   default {value_text(default)}")
    return cut(line(mark, label, bold(value_text(value), Tone.WARNING), told), width)


def _parameter(name: str, value: object, width: int) -> Line:
    return cut(line("  ", muted(f"{name:<{_NAME_CELLS}} "), value_text(value)), width)


def value_text(value: object) -> str:
    """Return a JSON value on one line, capped; numbers without a float's noise."""
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "null"}[value]
    if isinstance(value, float):
        return f"{value:.6g}"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    text = text or '""'
    return text if len(text) <= VALUE_LIMIT else f"{text[:VALUE_LIMIT]}…"


def _extras(slot: Slot) -> list[Line]:
    lora = slot.parameters.get("lora")
    words = {None: numbers.UNKNOWN, True: "yes", False: "no"}
    adapters = numbers.UNKNOWN if lora is None else value_text(lora) if lora else "none"
    return [
        _row("LoRA", adapters),
        _row("speculative", words[slot.is_speculative]),
    ]


def _heading(text: str, width: int) -> Line:
    words = line(bold(text), " ")
    return cut(line(words, faint("─" * max(0, width - width_of(words)))), width)


def _texts(slot: Slot, width: int) -> list[Line]:
    if slot.prompt is None and slot.generated is None:
        return [_heading("prompt and generated text", width), *wrapped(NO_TEXT, width, Tone.MUTED)]
    lines: list[Line] = []
    for title, text in (("generated text", slot.generated), ("prompt", slot.prompt)):
        lines.append(_heading(title, width))
        lines += [line(muted("–"))] if text is None else _text(text, width)
        lines.append(EMPTY)
    return lines[:-1]


def _text(text: str, width: int) -> list[Line]:
    shown = wrapped(clean_block(text[-TEXT_LIMIT:], TEXT_LIMIT), width)
    if len(text) <= TEXT_LIMIT:
        return shown or [line(muted("empty"))]
    left_out = len(text) - TEXT_LIMIT
    return [line(muted(f"… {left_out:,} characters before this are not shown")), *shown]
