"""Which prompts are conversations that came back, and how much of them was read twice."""

from __future__ import annotations

import pytest

from mecha_tui.core.rereads import (
    REMEMBERED,
    Memory,
    Prompt,
    Visit,
    Ways,
)
from mecha_tui.core.thrash import WINDOW_S, Pattern, pattern


class Talk:
    """Conversations that take turns in slots, each turn read and answered."""

    def __init__(self, *, thinks: bool | None = False, forgets: bool = False) -> None:
        self.memory = Memory()
        self.ways = Ways(thinks, forgets)
        self.now_s = 1.0
        self.held: dict[int, int] = {}

    def turn(self, prompt: int, reused: int, answer: int = 100, slot: int = 0) -> Visit:
        before = self.held.get(slot, 0)
        self.now_s += 1
        read = Prompt(self.now_s, slot, int(self.now_s), prompt, reused, before)
        self.memory, visit = self.memory.with_prompt(read, self.ways)
        self.held[slot] = prompt + answer - 1
        self.memory = self.memory.with_content(
            slot, prompt + answer - 1, prompt, visit.conversation
        )
        return visit

    @property
    def pattern(self) -> Pattern | None:
        return pattern(self.memory.visits, self.now_s)


def test_two_conversations_in_turn_read_each_others_place_again() -> None:
    talk = Talk()
    assert talk.turn(4000, 0).is_new
    assert talk.turn(5000, 2).is_new
    first = talk.turn(4150, 2)
    second = talk.turn(5150, 2)
    third = talk.turn(4300, 2)
    assert [one.again_tokens for one in (first, second, third)] == [4097, 5097, 4247]
    assert first.conversation == third.conversation != second.conversation
    assert not any(one.is_new or one.in_place for one in (first, second, third))
    assert talk.pattern == Pattern((first, second, third), 2, in_place=False)
    assert pattern(talk.memory.visits, talk.now_s + WINDOW_S) is None


def test_two_turns_prove_nothing_and_a_new_conversation_begins_anew() -> None:
    talk = Talk()
    for prompt in (4000, 5000, 4150, 5150):
        talk.turn(prompt, 2)
        assert talk.pattern is None
    talk.turn(2000, 2)
    talk.turn(4300, 2)
    assert talk.pattern is None


def test_five_in_turn_on_four_slots_are_a_pattern_by_the_third_round() -> None:
    talk = Talk()
    prompts = [11_000, 4000, 3900, 3000, 2900]
    rounds = []
    for _ in range(3):
        for agent, prompt in enumerate(prompts):
            talk.turn(prompt, 2, slot=(len(talk.memory.visits)) % 4)
            prompts[agent] += 150
        rounds.append(talk.pattern)
    assert rounds[:2] == [None, None]
    assert rounds[2] is not None
    assert rounds[2].conversations in (4, 5)


def test_a_conversation_that_finds_its_place_reads_nothing_again() -> None:
    talk = Talk()
    talk.turn(4000, 0)
    for _ in range(11):
        visit = talk.turn(talk.held[0] + 30, talk.held[0])
        assert (visit.again_tokens, visit.is_new, visit.conversation) == (0, False, 1)
    assert talk.pattern is None


def test_new_conversations_are_not_accused() -> None:
    talk = Talk()
    for prompt in (5000, 4990, 4000, 3900, 12_000, 3000):
        visit = talk.turn(prompt, 40)
        assert (visit.is_new, visit.again_tokens) == (True, 0)


@pytest.mark.parametrize("reused", [0, 2])
def test_the_same_measurement_again_and_again_is_not_accused(reused: int) -> None:
    talk = Talk()
    for _ in range(12 if reused == 0 else 2):
        visit = talk.turn(4000, reused)
        assert visit.again_tokens == 0
    assert talk.pattern is None


def test_small_prompts_and_small_losses_are_not_accused() -> None:
    talk = Talk()
    talk.turn(700, 0)
    talk.turn(710, 2)
    assert talk.turn(830, 2).again_tokens == 0
    assert talk.memory.visits == ()
    talk = Talk()
    talk.turn(1900, 0)
    talk.turn(20_000, 0)
    assert talk.turn(2010, 2).again_tokens == 0  # much, but not of the 20,099 that were held


def test_the_same_prompt_once_more_is_the_same_conversation() -> None:
    talk = Talk()
    talk.turn(4000, 0)
    talk.turn(4100, 2)
    visit = talk.turn(4000, 2)
    assert (visit.again_tokens, visit.conversation) == (3998, 1)


def test_a_model_that_thinks_does_not_get_its_thoughts_back() -> None:
    for thinks, is_new in ((True, False), (False, True), (None, True)):
        talk = Talk(thinks=thinks)
        talk.turn(4000, 0, answer=900)
        talk.turn(9000, 2, answer=900)
        visit = talk.turn(4150, 2, answer=900)
        assert visit.is_new is is_new
        assert (visit.again_tokens > 0) is (thinks is True)


def test_what_a_slot_still_holds_has_not_come_back() -> None:
    talk = Talk()
    talk.turn(4000, 0, slot=0)
    assert talk.turn(4200, 0, slot=1).is_new
    talk.memory = talk.memory.without_content(0)
    visit = talk.turn(4250, 0, slot=2)
    assert (visit.again_tokens, visit.is_new) == (4099, False)


def test_a_prompt_that_grows_in_its_place_is_believed_late_unless_the_model_forgets() -> None:
    for forgets, turns in ((True, 3), (False, 5)):
        talk = Talk(forgets=forgets)
        talk.turn(4000, 0)
        for turn in range(1, turns + 1):
            visit = talk.turn(talk.held[0] + 30, 1)
            assert visit.in_place
            assert (talk.pattern is not None) is (turn == turns)
        assert talk.pattern is not None
        assert talk.pattern.in_place


def test_a_shared_beginning_is_not_taken_for_the_conversation() -> None:
    talk = Talk()
    talk.turn(12_000, 0)
    talk.turn(13_000, 8000)
    visit = talk.turn(12_150, 8000)
    assert (visit.conversation, visit.again_tokens) == (1, 4099)


def test_only_so_many_conversations_are_remembered() -> None:
    talk = Talk()
    for prompt in range(100_000, 0, -1000):
        talk.turn(prompt, 0)
    assert len(talk.memory.waiting) == REMEMBERED
