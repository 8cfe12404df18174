"""Looks at slots become tasks: what they did is known, or said to be partial."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mecha_tui.core.slots import Slot
from mecha_tui.core.task_log import (
    CHANGES,
    SLOT_TASK_LIMIT,
    TASK_LIMIT,
    TaskLog,
    after_look,
    without_server,
)
from mecha_tui.core.tasks import Ending, Task
from mecha_tui.core.waiting import busy_count

WINDOW = 8192


class Looks:
    """Folds looks, one second apart."""

    def __init__(self) -> None:
        self.log = TaskLog()
        self.now_s = 100.0
        self.earlier: dict[int, Slot] = {}

    def see(self, *slots: Slot, step_s: float = 1.0) -> TaskLog:
        self.now_s += step_s
        self.log = after_look(self.log, self.earlier, slots, self.now_s, busy=busy_count(slots))
        self.earlier = {slot.slot_id: slot for slot in slots}
        return self.log

    @property
    def last(self) -> Task:
        return self.log.ended[0]


@pytest.fixture
def looks() -> Looks:
    return Looks()


def idle(held: int, task: int | None = 1, slot: int = 0) -> Slot:
    return Slot(slot, False, WINDOW, task, held, 0, 0, 0)


def reading(read: int, task: int, *, reused: int = 0, slot: int = 0) -> Slot:
    held = reused + read + 512
    return Slot(slot, True, WINDOW, task, held, read, reused, 0, remaining_tokens=400)


def writing(
    written: int, task: int, *, read: int = 90, reused: int = 10, slot: int = 0, limit: int = 400
) -> Slot:
    held = reused + read + written - 1
    return Slot(slot, True, WINDOW, task, held, read, reused, written, limit - written)


def test_a_task_is_told_whole_when_it_is_over(looks: Looks) -> None:
    looks.see(idle(50))
    looks.see(reading(512, 2, reused=48))
    looks.see(reading(1024, 2, reused=48))
    looks.see(writing(10, 2, read=1500, reused=48), idle(9, slot=1))
    looks.see(writing(50, 2, read=1500, reused=48), writing(1, 3, slot=1))
    assert looks.log.ended == ()
    (now,) = [one for one in looks.log.open if one.slot_id == 0]
    assert (now.prompt_tokens, now.written_tokens, now.ended_s) == (1548, 50, None)
    looks.see(idle(48 + 1500 + 70 - 1, 2), writing(2, 3, slot=1))
    task = looks.last
    assert (task.slot_id, task.task_id) == (0, 2)
    assert (task.reused_tokens, task.read_tokens, task.written_tokens) == (48, 1500, 70)
    assert (task.began_s, task.reading_until_s, task.ended_s) == (102.0, 104.0, 106.0)
    assert (task.reading_tokens_per_s, task.writing_tokens_per_s) == (512.0, 40.0)
    assert (task.held_before_tokens, task.held_tokens, task.busy_slots) == (50, 1617, 2)
    assert (task.seconds, task.ending, task.is_partial) == (4.0, Ending.DONE, False)
    assert looks.log.new == (task,)
    assert looks.log.last_of(0) == task
    assert looks.log.last_of(1) is None


def test_a_task_that_ran_before_the_first_look_began_nobody_knows_when(looks: Looks) -> None:
    looks.see(writing(10, 2))
    looks.see(idle(100 + 20 - 1, 2))
    assert (looks.last.began_s, looks.last.seconds, looks.last.written_tokens) == (None, None, 20)
    assert looks.last.held_before_tokens is None


def test_an_answer_at_its_limit_and_one_at_the_wall_are_told_apart(looks: Looks) -> None:
    looks.see(idle(0))
    looks.see(writing(390, 2))
    looks.see(idle(100 + 400 - 1, 2))
    (limited,) = looks.log.new
    assert limited.ending is Ending.LIMIT
    looks.see(writing(50, 3, read=8000))
    looks.see(idle(WINDOW - 1, 3))
    (cut,) = looks.log.new
    assert cut.ending is Ending.WALL
    assert looks.last.written_tokens == WINDOW - 8010
    assert looks.log.totals.cut_count == 1


def test_what_the_looks_cannot_know_is_partial(looks: Looks) -> None:
    looks.see(idle(0))
    looks.see(reading(512, 2, reused=48))
    looks.see(idle(2000, 2))
    task = looks.last
    assert (task.read_tokens, task.written_tokens, task.is_partial) == (512, None, True)
    assert task.prompt_tokens is None
    looks.see(writing(30, 3))
    looks.see(writing(5, 4))
    assert (looks.last.task_id, looks.last.written_tokens, looks.last.is_partial) == (3, 30, True)
    looks.see(idle(0, 4))  # the slot was cleared at once
    assert (looks.last.written_tokens, looks.last.is_partial) == (5, True)
    assert looks.log.totals.partial_count == 3


def test_before_the_first_batch_nobody_knows_what_is_reused(looks: Looks) -> None:
    looks.see(idle(700))
    looks.see(replace(reading(0, 2), read_tokens=0, reused_tokens=0))
    assert looks.log.open[0].reused_tokens is None
    looks.see(replace(reading(0, 2), read_tokens=0, reused_tokens=690))
    assert looks.log.open[0].reused_tokens == 690


def test_a_task_that_came_and_went_between_two_looks_leaves_its_number(looks: Looks) -> None:
    looks.see(idle(50, 1), idle(0, None, slot=1))
    looks.see(idle(90, 7), idle(30, 8, slot=1))
    second, first = looks.log.ended
    assert (first.task_id, first.read_tokens, first.held_tokens) == (7, None, 90)
    assert (second.slot_id, second.is_partial) == (1, True)
    looks.see(writing(5, 9))
    looks.see(idle(300, 12))
    assert [one.task_id for one in looks.log.new] == [9, 12]


def test_a_slot_that_goes_takes_its_task_along(looks: Looks) -> None:
    looks.see(writing(5, 2), writing(5, 3, slot=1))
    looks.see(writing(6, 2))
    assert (looks.last.slot_id, looks.last.ending) == (1, Ending.LOST)


def test_a_lower_number_is_another_servers(looks: Looks) -> None:
    looks.see(idle(50, 100))
    looks.see(writing(500, 101))
    looks.see(writing(3, 2))
    assert (looks.last.task_id, looks.last.ending) == (101, Ending.LOST)
    assert looks.log.open[0].began_s is None
    lost = without_server(looks.log, looks.now_s)
    assert (lost.ended[0].ending, lost.running, lost.memory.waiting) == (Ending.LOST, {}, ())


def test_slots_emptied_or_filled_without_a_task_are_noted(looks: Looks) -> None:
    looks.see(idle(500, 1), idle(300, 2, slot=1), idle(1, 3, slot=2))
    (change,) = looks.see(idle(0, 1), idle(300, 2, slot=1), idle(1, 3, slot=2)).new_changes
    assert (change.before_tokens, change.after_tokens, change.was_for_a_task) == (500, 0, False)
    (change,) = looks.see(idle(0, 1), idle(0, 2, slot=1), writing(1, 4, slot=2)).new_changes
    assert (change.slot_id, change.was_for_a_task) == (1, True)
    assert looks.see(idle(0, 1), idle(0, 2, slot=1), writing(2, 4, slot=2)).new_changes == ()
    assert looks.log.ended == ()


def test_a_count_that_goes_back_makes_a_task_partial(looks: Looks) -> None:
    looks.see(idle(0))
    looks.see(writing(50, 2))
    looks.see(writing(20, 2))
    looks.see(idle(100 + 60 - 1, 2))
    assert looks.last.is_partial


def test_ten_thousand_tasks_are_counted_and_the_last_are_kept(looks: Looks) -> None:
    looks.see(idle(0, 0))
    for number in range(1, 10_001):
        looks.see(writing(5, number))
    assert looks.log.totals.task_count == 9_999
    assert len(looks.log.ended) == TASK_LIMIT
    assert len(looks.log.by_slot[0]) == SLOT_TASK_LIMIT
    for number in range(3 * CHANGES):
        looks.see(idle(number + 1, 10_000))
    assert len(looks.log.changes) == CHANGES


def test_slots_that_do_not_change_cost_next_to_nothing() -> None:
    looks = Looks()
    slots = tuple(idle(100, 1, slot=number) for number in range(256))
    log = looks.see(*slots)
    began_s = time.process_time()
    for _ in range(100):
        looks.see(*slots)
    assert looks.log.by_slot is log.by_slot
    assert looks.log.ended is log.ended
    assert (time.process_time() - began_s) / 100 < 0.02


counts = st.one_of(st.none(), st.integers(-5, 20_000))
slots = st.builds(
    Slot,
    st.integers(0, 3),
    st.sampled_from([True, False, None]),
    st.sampled_from([None, WINDOW]),
    st.one_of(st.none(), st.integers(0, 6)),
    counts,
    counts,
    counts,
    counts,
    counts,
)


@given(st.lists(st.lists(slots, max_size=4), max_size=12), st.floats(-10, 10))
def test_whatever_a_server_says_counts_stay_sane(rounds: list[list[Slot]], step_s: float) -> None:
    looks = Looks()
    for found in rounds:
        looks.see(*{slot.slot_id: slot for slot in found}.values(), step_s=step_s)
    for task in (*looks.log.ended, *looks.log.open):
        assert task.ended_s is None or task.ending is not None
        for rate in (task.reading_tokens_per_s, task.writing_tokens_per_s, task.seconds):
            assert rate is None or rate == rate
        assert task.seconds is None or task.seconds >= 0
