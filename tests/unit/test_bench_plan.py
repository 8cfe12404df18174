"""A benchmark fits the server, and says beforehand what it will cost."""

from __future__ import annotations

import pytest

from mecha_tui.core.bench import Rate, spread
from mecha_tui.core.bench_plan import NoRoomError, Part, Room, Wishes, bench_plan, quiet_slot
from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.slots import Slot
from mecha_tui.present.bench import cost_lines
from mecha_tui.present.check import Line
from tests.rounds import folded, replies, round_at, sample, slot, writing

LARGE = Room(4, 8192)


def picture_of(*slots: Slot) -> ServerPicture:
    return folded(round_at(1, sample(replies(1, slots))))


def text(lines: list[Line]) -> str:
    return "\n".join("".join(piece.text for piece in line) for line in lines)


def test_what_is_left_open_takes_the_servers_size() -> None:
    plan = bench_plan(Wishes(), LARGE)
    assert (plan.tokens, plan.streams, plan.turns) == (300, 4, 8)
    assert (plan.prompt_tokens, plan.prefix_tokens) == (4096, 2048)


def test_the_cost_is_what_the_parts_write_and_read() -> None:
    plan = bench_plan(Wishes((Part.SINGLE, Part.STREAMS, Part.READING)), LARGE)
    assert plan.written_tokens == 3 * 300 + 3 * 4 * 300 + 3
    assert plan.read_tokens == plan.most_read_tokens == 3 * 32 + 3 * 4 * 32 + 3 * 4096
    turns = bench_plan(Wishes((Part.AFFINITY,), turns=3), LARGE)
    assert turns.written_tokens == 3 * 32
    assert turns.read_tokens == 2048 + 3 * 32
    assert turns.most_read_tokens == (2048 + 32) + (2048 + 96) + (2048 + 160)


@pytest.mark.parametrize("window", [512, 1024, 2048, 131_072])
def test_nothing_that_is_left_open_is_too_large_for_a_slot(window: int) -> None:
    plan = bench_plan(Wishes(tokens=100), Room(1, window))
    assert plan.prompt_tokens + 1 < window
    assert plan.turns >= 2
    assert plan.prefix_tokens + plan.turns * 64 < window


@pytest.mark.parametrize(
    ("wishes", "room", "words"),
    [
        (Wishes(tokens=500), Room(1, 512), "use --tokens 472 or fewer"),
        (Wishes(tokens=5), Room(1, 32), "too small to measure"),
        (Wishes(prompt_tokens=9000), LARGE, "use --prompt-tokens 8183 or fewer"),
        (Wishes(turns=500), LARGE, "use --turns 2 to 125"),
        (Wishes(tokens=20), Room(1, 256), "leave affinity out with --only"),
        (Wishes(), Room(4, 1024, 1024), "use --tokens 222, or fewer --streams"),
    ],
)
def test_what_does_not_fit_is_refused_with_what_would(
    wishes: Wishes, room: Room, words: str
) -> None:
    with pytest.raises(NoRoomError, match=words):
        bench_plan(wishes, room)


def test_a_wish_that_is_not_run_is_not_judged() -> None:
    assert bench_plan(Wishes((Part.READING,), tokens=9000), LARGE).parts == (Part.READING,)


def test_one_request_alone_goes_where_it_displaces_least() -> None:
    busy = writing(0, 7, 500, 40)
    large = slot(1, is_processing=False, task_id=3, held_tokens=900)
    small = slot(2, is_processing=False, task_id=4, held_tokens=20)
    unused = slot(3, is_processing=False)
    assert quiet_slot(picture_of(busy, large, small)) == 2
    assert quiet_slot(picture_of(busy, large, small, unused)) == 3
    assert quiet_slot(picture_of(busy)) is None


def test_the_cost_names_whose_tokens_are_displaced() -> None:
    picture = picture_of(
        slot(0, is_processing=False, task_id=3, held_tokens=5571),
        slot(1, is_processing=False, task_id=4, held_tokens=None),
        slot(2, is_processing=False),
    )
    all_parts = text(cost_lines(bench_plan(Wishes(), LARGE), picture, 2))
    assert "slot 0 holds 5,571 · slot 1 holds – tokens" in all_parts
    assert "single and reading in slot 2; the rest" in all_parts
    alone = text(cost_lines(bench_plan(Wishes((Part.SINGLE,)), LARGE), picture, 2))
    assert "displaced" not in alone
    unseen = folded(round_at(1, sample(replies(1))))
    assert "not known" in text(cost_lines(bench_plan(Wishes(), LARGE), unseen, None))


def test_the_middle_and_the_ends_of_the_runs_are_told() -> None:
    found = spread([Rate(300, 3.0), Rate(300, 2.0), Rate(300, 30.0), Rate(1, 0.0)])
    assert found is not None
    assert (found.median, found.low, found.high) == (100.0, 10.0, 150.0)
    assert spread([Rate(1, 0.0)]) is None
