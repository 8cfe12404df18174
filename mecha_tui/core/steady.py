"""Measures speeds out of looks at the slots, only over stretches that stayed the same.

A stretch between two looks counts when the same tasks did the same thing at both, and no
other slot ran anything in between. Stretches under one condition are added up until they
say enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mecha_tui.core.slots import Phase, Slot
from mecha_tui.core.usual import (
    ENOUGH_TOKENS,
    Direction,
    Load,
    Measurement,
    Setup,
    depth_band,
)

MEASURED_S = 10.0
"""A measurement rests on at least this many seconds."""
LONGEST_LOOK_S = 3.5
"""Looks further apart than this do not see what happened in between."""
KEPT_SUMS = 16
"""Conditions that may be under way at once; the one seen longest ago is dropped."""

_PHASES = {Direction.WRITING: Phase.WRITING, Direction.READING: Phase.READING}


@dataclass(frozen=True, slots=True)
class Stretch:
    """What all slots did between two looks, under one condition."""

    direction: Direction
    load: Load
    tokens: int
    seconds: float


Steady = tuple[Stretch, ...]
"""Sums that do not say enough yet, one for a condition, the newest last."""


def stretch_between(
    before: Sequence[Slot], before_s: float, now: Sequence[Slot], now_s: float
) -> Stretch | None:
    """Return what was done between two looks; None unless nothing changed in between."""
    seconds = now_s - before_s
    if not 0 < seconds <= LONGEST_LOOK_S or len(before) != len(now):
        return None
    pairs = list(zip(before, now, strict=True))
    if not all(_is_same(then, slot) for then, slot in pairs):
        return None
    busy = [(then, slot) for then, slot in pairs if slot.is_processing]
    for direction, phase in _PHASES.items():
        if busy and all(slot.phase is phase for _, slot in busy):
            return _stretch(direction, busy, seconds)
    return None


def with_stretch(
    sums: Steady, stretch: Stretch, setup: Setup, wall_s: float
) -> tuple[Steady, Measurement | None]:
    """Return the sums with one more stretch, and a measurement when that makes enough."""
    load = stretch.load
    others = tuple(one for one in sums if (one.direction, one.load) != (stretch.direction, load))
    same = next((one for one in sums if one not in others), None)
    if same is not None:
        stretch = replace(
            stretch, tokens=same.tokens + stretch.tokens, seconds=same.seconds + stretch.seconds
        )
    if stretch.seconds < MEASURED_S or stretch.tokens < ENOUGH_TOKENS:
        return (*others, stretch)[-KEPT_SUMS:], None
    return others, Measurement(
        direction=stretch.direction,
        setup=setup,
        load=load,
        tokens_per_s=stretch.tokens / stretch.seconds,
        tokens=stretch.tokens,
        seconds=stretch.seconds,
        wall_s=wall_s,
        source="watching",
    )


def load_now(slots: Sequence[Slot], direction: Direction) -> Load | None:
    """Return the condition that the slots are in; None unless all busy ones do the same."""
    busy = [slot for slot in slots if slot.is_processing is not False]
    held = [slot.held_tokens for slot in busy if slot.held_tokens is not None]
    if not busy or len(held) < len(busy):
        return None
    if any(slot.phase is not _PHASES[direction] for slot in busy):
        return None
    if direction is Direction.READING and len(busy) > 1:
        return None  # prompts that are read at once take turns in one batch
    return Load(len(busy), depth_band(sum(held) // len(held)))


def _stretch(
    direction: Direction, busy: Sequence[tuple[Slot, Slot]], seconds: float
) -> Stretch | None:
    load = load_now([slot for _, slot in busy], direction)
    counts = [(_done(then, direction), _done(slot, direction)) for then, slot in busy]
    if load is None or any(None in pair for pair in counts):
        return None
    gains = [after - first for first, after in counts if first is not None and after is not None]
    return None if min(gains) < 0 else Stretch(direction, load, sum(gains), seconds)


def _is_same(then: Slot, slot: Slot) -> bool:
    """Whether a slot runs the same task in the same phase, or still none at all."""
    if None in (then.is_processing, slot.is_processing) or then.slot_id != slot.slot_id:
        return False
    if slot.is_processing and slot.task_id is None:
        return False
    return (then.is_processing, then.task_id, then.phase) == (
        slot.is_processing,
        slot.task_id,
        slot.phase,
    )


def _done(slot: Slot, direction: Direction) -> int | None:
    return slot.written_tokens if direction is Direction.WRITING else slot.read_tokens
