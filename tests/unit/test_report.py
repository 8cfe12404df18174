"""The report keeps its contract with scripts: names, kinds, and null for unknown."""

from __future__ import annotations

import json

from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.replies import Failure
from mecha_tui.present.check import check_lines
from mecha_tui.present.report import (
    SCHEMA,
    is_answering,
    memory_json,
    server_json,
    slot_json,
    status_json,
    status_text,
)
from tests.app import scenes
from tests.rounds import failed, folded, reading, replies, round_at, sample, slot, writing


def busy_picture() -> ServerPicture:
    first = (writing(0, 4711, 5571, 50), reading(1, 4713, 2212, 1000), slot(2), slot(3))
    later = (writing(0, 4711, 5591, 70), reading(1, 4713, 2724, 1512), slot(2), slot(3))
    return folded(
        round_at(0.0, sample(replies(0.0, first, deferred=2))),
        round_at(2.0, sample(replies(2.0, later, deferred=2))),
    )


def test_the_json_has_every_field_of_the_contract() -> None:
    picture = busy_picture()
    report = json.loads(json.dumps(status_json([picture])))
    assert report["schema"] == SCHEMA
    (server,) = report["servers"]
    assert set(server) == {
        "url",
        "state",
        "reason",
        "age_s",
        "model",
        "build",
        "role",
        "slot_count",
        "slot_window_tokens",
        "kv_mode",
        "pool_tokens",
        "busy",
        "waiting",
        "may_keep_awake",
        "slots",
        "numbers",
        "speed",
        "agreement",
        "clients",
        "findings",
        "tasks",
        "thrash",
        "memory",
    }
    assert server["state"] == "ready"
    assert server["reason"] is None
    assert server["age_s"] == 0.0
    assert server["model"] == "qwen3.6-35b-a3b"
    assert server["role"] == "model"
    assert server["slot_count"] == 4
    assert server["slot_window_tokens"] == 8192
    assert server["busy"] == 2
    assert server["waiting"] == {"count": 2, "exact": True, "source": "metrics"}
    assert server["slots"][0] == {
        "id": 0,
        "state": "writing",
        "task": 4711,
        "held_tokens": 5591,
        "window_tokens": 8192,
        "reused_tokens": 5591 - 70 - 98,
        "read_tokens": 98,
        "written_tokens": 70,
        "remaining_tokens": None,
        "tokens_per_s": 10.0,
    }
    assert server["slots"][1]["tokens_per_s"] == 256.0
    assert server["slots"][2]["held_tokens"] is None
    assert server["numbers"]["context_window"]["value"] is None
    assert server["numbers"]["slot_window_tokens"] == {
        "value": 8192,
        "source": "slots",
        "reason": None,
    }


def test_an_idle_slots_leftovers_are_not_reported_as_work() -> None:
    leftover = slot(0, task_id=41, held_tokens=9000, written_tokens=0, read_tokens=0)
    picture = folded(round_at(0.0, sample(replies(0.0, (leftover,)))))
    reported = slot_json(picture.slots[0])
    assert reported["state"] == "idle"
    assert reported["held_tokens"] == 9000
    for name in ("task", "reused_tokens", "read_tokens", "written_tokens", "tokens_per_s"):
        assert reported[name] is None, name


def test_a_server_that_is_down_is_reported_with_its_reason_and_nothing_else() -> None:
    picture = folded(round_at(0.0, sample(failed(0.0, Failure.REFUSED, "nothing listens there"))))
    assert not is_answering(picture)
    server = server_json(picture)
    assert server["state"] == "down"
    assert server["reason"] == "nothing listens there"
    for name in ("age_s", "model", "build", "slot_count", "slot_window_tokens", "busy"):
        assert server[name] is None, name
    assert server["slots"] == []
    memory = memory_json(picture.memory)
    assert memory["pool_total_bytes"] is None
    assert memory["why"]


def test_the_text_names_state_slots_and_queue() -> None:
    text = status_text([busy_picture()])
    first, second, *_ = text.splitlines()
    assert first.startswith("http://127.0.0.1:8080  qwen3.6-35b-a3b  ready  2/4 busy  2 waiting")
    assert second == "  slot 0  writing  5,591/8,192 tokens held  10.0 tok/s  task 4711"
    assert "slot 2  idle     –/8,192 tokens held" in text


def test_the_text_says_why_the_numbers_cannot_be_judged() -> None:
    picture = busy_picture()
    first, *others = picture.agreement.open_questions
    assert first.code == "client-unknown"
    line = f"  unknown  client-unknown: {first.message} And {len(others)} more: mecha-tui check"
    assert line in status_text([picture])


def test_the_text_tells_a_shared_pool_once() -> None:
    picture = scenes.shared_pool()
    text = status_text([picture])
    assert text.count("all slots share") == 1
    assert f"  all slots share  {picture.held_tokens:,}/32,768 tokens held\n" in text
    assert "all slots share" not in status_text([scenes.busy()])


def test_a_router_is_called_a_router() -> None:
    count = len(scenes.router().models)
    lines = check_lines([scenes.router()])
    checked = "\n".join("".join(piece.text for piece in line) for line in lines)
    assert f"  router of {count} models  ready" in status_text([scenes.router()])
    assert f"  router of {count} models  ready" in checked
