"""A slowdown is told when it lasts, and only then; it ends when speed is well back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mecha_tui.core.slowdown import (
    LEARN_AFTER_S,
    OLD_S,
    Judgement,
    judged,
    slowdown_finding,
)
from mecha_tui.core.usual import Direction, Load, Measurement, Setup, Usual

SETUP = Setup("m.gguf", window_tokens=8192, slot_count=2)
LOAD = Load(1, 1024)
USUAL = Usual(78.0, 0.5, 30, 30_000, 3)


class Judge:
    """Gives measurements of ten seconds each, one after another."""

    def __init__(self, direction: Direction = Direction.WRITING) -> None:
        self.judgement = Judgement()
        self.direction = direction
        self.now_s = 0.0

    def see(self, *speeds: float, load: Load = LOAD, step_s: float = 10.0) -> bool:
        for speed in speeds:
            self.now_s += step_s
            one = Measurement(
                self.direction, SETUP, load, speed, int(speed * 10), 10.0, self.now_s, "watching"
            )
            self.judgement = judged(self.judgement, one, {(self.direction, LOAD): USUAL})
        return self.judgement.is_slow


def test_a_speed_a_tenth_below_for_half_a_minute_is_told_with_both_figures() -> None:
    judge = Judge()
    assert not judge.see(78.0, 61.0, 61.0)
    assert judge.see(60.8)
    finding = slowdown_finding(judge.judgement)
    assert finding is not None
    assert finding.code == "slow-writing"
    assert finding.message == ("Writes 60.8 tok/s with 1 busy slot, usual here 78.0: 22 % slower.")


def test_reading_is_judged_apart() -> None:
    judge = Judge(Direction.READING)
    assert judge.see(60.0, 60.0, 60.0)
    finding = slowdown_finding(judge.judgement)
    assert finding is not None
    assert finding.code == "slow-reading"
    assert finding.message.startswith("Reads 60.0 tok/s")


def test_one_good_measurement_in_between_starts_the_count_anew() -> None:
    assert not Judge().see(61.0, 61.0, 78.0, 61.0, 61.0)


def test_five_per_cent_is_nothing() -> None:
    assert not Judge().see(*[74.0] * 50)


def test_unlike_conditions_speak_neither_for_nor_against() -> None:
    judge = Judge()
    judge.see(61.0, 61.0)
    assert not judge.see(*[10.0] * 20, load=Load(2, 1024))
    assert judge.see(61.0)
    assert judge.see(*[200.0] * 20, load=Load(2, 1024))


def test_it_ends_only_well_above_the_mark_and_not_at_once() -> None:
    judge = Judge()
    judge.see(61.0, 61.0, 61.0)
    assert judge.see(*[72.5] * 10)
    assert judge.see(78.0)
    assert not judge.see(78.0)
    assert slowdown_finding(judge.judgement) is None


def test_around_the_mark_it_does_not_come_and_go() -> None:
    judge = Judge()
    told = [judge.see(69.0 if at % 10 < 3 else 71.0) for at in range(200)]
    assert told.index(True) == 2
    assert all(told[2:])


def test_what_was_slow_long_ago_says_nothing_now() -> None:
    judge = Judge()
    judge.see(61.0, 61.0)
    assert not judge.see(61.0, step_s=OLD_S + 1)
    assert judge.see(61.0, 61.0)


def test_slow_speeds_become_usual_only_after_a_day() -> None:
    judge = Judge()
    judge.see(61.0, 61.0, 61.0)
    last = judge.judgement.last
    assert last is not None
    assert not judge.judgement.may_teach(last)
    assert judge.judgement.may_teach(replace(last, wall_s=last.wall_s + LEARN_AFTER_S + 1))
    judge.see(78.0, 78.0)
    assert judge.judgement.may_teach(last)


@pytest.mark.parametrize("speeds", [(), (78.0,), (61.0, 61.0)])
def test_without_a_slowdown_there_is_no_finding(speeds: tuple[float, ...]) -> None:
    judge = Judge()
    judge.see(*speeds)
    assert slowdown_finding(judge.judgement) is None
