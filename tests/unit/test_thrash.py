"""Conversations that are read again and again are suspected, with a cause that holds."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from mecha_tui.core.command_line import launch_flags
from mecha_tui.core.events import EventKind
from mecha_tui.core.kv import KvLayer, ModelShape
from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.reading import known
from mecha_tui.core.slots import Slot
from mecha_tui.core.thrash_causes import Cause
from mecha_tui.core.watch import Pictures, next_pictures
from mecha_tui.present.report import status_json, status_text
from tests.rounds import PROPS, replies, round_at, sample

WINDOW = 32_768


class Server:
    """One server whose slots take turns; three looks a turn: reading, writing, idle."""

    def __init__(self, *flags: str, slots: int = 1, shape: ModelShape | None = None) -> None:
        launch = launch_flags(["llama-server", *flags], {})
        self.launch = launch if shape is None else replace(launch, model=known(shape, "file"))
        self.props = replace(PROPS, slot_count=slots, slot_window_tokens=WINDOW)
        self.pictures: Pictures = {}
        self.now_s = 10.0
        self.task = 0
        self.slots = {number: Slot(number, False, WINDOW) for number in range(slots)}
        self.look()

    def look(self) -> ServerPicture:
        self.now_s += 1
        answered = replies(self.now_s, tuple(self.slots.values()), props=self.props)
        seen = sample(answered, launch=self.launch)
        self.pictures = next_pictures(self.pictures, round_at(self.now_s, seen))
        (picture,) = self.pictures.values()
        return picture

    def turn(self, prompt: int, reused: int, slot: int = 0) -> ServerPicture:
        self.task += 10
        read = prompt - reused
        busy = Slot(slot, True, WINDOW, self.task, prompt, 0, reused, 0, 100)
        self.slots[slot] = busy
        self.look()
        self.slots[slot] = replace(busy, read_tokens=read, written_tokens=5, held_tokens=prompt + 4)
        self.look()
        self.slots[slot] = Slot(slot, False, WINDOW, self.task, prompt + 99, 0, 0, 0)
        return self.look()


def alternating(server: Server, turns: int = 5) -> ServerPicture:
    for turn in range(turns):
        picture = server.turn((4000, 5000)[turn % 2] + 150 * (turn // 2), 2)
    return picture


def test_two_conversations_in_one_slot_are_told_by_the_third_that_is_read_again() -> None:
    server = Server("-cram", "0", "-c", str(WINDOW), "-np", "1")
    assert alternating(server, 4).thrash is None
    picture = server.turn(4300, 2)
    assert picture.thrash is not None
    assert picture.thrash.cause is Cause.ONE_SLOT
    assert [one.reread.tokens if one.reread else None for one in picture.tasks.ended] == [
        4247,
        5097,
        4097,
        None,
        None,
    ]
    assert picture.tasks.totals.last_hour(picture.now_s).tokens == 4247 + 5097 + 4097
    assert picture.tasks.totals.last_hour(picture.now_s + 3700).tokens == 0
    assert picture.slots[0].reread_tokens == 4247
    assert [cure.line for cure in picture.thrash.finding.cures] == ["-np 2 -c 65536", "-cram 8192"]
    assert "-cram is 0" in picture.thrash.finding.message
    (told,) = [one for one in picture.events if one.subject == "thrash-suspected"]
    assert told.kind is EventKind.FINDING
    picture = server.turn(5300, 2)
    assert picture.events[0].kind is EventKind.REREAD
    assert picture.events[0].subject == "slot 0 read 5,247 tokens again"


def test_the_report_tells_it_too() -> None:
    server = Server("-cram", "0")
    picture = alternating(server)
    (told,) = json.loads(json.dumps(status_json([picture])))["servers"]
    assert told["thrash"]["cause"] == "one-slot"
    assert told["tasks"]["read_again_tokens"] == 13_441
    assert "thrash suspected: 3 turns of 2 conversations" in status_text([picture])


def test_it_is_over_with_a_new_conversation_or_with_time() -> None:
    server = Server("-cram", "0")
    alternating(server)
    picture = server.turn(1500, 2)
    assert picture.thrash is None
    assert picture.events[0].kind is EventKind.CURED


def test_a_cache_that_holds_them_all_acquits() -> None:
    shape = ModelShape((KvLayer(64, 64),) * 2, 2)
    for cache, is_told in (("8192", False), ("-1", False), ("0", True), ("1", True)):
        server = Server("-cram", cache, "-ub", "512", shape=shape)
        assert (alternating(server).thrash is not None) is is_told


@pytest.mark.parametrize("is_full", [False, True])
def test_a_model_with_a_sliding_window_is_named_unless_it_keeps_all(is_full: bool) -> None:
    shape = ModelShape((KvLayer(64, 64, 1024), KvLayer(64, 64)), 2)
    server = Server(*(["--swa-full"] if is_full else []), shape=shape)
    for turn in range(4):
        picture = server.turn(4000 + turn * 150, 0)
    if is_full:
        assert picture.thrash is None
        return
    assert picture.thrash is not None
    assert picture.thrash.cause is Cause.MODEL_MEMORY
    assert [cure.line for cure in picture.thrash.finding.cures] == ["--swa-full", "-ctxcp 128"]


def test_a_state_is_a_memory_that_does_not_reach_back() -> None:
    server = Server(shape=ModelShape((KvLayer(64, 64),), 4))
    for turn in range(4):
        picture = server.turn(4000 + turn * 150, 0)
    assert picture.thrash is not None
    assert picture.thrash.cause is Cause.MODEL_MEMORY


def test_five_agents_on_four_slots_are_more_talkers_than_slots() -> None:
    server = Server("-cram", "0", "-np", "4", slots=4)
    turn = 0
    for number in range(3):
        for agent in range(5):
            picture = server.turn(
                (11_000, 4000, 3900, 3800, 3700)[agent] + 150 * number, 2, turn % 4
            )
            turn += 1
    assert picture.thrash is not None
    assert picture.thrash.cause is Cause.MORE_TALKERS
    assert picture.thrash.finding.cures[0].line.startswith("-np 5")


def test_a_slot_for_each_conversation_is_no_thrash() -> None:
    server = Server("-cram", "0", slots=2)
    held = {0: 0, 1: 0}
    for turn in range(12):
        slot = turn % 2
        prompt = held[slot] + 1500
        picture = server.turn(prompt, held[slot], slot)
        held[slot] = prompt + 99
        assert picture.thrash is None
    assert picture.tasks.totals.rereads.tokens == 0


def test_an_answer_cut_at_the_wall_is_an_event_and_marks_its_slot() -> None:
    server = Server("-c", str(WINDOW))
    picture = server.turn(WINDOW - 100, 0)
    (cut,) = [one for one in picture.events if one.kind is EventKind.CUT]
    assert cut.subject == "slot 0 cut at the wall at 32,768"
    assert picture.slots[0].was_cut
