"""The demo's agents come in tides, grow their chats, and start over when a slot is full."""

from __future__ import annotations

import random

import pytest

from mecha_tui.demo.agents import AGENTS, EBB_S, TIDE_S, Agent, Tide, most_tokens, prose
from mecha_tui.demo.stage import CONTEXT_TOKENS, SLOTS


@pytest.mark.parametrize("tide_number", [0, 1, 7])
def test_a_turn_begins_at_once_during_the_flood(tide_number: int) -> None:
    tide = Tide(began_s=100.0)
    assert tide.wait_s(100.0 + tide_number * TIDE_S + 2.0, late_s=1.0) == 0.0


def test_a_late_agent_waits_for_its_moment_in_the_flood() -> None:
    assert Tide(began_s=100.0).wait_s(101.0, late_s=4.0) == pytest.approx(3.0)


def test_during_the_ebb_every_agent_waits_for_the_next_flood() -> None:
    tide = Tide(began_s=0.0)
    now_s = TIDE_S - EBB_S + 1.0
    for agent in AGENTS:
        begins_s = now_s + tide.wait_s(now_s, agent.late_s)
        assert begins_s == pytest.approx(TIDE_S + agent.late_s)


def test_all_agents_are_late_by_less_than_the_flood_lasts() -> None:
    assert all(agent.late_s < TIDE_S - EBB_S for agent in AGENTS)


def test_prose_has_exactly_the_length_asked_for() -> None:
    for length in (1, 7, 500):
        assert len(prose(random.Random(1), length)) == length


def test_an_answer_takes_the_same_time_at_every_speed() -> None:
    agent = Agent("someone", 100, answer_s=3.0)
    assert most_tokens(agent, 50.0) == 150
    assert most_tokens(agent, 100.0) == 300


def test_an_answer_is_neither_too_short_to_see_nor_without_end() -> None:
    agent = Agent("someone", 100, answer_s=3.0)
    assert most_tokens(agent, 0.5) == 16
    assert most_tokens(agent, 50_000.0) == 500


def test_the_writer_has_no_limit() -> None:
    assert most_tokens(Agent("writer", 100, answer_s=None), 50.0) is None


def test_more_agents_than_slots_so_that_some_wait() -> None:
    assert len(AGENTS) > SLOTS


def test_openings_fit_in_a_slot_and_fill_gauges_of_every_colour() -> None:
    window_tokens = CONTEXT_TOKENS // SLOTS
    shares = [agent.opening_tokens / window_tokens for agent in AGENTS]
    assert all(share < 1 for share in shares)
    assert any(share < 0.75 for share in shares)
    assert any(0.75 <= share < 0.9 for share in shares)
    assert any(share >= 0.9 for share in shares)
