"""What a server says is drawn as it stands, whatever it is: the real app on the real sampler."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from mecha_tui.app.app import MechaApp
from mecha_tui.collect.address import parse_address
from mecha_tui.collect.clients.finder import client_finder
from mecha_tui.collect.http import ApiKey
from mecha_tui.collect.sampler import HttpSampler
from mecha_tui.collect.target import Target
from mecha_tui.config import ClientSetting
from tests.app.support import text_of, until
from tests.cases.reports import AWAKE, PROPS, WRITING, answering
from tests.stub_server import reply, stub_server

NASTY = "[/red] x[0 [b \x1b[31m \x9b1m \u202e [link=x] \ud800 \\[ 模型"
OFF = {"error": {"code": 501, "type": "not_supported_error", "message": NASTY}}
PAGES = ("enter", "a", "m", "3", "e", "question_mark")


def app_at(url: str, key: str | None = None) -> MechaApp:
    """Return the app as the command makes it, but for one client that is told by hand."""
    told = [ClientSetting(NASTY, None, 65_536, 2048, source=NASTY)]
    sampler = HttpSampler(
        [Target(parse_address(url), ApiKey(key) if key else None)],
        clients=client_finder(told, {}, Path.home(), Path.cwd()),
    )
    return MechaApp(sampler, interval_s=0.2)


async def seen_on_every_page(app: MechaApp, pilot: Pilot[None]) -> str:
    """Return the text of the dashboard and of each page, at a usual and at the smallest size."""
    texts = [text_of(app)]
    for page in PAGES:
        await pilot.press(page)
        await pilot.pause()
        texts.append(text_of(app))
        await pilot.resize_terminal(1, 1)
        await pilot.resize_terminal(10, 3)
        await pilot.resize_terminal(120, 40)
        await pilot.press("q")
        await pilot.pause()
    return "\n".join(texts)


async def test_5768_brackets_and_escapes_are_text_on_every_page() -> None:
    slot = {
        **WRITING,
        "params": {NASTY: NASTY, "samplers": [NASTY]},
        "prompt": NASTY * 9,
        "generated": NASTY,
    }
    names = {"model_alias": NASTY, "model_path": NASTY, "build_info": NASTY, "model_ftype": NASTY}
    raw = {
        "/props": reply({**AWAKE, **names}),
        "/slots": reply([slot]),
        "/metrics": reply(OFF, "501 No"),
        "/v1/models": reply({"data": [{"id": NASTY, "meta": {}}]}),
    }
    with stub_server(answering(raw)) as stub:
        app = app_at(stub.url)
        async with app.run_test(size=(120, 40), notifications=True) as pilot:
            await until(pilot, lambda: "writing" in text_of(app))
            text = await seen_on_every_page(app, pilot)
    assert "[/red] x[0 [b" in text
    assert "模型" in text
    assert not {"\x1b", "\x9b", "\u202e", "\ud800"} & set(text)


async def test_5768_brackets_in_a_routers_models_and_in_errors_are_text() -> None:
    router = {"role": "router", "model_path": "none", "default_generation_settings": {"n_ctx": 0}}
    models = [{"id": NASTY, "status": {"value": NASTY, "failed": True, "exit_code": -9}}]
    raw = {"/props": reply(router), "/models": reply({"data": models})}
    with stub_server(answering(raw)) as stub:
        app = app_at(stub.url)
        async with app.run_test(size=(120, 40), notifications=True) as pilot:
            await until(pilot, lambda: "router" in text_of(app))
            assert "[/red] x[0 [b" in await seen_on_every_page(app, pilot)
    fault = reply({"error": {"code": 500, "type": "server_error", "message": NASTY}}, "500 No")
    with stub_server(lambda _target: [fault]) as stub:
        app = app_at(stub.url)
        async with app.run_test(size=(120, 40), notifications=True) as pilot:
            await until(pilot, lambda: "not answering" in text_of(app))
            assert "HTTP 500: [/red] x[0 [b" in await seen_on_every_page(app, pilot)


SCREENS = {
    "9776-slots-off": ({"/props": reply(PROPS), "/slots": reply(OFF, "501 No")}, "--slots"),
    "23454-no-counts": (
        {
            "/props": reply(PROPS),
            "/slots": reply([{"id": 0, "n_ctx": 8192, "is_processing": True, "id_task": 3}]),
        },
        "–       – / 8,192",
    ),
    "released": (
        {
            "/props": reply(AWAKE),
            "/slots": reply([{**WRITING, "is_processing": False, "n_prompt_tokens": 7000}]),
        },
        "cached",
    ),
    "18228-asleep": ({"/props": reply({**AWAKE, "is_sleeping": True})}, "☾ asleep"),
    "14352-locked": (
        {"/props": reply({"error": {"type": "authentication_error"}}, "401 No")},
        "! locked",
    ),
    "108638-html": ({"/props": reply(b"<html>")}, "? not llama-server"),
}


@pytest.mark.parametrize(("raw", "words"), SCREENS.values(), ids=SCREENS)
async def test_the_screen_says_it_in_words(raw: dict[str, bytes], words: str) -> None:
    with stub_server(answering(raw)) as stub:
        app = app_at(stub.url, key="very-secret")
        async with app.run_test(size=(120, 40), notifications=True) as pilot:
            await until(pilot, lambda: words in text_of(app))
            assert "very-secret" not in text_of(app)
