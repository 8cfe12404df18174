"""The desk remembers what was chosen for each server, and freezes only what is seen."""

from __future__ import annotations

from mecha_tui.app.desk import Desk
from mecha_tui.core.replies import Answer, Replies
from mecha_tui.core.sample import Round, ServerSample
from mecha_tui.core.slots import Slot


def one_round(at_s: float, *ids: int, urls: tuple[str, ...] = ("a", "b")) -> Round:
    slots = tuple(Slot(one, False, 100, 1, int(at_s)) for one in ids)
    replies = Replies(slots=Answer(at_s, slots, taken_s=at_s))
    return Round(at_s, at_s, tuple(ServerSample(url, replies=replies) for url in urls))


def test_before_the_first_round_there_is_nothing_to_choose() -> None:
    desk = Desk()
    desk.move(1)
    desk.choose(3)
    desk.next_server(1)
    assert desk.view.picture is None
    assert desk.chosen_slot is None


def test_each_server_keeps_its_own_choice() -> None:
    desk = Desk()
    desk.take(one_round(1.0, 0, 1, 2))
    desk.move(2)
    desk.next_server(1)
    assert (desk.view.picture and desk.view.picture.url, desk.chosen_slot) == ("b", 0)
    desk.next_server(1)
    assert (desk.view.picture and desk.view.picture.url, desk.chosen_slot) == ("a", 2)


def test_a_chosen_slot_that_is_gone_gives_way_to_the_first() -> None:
    desk = Desk()
    desk.take(one_round(1.0, 0, 1, 2))
    desk.choose(2)
    desk.take(one_round(2.0, 5, 6))
    assert desk.chosen_slot == 5
    desk.take(one_round(3.0, 1, 2))
    assert desk.chosen_slot == 2


def test_a_server_that_is_gone_gives_way_to_the_first() -> None:
    desk = Desk()
    desk.take(one_round(1.0, 0))
    desk.next_server(1)
    desk.take(one_round(2.0, 0, urls=("a",)))
    assert (desk.view.position, desk.view.count) == (1, 1)


def test_choosing_scrolls_no_further_than_needed() -> None:
    desk = Desk()
    desk.take(one_round(1.0, *range(20)))
    desk.choose(7, visible_rows=5)
    assert desk.view.first_row == 3
    desk.choose(4, visible_rows=5)
    assert desk.view.first_row == 3
    desk.choose(1, visible_rows=5)
    assert desk.view.first_row == 1


def test_a_pause_freezes_the_picture_and_the_count_goes_on() -> None:
    desk = Desk()
    desk.take(one_round(1.0, 0))
    desk.toggle_pause()
    desk.take(one_round(2.0, 0))
    assert desk.view.picture is not None
    assert desk.view.picture.held_tokens == 1
    assert desk.view.paused_wall_s == 1.0
    desk.toggle_pause()
    assert desk.view.picture.held_tokens == 2
    assert desk.view.paused_wall_s is None
