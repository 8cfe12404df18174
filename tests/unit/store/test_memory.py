"""What is usual reaches the screen without ever holding it up."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

from mecha_tui.core.usual import (
    Direction,
    Load,
    Measurement,
    Setup,
    Usual,
    Usuals,
)
from mecha_tui.store.database import Database
from mecha_tui.store.memory import FRESH_S, BackgroundSpeeds
from mecha_tui.store.speeds import StoredSpeeds
from tests.servers import wait_until

SETUP = Setup("m.gguf", window_tokens=8192, slot_count=2)
ONE = Measurement(Direction.WRITING, SETUP, Load(1, 0), 50.0, 500, 10.0, 5.0, "watching")


class HangingStore:
    """A store whose disk answers when the test says so."""

    trouble: str | None = None

    def __init__(self) -> None:
        self.answers = threading.Event()
        self.reads = self.kept = 0

    def record(self, measurements: Sequence[Measurement]) -> None:
        self.answers.wait()
        self.kept += len(measurements)

    def usual(self, direction: Direction, setup: Setup, load: Load) -> Usual | None:
        return self.usuals(setup).get((direction, load))

    def usuals(self, setup: Setup) -> Usuals:
        self.answers.wait()
        self.reads += setup == SETUP
        return {(Direction.WRITING, Load(1, 0)): Usual(50.0, 1.0, 9, 900, 1)}


def test_a_disk_that_hangs_holds_nothing_up() -> None:
    store = HangingStore()
    speeds = BackgroundSpeeds(store)
    assert speeds.recall(SETUP) == {}
    speeds.learn([ONE])
    assert speeds.recall(SETUP) == {}
    store.answers.set()
    wait_until(lambda: speeds.recall(SETUP), "the usual speeds")
    wait_until(lambda: store.kept == 1, "the measurement")


def test_the_store_is_asked_once_a_minute_and_not_every_round() -> None:
    store, now_s = HangingStore(), [0.0]
    store.answers.set()
    speeds = BackgroundSpeeds(store, lambda: now_s[0])
    speeds.recall(SETUP)
    wait_until(lambda: speeds.recall(SETUP), "the usual speeds")
    for _ in range(100):
        now_s[0] += FRESH_S / 200
        speeds.recall(SETUP)
    assert store.reads == 1
    now_s[0] += FRESH_S
    speeds.recall(SETUP)
    wait_until(lambda: store.reads == 2, "the second reading")


def test_what_was_learned_is_kept_at_the_end(tmp_path: Path) -> None:
    speeds = BackgroundSpeeds(StoredSpeeds(Database(tmp_path)))
    speeds.learn([ONE])
    speeds.close()
    assert StoredSpeeds(Database(tmp_path)).usuals(SETUP)
    assert speeds.trouble is None


def test_one_that_was_never_used_opens_no_file(tmp_path: Path) -> None:
    speeds = BackgroundSpeeds(StoredSpeeds(Database(tmp_path)))
    speeds.learn([])
    speeds.close()
    assert list(tmp_path.iterdir()) == []
