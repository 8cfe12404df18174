"""Tells one server at an address from the next, and follows who answers there."""

from __future__ import annotations

from dataclasses import replace

from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.sample import ServerSample
from mecha_tui.core.server import Counters, is_other_model, is_other_process
from mecha_tui.core.slots import Slot
from mecha_tui.core.state import ServerState, condition
from mecha_tui.core.succession import Identity, Proof, Replacement, Succession

STORY_S = 15.0
"""What is learnt within this time of the first proof belongs to the same replacement: the
process behind an address is looked for every five seconds."""
ABSENCE_S = 60.0
"""An absence that ended longer ago is not that of a replacement found now."""
TURNS_S = 300.0
"""A server that answers again so soon after another, and never was away, takes turns with it."""
_FORMER_LIMIT = 4
_AWAY = (ServerState.DOWN, ServerState.LOADING, ServerState.NOT_LLAMA_SERVER)
_BACK = (ServerState.READY, ServerState.ASLEEP, ServerState.LOCKED)


def replacement_proof(before: ServerPicture, sample: ServerSample) -> Proof | None:
    """Return what shows that another server answers than in the picture; None for nothing."""
    replies, known = sample.replies, before.succession
    if is_other_process(before.last_process, sample.process):
        return Proof.PROCESS
    if replies.props is not None and is_other_model(before.props, replies.props.value):
        return Proof.MODEL
    if replies.metrics is not None and _went_back(before.counters, replies.metrics.value):
        return Proof.COUNTERS
    if replies.slots is not None and replies.slots.value:
        return _slots_proof(known, replies.slots.value)
    was_there = before.props is not None and before.condition.state is not ServerState.LOADING
    is_loading = condition(replies).state is ServerState.LOADING
    return Proof.LOADING if is_loading and was_there and sample.process is None else None


def _went_back(then: Counters | None, now: Counters | None) -> bool:
    if then is None or now is None:
        return False
    pairs = ((then.prompt_tokens, now.prompt_tokens), (then.written_tokens, now.written_tokens))
    return any(old is not None and new is not None and new < old for old, new in pairs)


def _slots_proof(known: Succession, slots: tuple[Slot, ...]) -> Proof | None:
    if known.task_id is None:
        return None
    newest = highest_task(slots)
    if newest is not None:
        return Proof.TASKS if newest < known.task_id else None
    was_away = known.away_since_s is not None or known.back_s is not None
    is_new = was_away and not known.has_slept and all(slot.is_unused for slot in slots)
    return Proof.SLOTS if is_new else None


def highest_task(slots: tuple[Slot, ...]) -> int | None:
    """Return the highest task number in the slots; a server never counts back."""
    numbers = [slot.task_id for slot in slots if slot.task_id is not None and slot.task_id >= 0]
    return max(numbers, default=None)


def with_succession(picture: ServerPicture, proof: Proof | None) -> ServerPicture:
    """Return the picture with who answers now, after the round's answers went into it.

    Args:
        picture: The picture of this round.
        proof: What showed in this round that another server answers.
    """
    known = _with_absence(picture.succession, picture)
    seen = _identity(picture)
    if proof is None:
        known = _with_more(known, seen, picture.now_s)
    else:
        known = _with_successor(known, seen, proof, picture.now_s)
    known = _with_tasks(known, picture, is_new=proof is not None)
    return replace(picture, succession=known)


def _identity(picture: ServerPicture) -> Identity:
    props, numbers = picture.props, picture.numbers
    has_slots = bool(picture.slots) and not picture.is_lost
    window = None if props is None else props.slot_window_tokens
    count = None if props is None else props.slot_count
    return Identity(
        process=picture.process,
        model_path=None if props is None else props.model_path,
        model_name=None if props is None else picture.model_name,
        build=None if props is None else props.build,
        window_tokens=numbers.slot_window_tokens.value if has_slots else window,
        slot_count=len(picture.slots) if has_slots else count,
    )


def _with_absence(known: Succession, picture: ServerPicture) -> Succession:
    state, now_s = picture.condition.state, picture.now_s
    if state in _AWAY and known.away_since_s is None:
        return replace(known, away_since_s=now_s, back_s=None, last_absence_s=None)
    if state in _BACK and known.away_since_s is not None:
        away_s = now_s - known.away_since_s
        known = replace(known, away_since_s=None, back_s=now_s, last_absence_s=away_s)
    if known.back_s is not None and now_s - known.back_s > ABSENCE_S:
        known = replace(known, back_s=None, last_absence_s=None)
    if known.replacement is None or known.is_told or state not in _BACK:
        return known
    told = replace(known.replacement, away_s=known.last_absence_s)
    return replace(known, replacement=told, is_told=True)


def _with_more(known: Succession, seen: Identity, now_s: float) -> Succession:
    last = known.replacement
    if last is not None and now_s - last.began_s <= STORY_S:
        seen = _without_stale(seen, last.then)
    now = known.now.filled(seen)
    if last is None or last.is_alternating or now == known.now:
        return replace(known, now=now)
    is_open = not known.is_told or now_s - last.began_s <= STORY_S or _is_blank(last.now)
    last = replace(last, now=now) if is_open else last
    return replace(known, now=now, replacement=last)


def _is_blank(one: Identity) -> bool:
    return one.model_path is None and one.build is None and one.slot_count is None


def _without_stale(seen: Identity, then: Identity) -> Identity:
    return replace(seen, process=None) if seen.process == then.process else seen


def _with_successor(known: Succession, seen: Identity, proof: Proof, now_s: float) -> Succession:
    last = known.replacement
    if proof is not Proof.PROCESS:
        seen = _without_stale(seen, known.now)
    is_open = last is not None and (not known.is_told or now_s - last.began_s <= STORY_S)
    if last is not None and is_open and proof not in last.proofs and not last.is_alternating:
        now = known.now.filled(seen)
        last = replace(last, now=now, proofs=(*last.proofs, proof))
        return replace(known, now=now, replacement=last)
    former = ((known.now, now_s), *known.former)[:_FORMER_LIMIT]
    partner = _partner(known, seen, now_s)
    if partner is not None and last is not None and last.is_alternating:
        return replace(known, now=partner.filled(seen), former=former)
    number = 1 if last is None else last.number + 1
    new = Replacement(number, now_s, known.now, seen, (proof,))
    if partner is not None:
        new = replace(new, now=partner.filled(seen), is_alternating=True)
    elif known.away_since_s is None:
        new = replace(new, away_s=known.last_absence_s)
    return replace(
        known,
        now=new.now,
        former=former,
        replacement=new,
        is_told=known.away_since_s is None,
        back_s=None,
        last_absence_s=None,
    )


def _partner(known: Succession, seen: Identity, now_s: float) -> Identity | None:
    """Return the former server that answers again though nobody was away: both run."""
    if known.away_since_s is not None or known.last_absence_s is not None:
        return None
    for one, last_s in known.former:
        if one.is_as(seen) and not one.is_as(known.now) and now_s - last_s <= TURNS_S:
            return one
    return None


def _with_tasks(known: Succession, picture: ServerPicture, *, is_new: bool) -> Succession:
    if is_new:
        known = replace(known, task_id=None, has_slept=False)
    if picture.condition.state is ServerState.ASLEEP:
        return replace(known, has_slept=True)
    newest = highest_task(tuple(one.slot for one in picture.slots))
    if newest is None or newest == known.task_id or picture.is_lost:
        return known
    return replace(known, task_id=newest, has_slept=False)
