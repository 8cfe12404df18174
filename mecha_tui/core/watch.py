"""Folds one round after another into the pictures that the screen draws."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from mecha_tui.core.agreement import judge, talking
from mecha_tui.core.gone_slots import with_gone_slots
from mecha_tui.core.happenings import with_events
from mecha_tui.core.memory import Memory
from mecha_tui.core.memory_findings import memory_findings
from mecha_tui.core.numbers import Doors, server_numbers
from mecha_tui.core.paces import Recall, nothing_usual
from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.rates import Track
from mecha_tui.core.replies import Answer, Failure, Replies
from mecha_tui.core.rereads import Ways
from mecha_tui.core.sample import Round, ServerSample
from mecha_tui.core.server import Props, Role
from mecha_tui.core.server_log import LogPicture
from mecha_tui.core.slots import Slot
from mecha_tui.core.speed import with_gauges, with_slots, without_slots
from mecha_tui.core.state import ServerState, condition
from mecha_tui.core.succeeding import replacement_proof, with_succession
from mecha_tui.core.task_log import after_look, without_server
from mecha_tui.core.thrash_causes import forgets
from mecha_tui.core.thrash_watch import with_thrash
from mecha_tui.core.usual import setup_of
from mecha_tui.core.waiting import Waiting, busy_count, waiting

T = TypeVar("T")

METRICS_PATIENCE_S = 5.0
"""The server's own queue count is believed for this long after it was read."""

Pictures = dict[str, ServerPicture]
"""Every server's picture by its key, in the order of the round."""


def next_pictures(before: Pictures, taken: Round, recall: Recall = nothing_usual) -> Pictures:
    """Return the pictures after one more round; a server no longer sampled is dropped."""
    return {
        sample.key: next_picture(
            before.get(sample.key), sample, taken.taken_s, taken.wall_s, recall
        )
        for sample in taken.servers
    }


def next_picture(
    before: ServerPicture | None,
    sample: ServerSample,
    now_s: float,
    wall_s: float,
    recall: Recall = nothing_usual,
) -> ServerPicture:
    """Return one server's picture after one more round.

    Args:
        before: The picture so far; None at first sight.
        sample: What the round saw.
        now_s: The round's monotonic seconds.
        wall_s: The round's time of day, for events.
        recall: What is usual for a setup.
    """
    picture = before or _blank(sample, now_s, wall_s)
    proof = replacement_proof(picture, sample)
    if proof is not None:
        picture = _anew(picture)
    picture = replace(
        picture,
        now_s=now_s,
        now_wall_s=wall_s,
        process=sample.process,
        last_process=sample.process or picture.last_process,
        why_no_process=sample.why_no_process,
        is_own_memory=sample.is_own_memory,
        may_keep_awake=sample.may_keep_awake,
        quiet_s=now_s if sample.is_quiet else picture.quiet_s,
    )
    picture = _with_condition(picture, sample.replies)
    picture = _with_answers(picture, sample)
    slots, earlier = sample.replies.slots, picture
    if slots is not None:
        picture = with_slots(_with_tasks(picture, slots), slots)
    picture = _with_known_empty(picture, sample)
    if slots is None or slots.value is None or picture.is_lost:
        picture = without_slots(picture)
    picture = with_gone_slots(picture)
    picture = replace(picture, waiting=_queue(picture, sample))
    picture = with_thrash(_with_agreement(picture, sample))
    picture = with_succession(picture, proof)
    picture = _with_memory(picture, sample.memory)
    if sample.log is not None:
        picture = replace(picture, log=picture.log.with_news(sample.log, now_s))
    picture = _with_paces(earlier, picture, recall)
    return with_events(before, picture)


def _blank(sample: ServerSample, now_s: float, wall_s: float) -> ServerPicture:
    return ServerPicture(
        key=sample.key,
        url=sample.url,
        model_id=sample.model_id,
        condition=condition(Replies()),
        state_since_s=now_s,
        now_s=now_s,
        now_wall_s=wall_s,
    )


def _anew(picture: ServerPicture) -> ServerPicture:
    """Forget what was the old server's own; its events and the chart's past stay."""
    return replace(
        picture,
        props=None,
        models=(),
        counters=None,
        counters_taken_s=None,
        doors=Doors(),
        slots=(),
        slots_taken_s=None,
        slots_reason=None,
        quiet_s=None,
        busy=None,
        written=Track(),
        read=Track(),
        writing_tokens_per_s=None,
        reading_tokens_per_s=None,
        log=LogPicture(),
        tasks=without_server(picture.tasks, picture.now_s),
        paces=replace(picture.paces, sums=()),
    )


def _with_tasks(picture: ServerPicture, answer: Answer[tuple[Slot, ...]]) -> ServerPicture:
    """Fold the looked-at slots into the tasks; a round without a look has nothing new."""
    if answer.value is None:
        return replace(picture, tasks=picture.tasks.without_news())
    log = after_look(
        picture.tasks,
        {one.slot.slot_id: one.slot for one in picture.slots},
        answer.value,
        answer.asked_s if answer.taken_s is None else answer.taken_s,
        busy=busy_count(answer.value),
        ways=Ways(picture.numbers.thinks.value, forgets(picture.numbers.launch)),
    )
    return replace(picture, tasks=log)


def _with_known_empty(picture: ServerPicture, sample: ServerSample) -> ServerPicture:
    """Let slots that never ran hold nothing, where nothing can have been restored into them."""
    if sample.launch.can_restore_slots is not False:
        return picture
    if all(one.slot.held_tokens is not None or not one.slot.is_unused for one in picture.slots):
        return picture
    return with_gauges(
        replace(
            picture,
            slots=tuple(
                replace(one, slot=replace(one.slot, held_tokens=0)) if one.slot.is_unused else one
                for one in picture.slots
            ),
        )
    )


def _with_condition(picture: ServerPicture, replies: Replies) -> ServerPicture:
    now = condition(replies)
    if now.state is ServerState.CONNECTING:
        return picture
    changed = now.state is not picture.condition.state
    since_s = picture.now_s if changed else picture.state_since_s
    return replace(picture, condition=now, state_since_s=since_s)


def _with_answers(picture: ServerPicture, sample: ServerSample) -> ServerPicture:
    replies = sample.replies
    if replies.props is not None and replies.props.value is not None:
        props = replies.props.value
        picture = replace(picture, props=replace(props, role=_role(props, sample)))
    if replies.models is not None and replies.models.value is not None:
        picture = replace(picture, models=replies.models.value)
    picture = replace(picture, doors=_doors(picture.doors, replies))
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


def _doors(before: Doors, replies: Replies) -> Doors:
    return Doors(_is_open(before.slots, replies.slots), _is_open(before.metrics, replies.metrics))


def _is_open(before: bool | None, answer: Answer[T] | None) -> bool | None:
    """Return whether an endpoint is open; only a value, or a plain no, tells anything new."""
    if answer is None or answer.failure not in (None, Failure.OFF):
        return before
    return answer.failure is None


def _role(props: Props, sample: ServerSample) -> Role:
    """Return what kind of server it is; that it makes embeddings only its flags tell."""
    is_embedding = props.role is Role.MODEL and sample.launch.is_embedding.value
    return Role.EMBEDDINGS if is_embedding else props.role


def _queue(picture: ServerPicture, sample: ServerSample) -> Waiting:
    if picture.is_lost:
        return Waiting(None, reason=picture.condition.reason or "the server does not answer")
    slots = sample.replies.slots
    is_resting = slots is not None and slots.failure is Failure.RESTING
    is_known = picture.age_s is not None and picture.age_s <= METRICS_PATIENCE_S
    if is_resting and not is_known:
        return Waiting(None, reason=picture.slots_reason)
    taken_s = picture.counters_taken_s
    is_fresh = taken_s is not None and picture.now_s - taken_s <= METRICS_PATIENCE_S
    counters = picture.counters if is_fresh and picture.metrics_reason is None else None
    why = picture.metrics_reason or "the server's last count is too old"
    return waiting(counters, sample.connections, picture.busy if is_known else None, why)


def _with_memory(picture: ServerPicture, memory: Memory) -> ServerPicture:
    if memory is picture.memory:
        return picture
    return replace(
        picture,
        memory=memory,
        memory_findings=memory_findings(memory, picture.memory_findings),
        memory_history=picture.memory_history.with_memory(memory),
    )


def _with_paces(earlier: ServerPicture, picture: ServerPicture, recall: Recall) -> ServerPicture:
    """Measure what the slots did since the look before, and judge it."""
    paces = picture.paces.for_setup(setup_of(picture), recall)
    before_s, now_s = earlier.slots_taken_s, picture.slots_taken_s
    is_new = before_s is not None and now_s is not None and now_s > before_s
    if is_new and not picture.is_lost and before_s is not None and now_s is not None:
        before = tuple(one.slot for one in earlier.slots)
        now = tuple(one.slot for one in picture.slots)
        paces = paces.with_looks(before, before_s, now, now_s, picture.now_wall_s)
    return replace(picture, paces=paces)


def _with_agreement(picture: ServerPicture, sample: ServerSample) -> ServerPicture:
    slots = tuple(one.slot for one in picture.slots)
    numbers = server_numbers(
        sample.launch,
        picture.props,
        slots,
        picture.models,
        model_id=picture.model_id,
        doors=picture.doors,
    )
    before = picture.judged_client
    picture = replace(
        picture,
        numbers=numbers,
        agreement=judge(numbers, sample.clients),
        clients=talking(numbers, sample.clients),
    )
    return picture if picture.judged_client == before else with_gauges(picture)
