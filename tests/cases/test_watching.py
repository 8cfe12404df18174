"""Servers that sleep, route, hang, lock and lie, through ``status --format json``.

Each case is named for the public report that tells it; a bare number is one of
ggml-org/llama.cpp.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from mecha_tui.core.events import EventKind
from tests.cases.reports import AWAKE, HEALTH, NOT_FOUND, PROPS, WRITING, answering, status_of, told
from tests.contract.watching import watching
from tests.servers import free_port
from tests.stub_server import HangUpError, reply, stub_server

ROUTER = {
    "role": "router",
    "max_instances": 4,
    "model_path": "none",
    "default_generation_settings": {"params": None, "n_ctx": 0},
}
READY = {"/props": reply(AWAKE), "/slots": reply([WRITING])}


def test_20227_23096_19346_a_router_is_asked_only_for_what_is_loaded() -> None:
    states = {"on": "loaded", "asleep": "sleeping", "off": "unloaded", "odd": "pondering"}
    raw = {
        "/props": reply(ROUTER),
        "/models": reply(
            {"data": [{"id": name, "status": {"value": word}} for name, word in states.items()]}
        ),
        "/slots": reply({"error": {"code": 400, "message": "model name is missing"}}, "400 Bad"),
        "/props?model=on&autoload=false": reply(AWAKE),
        "/slots?model=on&autoload=false": reply([WRITING]),
        "/metrics?model=on&autoload=false": reply(b"llamacpp:requests_deferred 1\n"),
    }
    with stub_server(answering(raw)) as stub:
        router, loaded, sleeping = status_of(stub.url)
    assert set(stub.targets) <= set(raw) - {"/slots"}
    assert (router["role"], router["model"], router["slot_window_tokens"]) == ("router", None, None)
    assert router["slots"] == []
    assert (loaded["role"], loaded["model"], loaded["busy"]) == ("model", "on", 1)
    assert loaded["waiting"] == {"count": 1, "exact": True, "source": "metrics"}
    assert (sleeping["state"], sleeping["model"]) == ("asleep", "asleep")


def test_agentty_49_a_router_without_models_is_no_server_of_zero_tokens() -> None:
    raw = {"/props": reply(ROUTER), "/models": reply({"data": []})}
    with stub_server(answering(raw)) as stub:
        (router,) = status_of(stub.url)
        _, text = told("status", "--url", stub.url)
    assert (router["state"], router["role"]) == ("ready", "router")
    assert router["slot_window_tokens"] is None
    assert router["pool_tokens"] is None
    assert text.startswith(f"{stub.url}  router  ready")


def test_24866_a_server_that_decodes_is_busy_and_not_down(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mecha_tui.commands.status.FIRST_LOOK_PATIENCE_S", 2.5)

    def script(target: str) -> Iterable[bytes]:
        if target == "/slots":
            return []
        return [{"/health": reply(HEALTH), "/props": reply(AWAKE)}.get(target, NOT_FOUND)]

    with stub_server(script) as stub:
        (server,) = status_of(stub.url)
    assert server["state"] == "not-answering"
    assert "/health answers: it is busy" in server["reason"]
    assert stub.targets.count("/slots") == 1


def test_14352_locked_is_not_down_and_the_key_is_never_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    denied = reply({"error": {"code": 401, "type": "authentication_error"}}, "401 No")
    raw = {"/health": reply(HEALTH), "/props": denied, "/slots": denied}
    monkeypatch.setenv("LLAMA_API_KEY", "wrong-key")
    with stub_server(answering(raw)) as stub:
        status, text = told("status", "--format", "json", "--url", stub.url)
    assert status == 1
    assert '"state": "locked"' in text
    assert "wrong-key" not in text
    assert "wrong-key" in stub.heads[0]


def test_9195_a_cut_character_costs_itself_and_a_dropped_reply_one_look() -> None:
    cut = b'[{"id":0,"n_ctx":512,"is_processing":true,"id_task":1,"prompt":"\xe3\x81"}]'
    asked = []

    def script(target: str) -> Iterable[bytes]:
        if target != "/slots":
            return [READY.get(target, NOT_FOUND)]
        asked.append(target)
        if len(asked) < 3:
            raise HangUpError
        return [reply(cut)]

    with stub_server(script) as stub:
        (server,) = status_of(stub.url)
    assert (server["state"], server["busy"], len(server["slots"])) == ("ready", 1, 1)


def test_15780_an_error_is_told_by_its_type_whatever_its_code_and_status() -> None:
    for code, status in ((500, "500 No"), (400, "200 OK")):
        raw = {"/props": reply({"error": {"code": code, "type": "authentication_error"}}, status)}
        with stub_server(answering(raw)) as stub:
            (server,) = status_of(stub.url)
        assert server["state"] == "locked"


@pytest.mark.parametrize("body", [b'{"object":"x"}', b"<html>hello</html>", b"", b"[1]"])
def test_hermes_108638_a_reply_of_another_shape_is_no_llama_server(body: bytes) -> None:
    with stub_server(answering({"/props": reply(body)})) as stub:
        (server,) = status_of(stub.url)
    assert server["state"] == "not-llama-server"
    assert server["slot_count"] is None


def test_hermes_108638_a_clients_address_leads_to_the_root() -> None:
    raw = {**READY, "/v1/props": reply(b"<html>hello</html>")}
    with stub_server(answering(raw)) as stub:
        (server,) = status_of(f"{stub.url}/v1/")
    assert (server["state"], server["url"]) == ("ready", stub.url)
    assert "/v1/props" not in stub.targets


def test_llm_dock_91_a_new_task_is_a_new_count() -> None:
    looks = [{**WRITING, "next_token": [{"n_decoded": 900}]}]
    looks += [{**WRITING, "id_task": 42, "next_token": [{"n_decoded": 3}]}] * 2

    def script(target: str) -> Iterable[bytes]:
        if target != "/slots":
            return [READY.get(target, NOT_FOUND)]
        return [reply([looks.pop(0) if len(looks) > 1 else looks[0]])]

    with stub_server(script) as stub:
        (server,) = status_of(stub.url)
    (slot,) = server["slots"]
    assert slot["task"] == 42
    assert slot["tokens_per_s"] in (None, 0.0)


def test_flocks_158_a_proxy_does_not_catch_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://192.0.2.1:1080")
    with stub_server(answering(READY)) as stub:
        (server,) = status_of(stub.url)
    assert server["state"] == "ready"


def test_term_llm_452_localhost_is_found_on_its_ipv4_address() -> None:
    with stub_server(answering(READY)) as stub:
        (server,) = status_of(f"http://localhost:{stub.port}")
    assert server["state"] == "ready"


def test_92_loading_is_no_failure() -> None:
    body = {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}
    with stub_server(lambda _target: [reply(body, "503 No")]) as stub:
        (server,) = status_of(stub.url)
    assert server["state"] == "loading"


def test_nobody_there_is_down() -> None:
    (server,) = status_of(f"http://127.0.0.1:{free_port()}")
    assert (server["state"], server["reason"]) == ("down", "no connection: nothing listens there")
    assert server["slot_count"] is None


def test_a_body_of_fifty_megabytes_costs_its_endpoint() -> None:
    huge = reply(b"[" + b" " * 50_000_000 + b"]")
    with stub_server(answering({"/props": reply(PROPS), "/slots": huge})) as stub:
        (server,) = status_of(stub.url)
    assert (server["state"], server["slots"], server["slot_window_tokens"]) == ("ready", [], 8192)
    with stub_server(answering({"/props": huge})) as stub:
        (server,) = status_of(stub.url)
    assert (server["state"], server["reason"]) == (
        "not-llama-server",
        "the reply is longer than 4 MiB",
    )


@pytest.mark.parametrize(
    "name", ["qwen[/b]\x1b[31m", "[/red] x[0", "\x9b31m\u202eevil\ud800", "模型"]
)
def test_a_name_of_any_characters_is_safe_text(name: str) -> None:
    raw = {"/props": reply({**AWAKE, "model_alias": name}), "/slots": reply([WRITING])}
    with stub_server(answering(raw)) as stub:
        (server,) = status_of(stub.url)
        status, text = told("status", "--sample", "0", "--url", stub.url)
    assert status == 0
    for shown in (server["model"], text):
        assert not {"\x1b", "\x9b", "\u202e", "\ud800"} & set(shown)
    assert server["model"] in text


async def test_20963_two_servers_on_one_port_are_told_by_their_models() -> None:
    turns = {"/m/a.gguf": "a", "/m/b.gguf": "b"}
    asked: list[str] = []

    def script(target: str) -> Iterable[bytes]:
        if target != "/props":
            return [READY.get(target, NOT_FOUND)]
        asked.append(target)
        path = list(turns)[len(asked) % 2]
        return [reply({**AWAKE, "model_path": path, "model_alias": turns[path]})]

    with stub_server(script) as stub:
        async with watching(stub.url) as watcher:
            picture = await watcher.until(lambda _: len(asked) >= 4, "four answers of two servers")
    replaced = [event for event in picture.events if event.kind is EventKind.REPLACED]
    (event,) = replaced
    assert event.replacement is not None
    assert event.replacement.is_alternating
    assert {event.replacement.then.model_name, event.replacement.now.model_name} == {"a", "b"}
    assert picture.writing_tokens_per_s is None
