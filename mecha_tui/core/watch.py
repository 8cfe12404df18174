"""Folds one round after another into the pictures that the screen draws."""

from __future__ import annotations

from dataclasses import replace

from mecha_tui.core.agreement import judge
from mecha_tui.core.events import Event, EventKind
from mecha_tui.core.fuel import fuel
from mecha_tui.core.numbers import server_numbers
from mecha_tui.core.picture import EVENT_LIMIT, ServerPicture, SlotPicture
from mecha_tui.core.rates import Track, counted_tokens, new_tokens
from mecha_tui.core.replies import Answer, Replies
from mecha_tui.core.sample import Round, ServerSample
from mecha_tui.core.server import ServerProcess
from mecha_tui.core.slots import Phase, Slot
from mecha_tui.core.state import ServerState, condition
from mecha_tui.core.waiting import busy_count, waiting

METRICS_PATIENCE_S = 5.0
"""The server's own queue count is believed for this long after it was read."""

Pictures = dict[str, ServerPicture]
"""Every server's picture by its key, in the order of the round."""


def next_pictures(before: Pictures, taken: Round) -> Pictures:
    """Return the pictures after one more round; a server no longer sampled is dropped."""
    return {
        sample.key: next_picture(before.get(sample.key), sample, taken.taken_s, taken.wall_s)
        for sample in taken.servers
    }


def next_picture(
    before: ServerPicture | None, sample: ServerSample, now_s: float, wall_s: float
) -> ServerPicture:
    """Return one server's picture after one more round.

    Args:
        before: The picture so far; None at first sight.
        sample: What the round saw.
        now_s: The round's monotonic seconds.
        wall_s: The round's time of day, for events.
    """
    if before is not None and is_replaced(before.process, sample.process):
        fresh = next_picture(None, sample, now_s, wall_s)
        subject = f"pid {sample.process.pid}" if sample.process else ""
        event = Event(wall_s, EventKind.REPLACED, subject)
        return replace(fresh, events=(event, *before.events)[:EVENT_LIMIT])
    picture = before or ServerPicture(
        key=sample.key,
        url=sample.url,
        model_id=sample.model_id,
        condition=condition(Replies()),
        state_since_s=now_s,
        now_s=now_s,
        now_wall_s=wall_s,
    )
    picture = replace(
        picture,
        now_s=now_s,
        now_wall_s=wall_s,
        clients=sample.clients,
        memory=sample.memory,
        process=sample.process,
        why_no_process=sample.why_no_process,
    )
    picture = _with_condition(picture, sample.replies)
    picture = _with_answers(picture, sample.replies)
    if sample.replies.slots is not None:
        picture = _with_slots(picture, sample.replies.slots)
    picture = _with_speed(picture, sample.replies)
    picture = _with_queue(picture, sample)
    picture = _with_agreement(picture, sample)
    return _with_events(before, picture)


def is_replaced(before: ServerProcess | None, now: ServerProcess | None) -> bool:
    """Whether another process has taken the address over."""
    if before is None or now is None:
        return False
    return (before.pid, before.started_wall_s) != (now.pid, now.started_wall_s)


def _with_condition(picture: ServerPicture, replies: Replies) -> ServerPicture:
    now = condition(replies)
    if now.state is ServerState.CONNECTING:
        return picture
    changed = now.state is not picture.condition.state
    since_s = picture.now_s if changed else picture.state_since_s
    return replace(picture, condition=now, state_since_s=since_s)


def _with_answers(picture: ServerPicture, replies: Replies) -> ServerPicture:
    if replies.props is not None and replies.props.value is not None:
        picture = replace(picture, props=replies.props.value)
    if replies.models is not None and replies.models.value is not None:
        picture = replace(picture, models=replies.models.value)
    metrics = replies.metrics
    if metrics is None:
        return picture
    if metrics.value is None:
        return replace(picture, metrics_reason=metrics.detail)
    return replace(
        picture,
        counters=metrics.value,
        counters_taken_s=metrics.taken_s,
        metrics_reason=None,
    )


def _with_slots(picture: ServerPicture, answer: Answer[tuple[Slot, ...]]) -> ServerPicture:
    """Draw the new slots, or keep the old ones and say why there are no newer."""
    if answer.value is None:
        return replace(picture, slots_reason=answer.detail)
    taken_s = answer.asked_s if answer.taken_s is None else answer.taken_s
    earlier = {one.slot.slot_id: one for one in picture.slots}
    slots = tuple(
        _slot_picture(earlier.get(slot.slot_id), slot, taken_s, picture) for slot in answer.value
    )
    return replace(
        picture,
        slots=slots,
        slots_taken_s=taken_s,
        slots_reason=None,
        busy=busy_count(answer.value),
        written=_total(picture.written, earlier, answer.value, taken_s, Phase.WRITING),
        read=_total(picture.read, earlier, answer.value, taken_s, Phase.READING),
    )


def _slot_picture(
    before: SlotPicture | None, slot: Slot, taken_s: float, picture: ServerPicture
) -> SlotPicture:
    client = picture.clients[0] if picture.clients else None
    gauge = fuel(
        slot.held_tokens,
        slot.window_tokens,
        client.context_window.value if client else None,
        client.compact_at_tokens.value if client else None,
    )
    track = Track()
    tokens = counted_tokens(slot)
    if tokens is not None:
        subject = (slot.task_id, slot.phase)
        track = (before.track if before else track).with_mark(subject, taken_s, tokens)
    since_s = task_since_s = None
    if before is not None:
        since_s = before.since_s if before.slot.phase is slot.phase else taken_s
        is_same_task = before.slot.running_task_id == slot.running_task_id
        task_since_s = before.task_since_s if is_same_task else taken_s
        if not is_same_task:
            since_s = taken_s
    return SlotPicture(slot, gauge, track.tokens_per_s, since_s, task_since_s, track)


def _total(
    before: Track,
    earlier: dict[int, SlotPicture],
    slots: tuple[Slot, ...],
    taken_s: float,
    phase: Phase,
) -> Track:
    """Return the running sum of what all slots did, seen since the first look."""
    gained = sum(
        new_tokens(earlier[slot.slot_id].slot, slot, phase)
        for slot in slots
        if slot.slot_id in earlier
    )
    so_far = before.marks[-1].tokens if before.marks else 0
    return before.with_mark((phase,), taken_s, so_far + gained)


def _with_speed(picture: ServerPicture, replies: Replies) -> ServerPicture:
    """Work the speeds out anew after a look at the slots; otherwise they are unknown."""
    is_fresh = replies.slots is not None and replies.slots.value is not None
    writing = picture.written.tokens_per_s if is_fresh else None
    reading = picture.read.tokens_per_s if is_fresh else None
    return replace(
        picture,
        writing_tokens_per_s=writing,
        reading_tokens_per_s=reading,
        writing_history=picture.writing_history.with_value(picture.now_s, writing),
        reading_history=picture.reading_history.with_value(picture.now_s, reading),
    )


def _with_queue(picture: ServerPicture, sample: ServerSample) -> ServerPicture:
    taken_s = picture.counters_taken_s
    is_fresh = taken_s is not None and picture.now_s - taken_s <= METRICS_PATIENCE_S
    counters = picture.counters if is_fresh and picture.metrics_reason is None else None
    why = picture.metrics_reason or "the server's last count is too old"
    queue = waiting(counters, sample.connections, picture.busy, why)
    return replace(picture, waiting=queue)


def _with_agreement(picture: ServerPicture, sample: ServerSample) -> ServerPicture:
    slots = tuple(one.slot for one in picture.slots)
    numbers = server_numbers(
        sample.launch, picture.props, slots, picture.models, model_id=picture.model_id
    )
    return replace(picture, numbers=numbers, agreement=judge(numbers, picture.clients))


def _with_events(before: ServerPicture | None, picture: ServerPicture) -> ServerPicture:
    wall_s = picture.now_wall_s
    new: list[Event] = []
    state = picture.condition.state
    if before is None or before.condition.state is not state:
        new.append(Event(wall_s, EventKind.STATE, state.value, picture.condition.reason))
    found = {(one.code, one.client): one for one in picture.agreement.disagreements}
    earlier = (
        {}
        if before is None
        else {(one.code, one.client): one for one in before.agreement.disagreements}
    )
    new.extend(
        Event(wall_s, EventKind.FINDING, one.code, one.message)
        for key, one in found.items()
        if key not in earlier
    )
    new.extend(
        Event(wall_s, EventKind.CURED, one.code, one.message)
        for key, one in earlier.items()
        if key not in found
    )
    waited = before.waiting.count if before is not None else None
    if picture.waiting.count and not waited:
        new.append(Event(wall_s, EventKind.QUEUE, str(picture.waiting.count)))
    return replace(picture, events=(*reversed(new), *picture.events)[:EVENT_LIMIT])
