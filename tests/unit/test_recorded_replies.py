"""Replies recorded from real builds are read as what they were when they were recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from mecha_tui.collect.wire.failures import failure_in
from mecha_tui.collect.wire.health import parse_health
from mecha_tui.collect.wire.metrics import parse_metrics
from mecha_tui.collect.wire.models import parse_models
from mecha_tui.collect.wire.props import parse_props
from mecha_tui.collect.wire.slots import parse_slots
from mecha_tui.core.replies import Failure
from mecha_tui.core.server import Role
from mecha_tui.core.slots import Phase, Slot

DATA = Path(__file__).parent.parent / "data"
BUILDS = sorted(folder.name for folder in DATA.iterdir() if (folder / "props.json").exists())
ROUTER_BUILDS = [build for build in BUILDS if (DATA / build / "router-props.json").exists()]


def body(build: str, name: str) -> bytes:
    return (DATA / build / name).read_bytes()


def slots(build: str, name: str) -> tuple[Slot, ...]:
    parsed = parse_slots(body(build, f"slots-{name}.json"))
    assert parsed is not None
    return parsed


def test_both_builds_were_recorded() -> None:
    assert BUILDS == ["b10434", "b11549"]
    assert ROUTER_BUILDS == ["b10434"]


@pytest.mark.parametrize("build", BUILDS)
def test_props(build: str) -> None:
    props = parse_props(body(build, "props.json"))
    assert props is not None
    assert (props.slot_count, props.slot_window_tokens) == (4, 8192)
    assert (props.model_alias, props.model_path) == ("demo", "/models/slow.gguf")
    assert (props.role, props.is_sleeping, props.thinks) == (Role.MODEL, False, False)
    assert (props.has_slots_endpoint, props.has_metrics_endpoint) == (True, True)
    assert (props.sees_images, props.hears_audio) == (False, False)
    assert props.default_parameters["top_k"] == 40
    # The newer one was compiled where nothing told its number: it says "b0-unknown".
    assert props.build == {"b10434": "b1-7e4c0a9", "b11549": None}[build]


@pytest.mark.parametrize("build", BUILDS)
def test_slots_that_never_ran(build: str) -> None:
    assert slots(build, "unused") == tuple(
        Slot(number, False, 8192, is_speculative=False) for number in range(4)
    )


@pytest.mark.parametrize("build", BUILDS)
def test_a_slot_while_reading(build: str) -> None:
    slot = slots(build, "reading")[1]
    assert slot.phase is Phase.READING
    assert slot.held_tokens is not None
    assert slot.read_tokens is not None
    assert 0 < slot.read_tokens <= slot.held_tokens
    assert (slot.written_tokens, slot.remaining_tokens, slot.is_unlimited) == (0, 60, False)


@pytest.mark.parametrize("build", BUILDS)
def test_a_slot_while_writing_and_after_its_release(build: str) -> None:
    busy, idle = slots(build, "writing")[1], slots(build, "released")[1]
    assert busy.phase is Phase.WRITING
    assert busy.held_tokens is not None
    assert busy.written_tokens is not None
    assert busy.remaining_tokens == 60 - busy.written_tokens
    assert busy.parameters["n_predict"] == 60
    assert (idle.phase, idle.task_id) == (Phase.IDLE, busy.task_id)
    assert idle.held_tokens is not None
    assert idle.held_tokens > busy.held_tokens
    assert (idle.written_tokens, idle.read_tokens, idle.reused_tokens) == (0, 0, 0)
    assert not idle.is_unused


@pytest.mark.parametrize("build", BUILDS)
def test_metrics_with_three_waiting(build: str) -> None:
    counters = parse_metrics(body(build, "metrics.txt"))
    assert counters is not None
    assert (counters.processing_requests, counters.deferred_requests) == (4, 3)
    assert counters.prompt_tokens
    assert counters.written_tokens == 60
    assert counters.prompt_cached_tokens is not None


@pytest.mark.parametrize("build", BUILDS)
def test_models(build: str) -> None:
    models = parse_models(body(build, "models.json"))
    assert models is not None
    assert [model.model_id for model in models] == ["demo"]
    assert models[0].training_window_tokens == 131072
    assert models[0].capabilities == ("completion",)
    assert models[0].status is None


@pytest.mark.parametrize("build", BUILDS)
def test_health(build: str) -> None:
    assert parse_health(body(build, "health.json")) is True


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize(
    ("name", "status", "failure"),
    [
        ("slots-off", 501, Failure.OFF),
        ("metrics-off", 501, Failure.OFF),
        ("not-found", 404, Failure.MISSING),
        ("locked", 401, Failure.LOCKED),
        ("loading", 503, Failure.LOADING),
    ],
)
def test_errors(build: str, name: str, status: int, failure: Failure) -> None:
    content = body(build, f"{name}.json")
    for told in (failure_in(status, content, "/x"), failure_in(200, content, "/x")):
        assert told is not None
        assert told[0] is failure


@pytest.mark.parametrize("build", ROUTER_BUILDS)
def test_a_router(build: str) -> None:
    props = parse_props(body(build, "router-props.json"))
    assert props is not None
    assert (props.role, props.slot_count, props.slot_window_tokens) == (Role.ROUTER, None, None)
    models = parse_models(body(build, "router-models.json"))
    assert models is not None
    assert [(model.model_id, model.status) for model in models] == [
        ("alpha", "loaded"),
        ("beta", "unloaded"),
    ]
    assert models[0].arguments is not None
    assert "--ctx-size" in models[0].arguments
    for name in ("router-slots", "router-not-loaded"):
        told = failure_in(400, body(build, f"{name}.json"), "/slots")
        assert told is not None
        assert told[0] is Failure.NOT_LOADED
