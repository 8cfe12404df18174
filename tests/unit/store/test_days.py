"""Replays synthetic days through the watch and the store: fast, slow, mended, changed."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from mecha_tui.core.events import EventKind
from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.server import Props
from mecha_tui.core.usual import DAY_S
from mecha_tui.core.watch import Pictures, next_pictures
from mecha_tui.store.database import Database
from mecha_tui.store.speeds import StoredSpeeds
from tests.rounds import replies, round_at, sample, slot, writing

PROPS = Props(
    model_path="/m.gguf", slot_count=2, slot_window_tokens=8192, is_sleeping=False, build="b1"
)


@dataclass
class Days:
    """A server that works for some minutes of each day, seen by a new run of mecha-tui."""

    store: StoredSpeeds
    noise: random.Random
    props: Props = PROPS

    def day(self, number: int, tokens_per_s: float, *, minutes: float = 5.0) -> ServerPicture:
        """Return the last picture of a day of short answers at one speed, one or two at once."""
        pictures: Pictures = {}
        at_s, task = float(number * DAY_S), 1
        end_s = at_s + minutes * 60
        while at_s < end_s:
            task += 2
            busy = self.noise.choice((1, 2))
            together = tokens_per_s * (1.0 if busy == 1 else 1.6)
            written = [0.0, 0.0]
            for _ in range(self.noise.randrange(4, 25)):
                at_s += 1.0
                for one in range(busy):
                    written[one] += together / busy * self.noise.gauss(1.0, 0.03)
                slots = tuple(
                    writing(one, task + one, 300 + int(written[one]), 1 + int(written[one]))
                    if one < busy
                    else slot(one)
                    for one in range(2)
                )
                taken = round_at(at_s, sample(replies(at_s, slots, props=self.props)))
                pictures = next_pictures(pictures, taken, self.store.usuals)
                (picture,) = pictures.values()
                self.store.record(picture.paces.learned)
        return picture


def days(tmp_path: Path) -> Days:
    return Days(StoredSpeeds(Database(tmp_path)), random.Random(7))


def codes(picture: ServerPicture) -> list[str]:
    told = [event for event in picture.events if event.kind is EventKind.FINDING]
    return [event.subject for event in told if event.subject.startswith("slow-")]


def test_days_of_the_same_speed_under_varied_load_raise_nothing(tmp_path: Path) -> None:
    watched = days(tmp_path)
    assert [codes(watched.day(number, 78.0)) for number in range(5)] == [[]] * 5


def test_a_slow_day_is_found_and_the_next_good_one_is_not(tmp_path: Path) -> None:
    watched = days(tmp_path)
    for number in range(3):
        watched.day(number, 78.0)
    slow = watched.day(3, 62.0)
    assert codes(slow) == ["slow-writing"]
    assert "usual here" in slow.paces.findings[0].message
    assert codes(watched.day(4, 78.0)) == []


def test_it_is_found_again_on_every_slow_day_of_a_week(tmp_path: Path) -> None:
    watched = days(tmp_path)
    for number in range(3):
        watched.day(number, 78.0)
    assert [codes(watched.day(3 + number, 62.0)) for number in range(7)] == [["slow-writing"]] * 7


def test_another_build_or_model_is_another_server(tmp_path: Path) -> None:
    watched = days(tmp_path)
    for number in range(3):
        watched.day(number, 78.0)
    watched.props = Props(
        model_path="/m.gguf", slot_count=2, slot_window_tokens=8192, is_sleeping=False, build="b2"
    )
    assert codes(watched.day(3, 40.0)) == []


def test_a_first_day_has_nothing_to_be_measured_against(tmp_path: Path) -> None:
    assert codes(days(tmp_path).day(0, 5.0)) == []
