"""A slot's phase and reuse are told from one entry of /slots, and never guessed."""

from __future__ import annotations

import pytest

from mecha_tui.core.slots import Phase, Slot, reuse_ratio


@pytest.mark.parametrize(
    ("slot", "phase"),
    [
        (Slot(0), Phase.UNKNOWN),
        (Slot(0, is_processing=False), Phase.IDLE),
        (Slot(0, is_processing=False, written_tokens=9), Phase.IDLE),
        (Slot(0, is_processing=True), Phase.UNKNOWN),
        (Slot(0, is_processing=True, written_tokens=0), Phase.READING),
        (Slot(0, is_processing=True, written_tokens=1), Phase.WRITING),
    ],
)
def test_the_phase_is_told_from_one_look(slot: Slot, phase: Phase) -> None:
    assert slot.phase is phase


def test_an_idle_slots_task_is_a_leftover_and_not_running() -> None:
    slot = Slot(0, is_processing=False, task_id=41, held_tokens=9000, written_tokens=0)
    assert slot.running_task_id is None
    assert not slot.is_unused


def test_only_a_slot_without_any_trace_of_a_task_is_unused() -> None:
    assert Slot(0, is_processing=False, window_tokens=8192).is_unused
    assert not Slot(0, is_processing=False, parameters={"seed": 1}).is_unused
    assert not Slot(0, is_processing=None).is_unused


def test_reuse_counts_reused_over_all_of_the_prompt_read_so_far() -> None:
    assert reuse_ratio(Slot(0, True, read_tokens=22, reused_tokens=5582)) == 5582 / 5604
    assert reuse_ratio(Slot(0, True, read_tokens=0, reused_tokens=0)) is None
    assert reuse_ratio(Slot(0, True, read_tokens=0, reused_tokens=417)) is None
    assert reuse_ratio(Slot(0, False, read_tokens=0, reused_tokens=0)) is None
    assert reuse_ratio(Slot(0, True, read_tokens=5)) is None
