"""Slots as drawn, and how fast they go: what only several looks can tell."""

from __future__ import annotations

from dataclasses import replace

from mecha_tui.core.client import ClientPromise
from mecha_tui.core.fuel import Fuel, fuel
from mecha_tui.core.picture import ServerPicture, SlotPicture
from mecha_tui.core.rates import Track, counted_tokens, new_tokens
from mecha_tui.core.replies import Answer
from mecha_tui.core.server import Role
from mecha_tui.core.slots import Phase, Slot
from mecha_tui.core.waiting import busy_count

LOOK_PATIENCE_S = 3.5
"""A speed holds for this long after the look that gave it; then it is unknown."""


def with_slots(picture: ServerPicture, answer: Answer[tuple[Slot, ...]]) -> ServerPicture:
    """Draw the new slots, or keep the old ones and say why there are no newer."""
    if answer.value is None:
        return replace(picture, slots_reason=answer.detail)
    taken_s = answer.asked_s if answer.taken_s is None else answer.taken_s
    earlier = {one.slot.slot_id: one for one in picture.slots}
    slots = tuple(
        _slot_picture(earlier.get(slot.slot_id), slot, taken_s, picture) for slot in answer.value
    )
    written = Track()
    if picture.props is None or picture.props.role is not Role.EMBEDDINGS:
        written = _total(picture.written, earlier, answer.value, taken_s, Phase.WRITING)
    read = _total(picture.read, earlier, answer.value, taken_s, Phase.READING)
    since_s = picture.slots_taken_s
    return replace(
        picture,
        slots=slots,
        slots_taken_s=taken_s,
        slots_reason=None,
        busy=busy_count(answer.value),
        written=written,
        read=read,
        writing_tokens_per_s=written.tokens_per_s,
        reading_tokens_per_s=read.tokens_per_s,
        writing_history=picture.writing_history.with_value(taken_s, written.tokens_per_s, since_s),
        reading_history=picture.reading_history.with_value(taken_s, read.tokens_per_s, since_s),
        writing_hours=picture.writing_hours.with_value(taken_s, written.tokens_per_s),
        reading_hours=picture.reading_hours.with_value(taken_s, read.tokens_per_s),
    )


def with_gauges(picture: ServerPicture) -> ServerPicture:
    """Measure the slots shown against what the judged client is promised now.

    Settings change, and are first read after the first slots; an idle server may not be
    asked for its slots again for long.
    """
    client = picture.judged_client
    slots = tuple(replace(one, fuel=_gauge(one.slot, client)) for one in picture.slots)
    return replace(picture, slots=slots)


def without_slots(picture: ServerPicture) -> ServerPicture:
    """Let the speeds become unknown once the last look is too old for them."""
    if picture.age_s is not None and picture.age_s <= LOOK_PATIENCE_S and not picture.is_lost:
        return picture
    return replace(
        picture,
        writing_tokens_per_s=None,
        reading_tokens_per_s=None,
        slots=tuple(
            one if one.tokens_per_s is None else replace(one, tokens_per_s=None)
            for one in picture.slots
        ),
        writing_history=picture.writing_history.with_value(picture.now_s, None),
        reading_history=picture.reading_history.with_value(picture.now_s, None),
        writing_hours=picture.writing_hours.with_value(picture.now_s, None),
        reading_hours=picture.reading_hours.with_value(picture.now_s, None),
    )


def _slot_picture(
    before: SlotPicture | None, slot: Slot, taken_s: float, picture: ServerPicture
) -> SlotPicture:
    track = Track()
    tokens = counted_tokens(slot)
    if tokens is not None and slot.task_id is not None:
        track = (before.track if before else track).with_mark(
            (slot.task_id, slot.phase), taken_s, tokens
        )
    since_s = task_since_s = None
    if before is not None:
        is_same_task = before.slot.running_task_id == slot.running_task_id
        is_same_phase = is_same_task and before.slot.phase is slot.phase
        since_s = before.since_s if is_same_phase else taken_s
        task_since_s = before.task_since_s if is_same_task else taken_s
    return SlotPicture(
        slot, _gauge(slot, picture.judged_client), track.tokens_per_s, since_s, task_since_s, track
    )


def _gauge(slot: Slot, client: ClientPromise | None) -> Fuel:
    return fuel(
        slot.held_tokens,
        slot.window_tokens,
        client.context_window.value if client else None,
        client.compact_at_tokens.value if client else None,
    )


def _total(
    before: Track,
    earlier: dict[int, SlotPicture],
    slots: tuple[Slot, ...],
    taken_s: float,
    phase: Phase,
) -> Track:
    """Return the running sum of what all slots did, seen since the first look.

    A running slot that does not say how much it did makes the sum unknown.
    """
    gained = 0
    for slot in slots:
        before_it = earlier.get(slot.slot_id)
        more = new_tokens(before_it.slot if before_it else None, slot, phase)
        if more is None:
            return Track()
        gained += more
    so_far = before.marks[-1].tokens if before.marks else 0
    return before.with_mark((phase,), taken_s, so_far + gained)
