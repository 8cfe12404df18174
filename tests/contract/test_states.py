"""Every state of a real server, on both builds, as the watcher tells it."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from mecha_tui.collect.address import parse_address
from mecha_tui.collect.sampler import HttpSampler
from mecha_tui.collect.target import Target
from mecha_tui.core.numbers import KvMode
from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.state import ServerState, condition
from tests.contract.watching import watching
from tests.servers import BUILDS, running_server, wait_until

pytestmark = pytest.mark.parametrize("build", BUILDS)


async def seen(url: str, key: str | None = None) -> ServerPicture:
    async with watching(url, key) as watcher:
        return await watcher.until(
            lambda picture: picture.condition.state is not ServerState.CONNECTING, "any state"
        )


async def test_slots_left_to_the_server_share_one_pool(build: str, tiny_model: Path) -> None:
    with running_server(build, tiny_model, "-c", "32768") as server:
        picture = await seen(server.url)
    assert [one.slot.window_tokens for one in picture.slots] == [32768] * 4
    assert picture.numbers.kv_mode.value is KvMode.SHARED
    assert picture.numbers.pool_tokens.value == 32768
    assert picture.metrics_reason == "/metrics is off: the server was started without --metrics"


async def test_slots_asked_for_have_a_part_of_their_own(build: str, tiny_model: Path) -> None:
    flags = ("-c", "32768", "-np", "4", "--no-slots")
    with running_server(build, tiny_model, *flags) as server:
        status, body = server.get("/slots")
        assert status == 501
        assert '"not_supported_error"' in body
        assert server.get("/metrics")[0] == 501
        picture = await seen(server.url)
    assert picture.condition.state is ServerState.READY
    assert picture.slots == ()
    assert picture.slots_reason == "/slots is off: the server was started with --no-slots"
    assert picture.numbers.slot_window_tokens.value == 8192
    assert picture.numbers.kv_mode.value is KvMode.DIVIDED


async def test_a_locked_server_is_locked_and_opens_with_its_key(
    build: str, tiny_model: Path
) -> None:
    with running_server(build, tiny_model, "-c", "512", "--api-key", "k3y") as server:
        assert server.get("/health")[0] == 200
        assert server.get("/props")[0] == server.get("/slots")[0] == 401
        assert (await seen(server.url)).condition.state is ServerState.LOCKED
        assert (await seen(server.url, "wrong")).condition.state is ServerState.LOCKED
        assert (await seen(server.url, "k3y")).condition.state is ServerState.READY


async def test_below_a_prefix_everything_is_found_and_even_health_is_locked(
    build: str, tiny_model: Path
) -> None:
    flags = ("-c", "512", "--api-prefix", "/llama", "--api-key", "k3y")
    with running_server(build, tiny_model, *flags, wait=False) as server:
        wait_until(lambda: _status(server, "/llama/props") in (200, 401), "ready")
        assert server.get("/llama/health")[0] == 401
        ready = await seen(f"{server.url}/llama/v1/", "k3y")
    assert ready.condition.state is ServerState.READY
    assert ready.url == f"{server.url}/llama"


def _status(server: object, path: str) -> int:
    try:
        return server.get(path, 2.0)[0]  # type: ignore[attr-defined,no-any-return]
    except OSError:
        return 0


async def test_a_server_that_loads_is_loading_and_then_ready(build: str, slow_model: Path) -> None:
    with running_server(build, slow_model, "-c", "32768", wait=False) as server:
        sampler = HttpSampler([Target(parse_address(server.url))])
        seen = [await _state(sampler)]
        while seen[-1] is not ServerState.READY:
            assert server.process.poll() is None
            seen.append(await _state(sampler))
        await sampler.aclose()
    assert list(dict.fromkeys(seen))[-2:] == [ServerState.LOADING, ServerState.READY]


async def _state(sampler: HttpSampler) -> ServerState:
    return condition((await sampler.sample()).servers[0].replies).state


async def test_a_stopped_server_is_not_answering_and_a_killed_one_is_down(
    build: str, slow_model: Path
) -> None:
    with running_server(build, slow_model, "-c", "2048", "-np", "2") as server:
        async with watching(server.url) as watcher:
            server.complete_in_background("hello", 1000)
            await watcher.until(lambda picture: picture.busy == 1, "busy")
            os.kill(server.pid, signal.SIGSTOP)
            hung = await watcher.until(
                lambda picture: picture.condition.state is ServerState.NOT_ANSWERING, "hung"
            )
            assert hung.slots
            assert hung.condition.reason is not None
            assert "nor to /health" in hung.condition.reason
            os.kill(server.pid, signal.SIGCONT)
            back = await watcher.until(
                lambda picture: picture.condition.state is ServerState.READY, "back"
            )
            assert back.busy == 1
            server.process.kill()
            server.process.wait()
            down = await watcher.until(
                lambda picture: picture.condition.state is ServerState.DOWN, "down"
            )
    assert down.slots
    assert down.is_lost
    assert down.writing_tokens_per_s is None
