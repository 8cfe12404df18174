"""One slot, live: everything the server tells about it."""

from __future__ import annotations

from mecha_tui.core.picture import ServerPicture, SlotPicture
from mecha_tui.core.slots import Phase, Slot, reuse_ratio
from mecha_tui.present import numbers
from mecha_tui.present.bars import gauge, shares
from mecha_tui.present.pages.inspection_task import parameter_lines, text_lines
from mecha_tui.present.pages.page import LABEL, Page, heading, labelled
from mecha_tui.present.pages.tasks import task_lines
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
    line,
    muted,
    width_of,
    wrapped,
)
from mecha_tui.present.view import View
from mecha_tui.present.words import PHASE_SIGNS, gone_sign, no_slots_sentence, state_sentence


def inspection_page(view: View, width: int, first: int = 0) -> Page:
    """Return the page about the chosen slot."""
    picture = view.picture
    one = chosen(view)
    if picture is None or one is None:
        why = "Waiting for the first look." if picture is None else no_slots_sentence(picture)
        return Page(line(bold("slot")), wrapped(why, width), first)
    lines = [*_now(one, picture, width), EMPTY, *parameter_lines(one.slot, picture, width)]
    path = None if picture.props is None else picture.props.model_path
    if path:
        lines += [EMPTY, heading("model file", width), *wrapped(path, width)]
    last = list(picture.tasks.by_slot.get(one.slot.slot_id, ()))
    if last:
        lines += [EMPTY, heading("its last tasks", width), *task_lines(last, width)]
    lines += [EMPTY, *text_lines(one.slot, width)]
    sentence = state_sentence(picture)
    if sentence is not None and picture.is_lost:
        told = picture.condition.reason
        reason = wrapped(told, width, Tone.MUTED) if told else []
        lines = [*wrapped(sentence, width, Tone.WARNING), *reason, *[faded(each) for each in lines]]
    count = len(picture.slots)
    note = line(muted(f"{count} slot{'s' * (count != 1)}"))
    if view.is_stale and picture.age_s is not None and not one.is_gone:
        note = line(Part(f"picture {numbers.age(picture.age_s)} old", Tone.WARNING))
    return Page(line(bold(f"slot {one.slot.slot_id}")), lines, first, note)


def chosen(view: View) -> SlotPicture | None:
    """Return the chosen slot's picture; None when there is none."""
    if view.picture is None:
        return None
    slots = view.picture.slots
    return next((one for one in slots if one.slot.slot_id == view.chosen_slot), None)


def _now(one: SlotPicture, picture: ServerPicture, width: int) -> list[Line]:
    slot = one.slot
    sign = gone_sign(picture) if one.is_gone else PHASE_SIGNS[slot.phase]
    doing = Part(str(sign), sign.tone, is_bold=True)
    is_idle = slot.phase is Phase.IDLE
    phase_s = None if one.since_s is None else seen_s(picture) - one.since_s
    task_s = None if one.task_since_s is None or is_idle else seen_s(picture) - one.task_since_s
    for_words = numbers.span(phase_s) if is_idle else numbers.duration(phase_s)
    began = "" if one.since_s is not None else muted("  began before the first look")
    last = muted("  (the last one)") if is_idle and slot.task_id is not None else ""
    rate = muted(f" tok/s {sign.word}") if one.tokens_per_s is not None else _why_no_rate(one)
    lines = [
        labelled("phase", doing, muted("  for "), for_words, began),
        labelled(
            "task",
            numbers.UNKNOWN if slot.task_id is None else str(slot.task_id),
            last,
            "" if is_idle else line(muted("  running for "), numbers.duration(task_s)),
        ),
        labelled("rate", bold(numbers.rate(one.tokens_per_s)), rate),
        labelled("remaining", *_remaining(slot)),
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
    held = slot.held_tokens
    figures = line(
        "  ",
        numbers.percent(fuel.ratio),
        "  ",
        bold(numbers.tokens(held)),
        muted(f" / {numbers.tokens(slot.window_tokens)}"),
    )
    room = max(0, width - LABEL - width_of(figures))
    lines = [labelled("context", gauge(fuel, room, gauge_tone(one)), figures)]
    if held is None:
        lines += [labelled("", each) for each in wrapped(_why_unknown(slot), width - LABEL)]
    if fuel.compaction_tokens is not None:
        lines.append(
            labelled("", muted("┼ the client compacts at "), numbers.tokens(fuel.compaction_tokens))
        )
    if fuel.wall_tokens is not None:
        lines.append(
            labelled(
                "",
                muted("╱ promised, but not there: "),
                numbers.tokens(fuel.wall_tokens),
                muted(" to "),
                numbers.tokens(fuel.scale_tokens),
            )
        )
    return lines + _kinds(slot, width)


def _why_unknown(slot: Slot) -> str:
    if not slot.is_unused:
        return "this server does not say how much a slot holds"
    return (
        "no task has run here yet, and what may have been restored into it the server does "
        "not say; without --slot-save-path it would be empty"
    )


def _kinds(slot: Slot, width: int) -> list[Line]:
    """Return what the held tokens are: reused, read, written."""
    if slot.phase is Phase.IDLE:
        if slot.held_tokens:
            return [labelled("", muted("all of it kept from earlier tasks, ready to be reused"))]
        return []
    amounts = (
        ("reused", slot.reused_tokens, Tone.MUTED),
        ("read", slot.read_tokens, Tone.READING),
        ("written", slot.written_tokens, Tone.ACCENT),
    )
    lines = [
        labelled(word, Part("━ ", tone), f"{numbers.tokens(count):>9}", muted(" tokens"), more)
        for word, count, tone in amounts
        for more in (_reuse(slot) if word == "reused" else EMPTY,)
    ]
    known = [(float(count), tone) for _, count, tone in amounts if count is not None]
    total = sum(count for count, _ in known)
    if len(known) == len(amounts) and total > 0:
        lines.insert(0, labelled("of which", shares(known, total, max(0, width - LABEL))))
    return lines


def _reuse(slot: Slot) -> Line:
    ratio = reuse_ratio(slot)
    return EMPTY if ratio is None else line(muted(f"   {numbers.percent(ratio)} of the prompt"))
