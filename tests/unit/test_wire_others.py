"""The other endpoints' replies: what is said is read, and a bad field costs itself."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mecha_tui.collect.wire.failures import failure_in
from mecha_tui.collect.wire.health import parse_health
from mecha_tui.collect.wire.metrics import parse_metrics
from mecha_tui.collect.wire.models import parse_models
from mecha_tui.collect.wire.props import parse_props
from mecha_tui.collect.wire.slots import parse_slots
from mecha_tui.core.replies import Failure
from mecha_tui.core.server import Counters, Model, Props, Role

PARSERS = (parse_health, parse_metrics, parse_models, parse_props, parse_slots)


def body(payload: object) -> bytes:
    return json.dumps(payload).encode()


PROPS_NOW = {
    "default_generation_settings": {"params": {"temperature": 0.8, "top_k": 40}, "n_ctx": 8192},
    "total_slots": 4,
    "model_alias": "qwen[/b]\x1b[31m",
    "model_path": "/models/q.gguf",
    "model_ftype": "Q4_K - Medium",
    "modalities": {"vision": True, "audio": False},
    "endpoint_slots": True,
    "endpoint_metrics": False,
    "chat_template": "{% if enable_thinking %}" + "x" * 50_000,
    "build_info": "b1-7e4c0a9",
    "is_sleeping": False,
}


def test_props_of_today_are_read_whole() -> None:
    assert parse_props(body(PROPS_NOW)) == Props(
        role=Role.MODEL,
        model_alias="qwen[/b]",
        model_path="/models/q.gguf",
        quantization="Q4_K - Medium",
        build="b1-7e4c0a9",
        slot_count=4,
        slot_window_tokens=8192,
        is_sleeping=False,
        has_slots_endpoint=True,
        has_metrics_endpoint=False,
        sees_images=True,
        hears_audio=False,
        default_parameters={"temperature": 0.8, "top_k": 40},
        thinks=True,
    )


def test_props_of_an_old_build_leave_unknown_what_they_do_not_say() -> None:
    old = {"default_generation_settings": {"n_ctx": 1024, "temperature": 0.8}, "total_slots": 1}
    props = parse_props(body(old))
    assert props == Props(
        slot_count=1, slot_window_tokens=1024, default_parameters={"temperature": 0.8}
    )
    assert props.is_sleeping is None


@pytest.mark.parametrize("label", ["b0-unknown", "unknown", "b0", "b0-"])
def test_a_build_that_the_server_does_not_know_is_unknown(label: str) -> None:
    parsed = parse_props(body({**PROPS_NOW, "build_info": label}))
    assert parsed is not None
    assert parsed.build is None


def test_a_routers_props_are_a_placeholder_and_not_a_server_of_zero_tokens() -> None:
    placeholder = {
        "role": "router",
        "max_instances": 4,
        "model_path": "none",
        "default_generation_settings": {"params": None, "n_ctx": 0},
    }
    assert parse_props(body(placeholder)) == Props(role=Role.ROUTER)


@pytest.mark.parametrize(
    ("template", "thinks"),
    [
        ("{{ enable_thinking }}", True),
        ("<think>", True),
        ("[THINK]", True),
        ("{{ message.content }}", False),
        ("{{ thoughts }}", None),
        ("", None),
        (None, None),
        (7, None),
    ],
)
def test_thinking_is_told_by_the_template_only_where_it_leaves_no_doubt(
    template: object, thinks: bool | None
) -> None:
    props = parse_props(body({"total_slots": 1, "chat_template": template}))
    assert props is not None
    assert props.thinks is thinks


METRICS = """# HELP llamacpp:prompt_tokens_total Number of prompt tokens processed
# TYPE llamacpp:prompt_tokens_total counter
llamacpp:prompt_tokens_total 1.23457e+06
llamacpp:prompt_seconds_total 1.5
llamacpp:tokens_predicted_total 19
llamacpp:tokens_predicted_seconds_total -nan
# TYPE llamacpp:n_tokens_max counter
llamacpp:n_tokens_max 6144
llamacpp:n_busy_slots_per_decode nan
llamacpp:requests_processing 4
llamacpp:requests_deferred 3
"""
COUNTERS = Counters(
    prompt_tokens=1_234_570.0,
    prompt_seconds=1.5,
    written_tokens=19.0,
    processing_requests=4,
    deferred_requests=3,
)


def test_counters_are_read_and_one_that_is_no_number_is_unknown() -> None:
    assert parse_metrics(METRICS.encode()) == COUNTERS


def test_a_build_that_sends_the_text_as_one_json_string_is_understood() -> None:
    assert parse_metrics(json.dumps(METRICS).encode()) == COUNTERS


def test_labelled_samples_are_added_up() -> None:
    labelled = (
        'llamacpp:requests_deferred{model="a b"} 2\nllamacpp:requests_deferred{model="c"} 3 99\n'
    )
    counters = parse_metrics(labelled.encode())
    assert counters is not None
    assert counters.deferred_requests == 5


@pytest.mark.parametrize("value", ["nan", "-nan", "inf", "-Inf", "-1", "2.5", "x", "", "1e300"])
def test_a_queue_that_is_no_count_is_unknown_and_not_zero(value: str) -> None:
    text = f"llamacpp:requests_deferred {value}\nllamacpp:requests_processing 1\n"
    counters = parse_metrics(text.encode())
    assert counters == Counters(processing_requests=1)


def test_a_sum_with_one_unknown_part_is_unknown() -> None:
    text = 'llamacpp:requests_deferred{m="a"} nan\nllamacpp:requests_deferred{m="b"} 3\n'
    assert parse_metrics(text.encode()) == Counters()


@pytest.mark.parametrize("text", ["", "<html>", '"', '"quoted', "go_goroutines 7\n", "{}"])
def test_another_shape_is_nobodys_metrics(text: str) -> None:
    assert parse_metrics(text.encode()) is None


def test_a_servers_model_is_read_with_its_training_window_and_its_abilities() -> None:
    payload = {
        "models": [{"model": "m", "name": "m", "capabilities": ["completion"]}],
        "data": [{"id": "m", "meta": {"n_ctx": 8192, "n_ctx_train": 131072}}],
    }
    assert parse_models(body(payload)) == (
        Model("m", None, None, 8192, 131072, capabilities=("completion",)),
    )


def test_a_routers_models_are_read_with_their_state_and_without_their_keys() -> None:
    arguments = ["llama-server", "-c", "8192", "--api-key", "s3cret", "--hf-token=s3cret2"]
    payload = {
        "data": [
            {"id": "a", "status": {"value": "loaded", "args": arguments}},
            {"id": "b", "status": {"value": "unloaded", "failed": True, "exit_code": -9}},
            {"id": "c", "status": {"value": "dreaming", "exit_code": 3}},
            {"id": "d", "status": "loaded"},
            {"id": 5},
            "x",
        ]
    }
    models = parse_models(body(payload))
    assert models == (
        Model("a", "loaded", ("llama-server", "-c", "8192", "--api-key", "***", "--hf-token=***")),
        Model("b", "unloaded", exit_code=-9),
        Model("c", "dreaming"),
        Model("d"),
    )
    assert "s3cret" not in repr(models)


def test_health_tells_life_and_never_counts_slots() -> None:
    assert parse_health(b'{"status":"ok"}') is True
    assert parse_health(b'{"status":"ok","slots_idle":3,"slots_processing":1}') is True
    assert parse_health(b"OK") is None
    assert parse_health(b'{"status":"error"}') is None


def error(kind: str, code: int, message: str = "m") -> bytes:
    return body({"error": {"code": code, "type": kind, "message": message}})


@pytest.mark.parametrize(
    ("status", "content", "failure"),
    [
        (503, error("unavailable_error", 503, "Loading model"), Failure.LOADING),
        (503, b'{"status":"loading model"}', Failure.LOADING),
        (503, b"<html>no backend</html>", Failure.FAULT),
        (401, error("authentication_error", 401), Failure.LOCKED),
        (401, b"", Failure.LOCKED),
        (403, b"<html>", Failure.LOCKED),
        (501, error("not_supported_error", 501), Failure.OFF),
        (404, error("not_found_error", 404), Failure.MISSING),
        (404, b"<html>", Failure.MISSING),
        (400, error("invalid_request_error", 400, "model is not loaded"), Failure.NOT_LOADED),
        (
            400,
            error("invalid_request_error", 400, "model name is missing from the request"),
            Failure.NOT_LOADED,
        ),
        (400, error("invalid_request_error", 400, "bad"), Failure.FAULT),
        (500, b"", Failure.FAULT),
        (302, b"", Failure.FOREIGN),
        (200, error("unavailable_error", 503, "Loading model"), Failure.LOADING),
        (200, error("exceed_context_size_error", 500), Failure.FAULT),
    ],
)
def test_an_error_is_told_by_its_type_before_its_code(
    status: int, content: bytes, failure: Failure
) -> None:
    told = failure_in(status, content, "/slots")
    assert told is not None
    assert told[0] is failure
    assert told[1]


def test_a_good_reply_is_no_failure_and_a_hostile_message_is_made_safe() -> None:
    assert failure_in(200, b'{"a": 1}', "/props") is None
    assert failure_in(200, b"[]", "/slots") is None
    told = failure_in(500, error("x", 500, "a\x1b[31mb\nc"), "/slots")
    assert told == (Failure.FAULT, "HTTP 500: ab c")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["id", "n_ctx", "next_token", "data", "slots", "status", "params", "x"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=30,
)


@pytest.mark.parametrize("parse", PARSERS)
@given(payload=JSON)
def test_no_json_at_all_makes_a_parser_raise(
    parse: Callable[[bytes], object], payload: object
) -> None:
    content = json.dumps(payload).encode()
    for wrapped in (content, b'{"data": [' + content + b"]}", b"[" + content + b"]"):
        parse(wrapped)
        failure_in(500, wrapped, "/x")


@pytest.mark.parametrize("parse", PARSERS)
@given(content=st.binary(max_size=60))
def test_no_bytes_at_all_make_a_parser_raise(
    parse: Callable[[bytes], object], content: bytes
) -> None:
    for wrapped in (content, b"llamacpp:requests_deferred " + content):
        parse(wrapped)
        failure_in(200, wrapped, "/x")


def test_a_line_with_too_many_values_is_no_value_and_the_others_still_count() -> None:
    for odd in ("3 4 5", "3 4", "", "3,4", "\\n3"):
        text = f"llamacpp:requests_deferred {odd}\nllamacpp:requests_processing 2\n"
        assert parse_metrics(text.encode()) == Counters(processing_requests=2)
