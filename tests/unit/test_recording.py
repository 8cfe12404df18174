"""A recorded round comes back as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from mecha_tui.collect.recording import read_rounds, write_rounds
from mecha_tui.core.replies import Answer, Failure, Replies
from mecha_tui.core.sample import Round, ServerSample
from mecha_tui.core.server import Counters, Model
from tests.app import scenes

REPLIES = Replies(
    health=Answer(1.0, True, taken_s=1.1),
    props=Answer(1.0, scenes.busy().props, taken_s=1.1),
    slots=Answer(1.0, tuple(one.slot for one in scenes.four_slots()), taken_s=1.1),
    metrics=Answer(1.0, Counters(deferred_requests=2, prompt_tokens=1.5), taken_s=1.2),
    models=Answer(1.0, (Model("a", arguments=("-c", "1")),), taken_s=1.2),
)
ROUNDS = [
    Round(
        1.0,
        2.0,
        (
            ServerSample(
                "http://127.0.0.1:8080",
                replies=REPLIES,
                process=scenes.busy().process,
                clients=(scenes.client(),),
                memory=scenes.unified_memory(),
            ),
        ),
    ),
    Round(
        2.0,
        3.0,
        (
            ServerSample(
                "b", "model", Replies(slots=Answer(2.0, None, Failure.PENDING, "no answer yet"))
            ),
        ),
    ),
]


def test_rounds_come_back_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl.gz"
    write_rounds(path, ROUNDS)
    assert read_rounds(path) == ROUNDS


def test_the_same_rounds_make_the_same_file(tmp_path: Path) -> None:
    write_rounds(tmp_path / "one", ROUNDS)
    write_rounds(tmp_path / "two", ROUNDS)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_another_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other"
    path.write_bytes(b"hello")
    with pytest.raises(OSError, match="gzip"):
        read_rounds(path)
