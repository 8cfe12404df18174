"""Replies of every build that people reported, through ``status --format json``.

Each case is named for the issue or pull request of ggml-org/llama.cpp where it is told.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.cases.reports import AWAKE, HEALTH, OFF, PROPS, WRITING, answering, facts, status_of
from tests.stub_server import reply, stub_server

IDLE: dict[str, object] = {"id": 0, "n_ctx": 8192, "speculative": False, "is_processing": False}


def seen(raw: dict[str, bytes]) -> dict[str, Any]:
    with stub_server(answering(raw)) as stub:
        (server,) = status_of(stub.url)
    return server


def with_slots(*slots: object, props: object = PROPS) -> dict[str, Any]:
    return seen({"/props": reply(props), "/slots": reply(list(slots))})


SLOTS: dict[str, tuple[dict[str, object], dict[str, object]]] = {
    "10162-old": (
        {"id": 0, "n_ctx": 8192, "state": 1, "params": {}},
        {"state": "unknown", "held_tokens": None, "written_tokens": None},
    ),
    "10162-new": (
        {"id": 0, "is_processing": True},
        {"state": "unknown", "window_tokens": None, "held_tokens": None},
    ),
    "10704-old": (
        {"id": 0, "n_ctx": 1024, "temperature": 0.8, "state": 0, "task_id": -1},
        {"state": "idle", "task": None, "window_tokens": 1024, "held_tokens": None},
    ),
    "10704-new": (
        {"id": 0, "id_task": -1, "n_ctx": 1024, "is_processing": False, "params": {"a": 1}},
        {"state": "idle", "task": None, "window_tokens": 1024, "held_tokens": None},
    ),
    "23712-list": (
        WRITING,
        {"state": "writing", "written_tokens": 10, "remaining_tokens": 90, "task": 41},
    ),
    "23712-object": (
        {**WRITING, "next_token": {"n_remain": 90, "n_decoded": 10}},
        {"state": "writing", "written_tokens": 10, "remaining_tokens": 90},
    ),
    "23712-empty": ({**WRITING, "next_token": []}, {"state": "unknown", "held_tokens": 999}),
    "23712-null": ({**WRITING, "next_token": None}, {"state": "unknown", "held_tokens": 999}),
    "23454-before": (
        {"id": 0, "n_ctx": 8192, "is_processing": True, "next_token": {"n_decoded": 7}},
        {"state": "writing", "held_tokens": None, "read_tokens": None, "reused_tokens": None},
    ),
    "26634-prefill": (
        {
            **WRITING,
            "n_prompt_tokens": 5120,
            "n_prompt_tokens_processed": 5120,
            "n_prompt_tokens_cache": 0,
            "next_token": [{"n_decoded": 0, "n_remain": -1}],
        },
        {"state": "reading", "held_tokens": 5120, "read_tokens": 5120, "remaining_tokens": None},
    ),
    "fresh-slot": (IDLE, {"state": "idle", "task": None, "written_tokens": None}),
    "released-slot": (
        {
            **WRITING,
            "is_processing": False,
            "n_prompt_tokens": 9000,
            "n_prompt_tokens_processed": 0,
            "n_prompt_tokens_cache": 0,
            "next_token": [{"n_decoded": 0, "n_remain": -1}],
        },
        {"state": "idle", "held_tokens": 9000, "task": None, "reused_tokens": None},
    ),
    "5550": (
        {
            "id": 0,
            "n_ctx": 512,
            "task_id": 3,
            "state": 1,
            "next_token": {"num_tokens_predicted": 7, "n_remain": 93},
        },
        {"state": "writing", "task": 3, "written_tokens": 7, "remaining_tokens": 93},
    ),
}


@pytest.mark.parametrize(("slot", "expected"), SLOTS.values(), ids=SLOTS)
def test_a_slot_of_any_build(slot: dict[str, object], expected: dict[str, object]) -> None:
    server = with_slots(slot)
    assert server["state"] == "ready"
    (shown,) = server["slots"]
    assert {name: shown[name] for name in expected} == expected


def test_a_busy_slot_is_busy_on_every_build() -> None:
    old, new, silent = {"id": 0, "state": 1}, {"id": 1, "is_processing": True}, {"id": 2}
    assert with_slots(old, new)["busy"] == 2
    assert with_slots(old, new, silent)["busy"] is None


def test_9056_slot_counts_in_health_are_never_read() -> None:
    health = reply({"status": "ok", "slots_idle": 3, "slots_processing": 1})
    server = seen({"/health": health, "/props": reply(PROPS)})
    assert server["busy"] is None
    assert server["slots"] == []
    assert server["waiting"]["count"] is None


def test_9776_slots_that_are_off_say_which_flag_turns_them_on() -> None:
    server = seen({"/health": reply(HEALTH), "/props": reply(PROPS), "/slots": reply(OFF, "501 N")})
    assert server["state"] == "ready"
    assert server["slot_window_tokens"] == 8192
    assert facts(server)["slots-hidden"]["cure"] == "--slots"


def test_15630_what_props_says_is_off_is_not_asked() -> None:
    props = {**AWAKE, "endpoint_metrics": False, "endpoint_props": False}
    with stub_server(answering({"/props": reply(props), "/slots": reply([WRITING])})) as stub:
        (server,) = status_of(stub.url)
    assert "/metrics" not in stub.targets
    assert facts(server)["metrics-off"]["cure"] == "--metrics"


def test_15630_what_props_does_not_say_is_tried_once_and_remembered() -> None:
    raw = {"/props": reply(PROPS), "/slots": reply([WRITING]), "/metrics": reply(OFF, "501 No")}
    with stub_server(answering(raw)) as stub:
        (server,) = status_of(stub.url)
    assert stub.targets.count("/metrics") == 1
    assert "metrics-off" in facts(server)


METRICS = {
    "22879-without-kv-cache": (b"llamacpp:requests_deferred 2\n", 2),
    "17384-quoted": (b'"# HELP llamacpp:x\\nllamacpp:requests_deferred 2\\n"', 2),
    "17384-cut": (b'"# HELP llamacpp:x\\nllamacpp:requests_def', None),
    "11915-nan": (b"llamacpp:n_busy_slots_per_decode -nan\nllamacpp:requests_deferred 2\n", 2),
    "11915-infinite": (b"llamacpp:requests_deferred -inf\n", None),
    "exponent": (
        b"llamacpp:tokens_predicted_total 1.23457e+06\nllamacpp:requests_deferred 2e0\n",
        2,
    ),
    "not-metrics": (b"<html>", None),
}


@pytest.mark.parametrize(("body", "waiting"), METRICS.values(), ids=METRICS)
def test_metrics_of_any_build(body: bytes, waiting: int | None) -> None:
    raw = {"/props": reply(AWAKE), "/slots": reply([WRITING]), "/metrics": reply(body)}
    server = seen(raw)
    assert server["state"] == "ready"
    assert server["busy"] == 1
    assert server["waiting"]["count"] == waiting
    assert server["waiting"]["exact"] is (waiting is not None)


def test_25128_a_speed_comes_from_slots_and_not_from_a_gauge() -> None:
    gauges = b"llamacpp:predicted_tokens_seconds 31.2\nllamacpp:requests_deferred 0\n"
    raw = {"/props": reply(AWAKE), "/slots": reply([WRITING]), "/metrics": reply(gauges)}
    (slot,) = seen(raw)["slots"]
    assert slot["tokens_per_s"] in (None, 0.0)


def test_18228_sleeping_is_a_state_of_its_own_and_its_absence_is_awake() -> None:
    asleep = {**AWAKE, "is_sleeping": True}
    with stub_server(answering({"/props": reply(asleep), "/slots": reply([IDLE])})) as stub:
        (server,) = status_of(stub.url)
    assert server["state"] == "asleep"
    assert server["slots"] == []
    assert server["busy"] is None
    assert set(stub.targets) == {"/props", "/v1/models"}
    assert with_slots(IDLE)["state"] == "ready"


def test_newer_props_are_read_for_what_is_needed_and_may_be_large() -> None:
    props = {
        "default_generation_settings": {"params": {}, "n_ctx": 16384},
        "total_slots": 4,
        "model_ftype": "Q4_K - Medium",
        "chat_template": "x" * 60_000,
        "media_marker": "<__media__>",
        "ui_settings": {"theme": ["dark"]},
        "cors_proxy_enabled": False,
    }
    server = with_slots(IDLE, props=props)
    assert server["slot_count"] == 4
    assert with_slots(props=props)["slot_window_tokens"] == 16384
