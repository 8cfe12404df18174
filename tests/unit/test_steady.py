"""Speeds are measured only over stretches in which nothing changed."""

from __future__ import annotations

import pytest

from mecha_tui.core.slots import Slot
from mecha_tui.core.steady import (
    KEPT_SUMS,
    LONGEST_LOOK_S,
    Steady,
    Stretch,
    load_now,
    stretch_between,
    with_stretch,
)
from mecha_tui.core.usual import Direction, Load, Setup
from tests.rounds import reading, slot, writing

SETUP = Setup("m.gguf", window_tokens=8192, slot_count=2)
IDLE = slot(1, task_id=5, held_tokens=60)


def between(before: tuple[Slot, ...], now: tuple[Slot, ...], step_s: float = 1.0) -> Stretch | None:
    return stretch_between(before, 100.0, now, 100.0 + step_s)


def test_what_the_same_task_wrote_between_two_looks_is_a_stretch() -> None:
    found = between((writing(0, 7, 1500, 50), IDLE), (writing(0, 7, 1540, 90), IDLE))
    assert found == Stretch(Direction.WRITING, Load(1, 1024), 40, 1.0)


def test_slots_that_write_together_are_one_speed_by_wall_clock() -> None:
    before = (writing(0, 7, 1500, 50), writing(1, 8, 3000, 10))
    now = (writing(0, 7, 1540, 90), writing(1, 8, 3020, 30))
    assert between(before, now) == Stretch(Direction.WRITING, Load(2, 2048), 60, 1.0)


def test_a_prompt_that_is_read_alone_is_a_stretch_of_its_own() -> None:
    found = between((reading(0, 7, 512, 512), IDLE), (reading(0, 7, 2560, 2560), IDLE))
    assert found == Stretch(Direction.READING, Load(1, 2048), 2048, 1.0)


_WRITES, _LATER = writing(0, 7, 1500, 50), writing(0, 7, 1540, 90)


@pytest.mark.parametrize(
    ("before", "now"),
    [
        pytest.param((slot(0), IDLE), (_LATER, IDLE), id="began"),
        pytest.param((_WRITES, IDLE), (slot(0), IDLE), id="ended"),
        pytest.param((writing(0, 6, 1500, 50), IDLE), (_LATER, IDLE), id="another-task"),
        pytest.param((reading(0, 7, 512, 512), IDLE), (_LATER, IDLE), id="began-to-write"),
        pytest.param(
            (_WRITES, IDLE), (_LATER, slot(1, task_id=6, held_tokens=60)), id="unseen-neighbour"
        ),
        pytest.param(
            (_WRITES, reading(1, 8, 512, 512)), (_LATER, reading(1, 8, 1024, 1024)), id="mixed"
        ),
        pytest.param(
            (reading(0, 7, 512, 512), reading(1, 8, 512, 512)),
            (reading(0, 7, 1024, 1024), reading(1, 8, 1024, 1024)),
            id="two-prompts",
        ),
        pytest.param((_WRITES, IDLE), (_LATER,), id="fewer-slots"),
        pytest.param((_LATER, IDLE), (_WRITES, IDLE), id="counts-back"),
        pytest.param((_WRITES, Slot(1)), (_LATER, Slot(1)), id="silent-slot"),
        pytest.param(
            (writing(0, 7, 1500, 50, held_tokens=None), IDLE),
            (writing(0, 7, 1540, 90, held_tokens=None), IDLE),
            id="depth-unknown",
        ),
        pytest.param(
            (writing(0, 7, 1500, 50, task_id=None), IDLE),
            (writing(0, 7, 1540, 90, task_id=None), IDLE),
            id="task-unknown",
        ),
        pytest.param((IDLE,), (IDLE,), id="idle"),
        pytest.param((), (), id="no-slots"),
    ],
)
def test_a_stretch_in_which_anything_changed_does_not_count(
    before: tuple[Slot, ...], now: tuple[Slot, ...]
) -> None:
    assert between(before, now) is None


@pytest.mark.parametrize("step_s", [0.0, -1.0, LONGEST_LOOK_S + 0.1])
def test_looks_at_once_or_far_apart_see_no_stretch(step_s: float) -> None:
    assert between((_WRITES, IDLE), (_LATER, IDLE), step_s) is None


def test_stretches_of_one_condition_add_up_until_they_say_enough() -> None:
    sums: Steady = ()
    for second in range(9):
        sums, found = with_stretch(sums, writes(20), SETUP, float(second))
        assert found is None
    sums, found = with_stretch(sums, writes(30), SETUP, 9.0)
    assert found is not None
    assert (found.tokens, found.seconds, found.tokens_per_s) == (210, 10.0, 21.0)
    assert (found.load, found.wall_s, found.source) == (Load(1, 0), 9.0, "watching")
    assert sums == ()


def test_a_slow_server_is_measured_for_longer() -> None:
    sums: Steady = ()
    results = []
    for second in range(50):
        sums, found = with_stretch(sums, writes(1), SETUP, float(second))
        results.append(found)
    assert [one is None for one in results] == [True] * 49 + [False]


def test_unlike_conditions_never_mix() -> None:
    sums: Steady = ()
    for second in range(9):
        for busy in (1, 2):
            sums, found = with_stretch(sums, writes(20 * busy, busy), SETUP, float(second))
            assert found is None
    sums, found = with_stretch(sums, writes(20), SETUP, 9.0)
    assert found is not None
    assert found.tokens_per_s == 20.0
    assert [one.load.busy_slots for one in sums] == [2]


def test_only_so_many_conditions_are_under_way() -> None:
    sums: Steady = ()
    for busy in range(1, 100):
        sums, _ = with_stretch(sums, writes(20, busy), SETUP, 0.0)
    assert len(sums) == KEPT_SUMS
    assert sums[-1].load.busy_slots == 99


def test_the_load_of_now_is_known_only_where_all_do_the_same() -> None:
    assert load_now((_WRITES, IDLE), Direction.WRITING) == Load(1, 1024)
    assert load_now((_WRITES, IDLE), Direction.READING) is None
    assert load_now((_WRITES, reading(1, 8, 512, 512)), Direction.WRITING) is None
    assert load_now((IDLE,), Direction.WRITING) is None


def writes(tokens: int, busy: int = 1) -> Stretch:
    return Stretch(Direction.WRITING, Load(busy, 0), tokens, 1.0)
