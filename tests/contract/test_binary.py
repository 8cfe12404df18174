"""What only the real binary does: Unix sockets, and a router with models of its own."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import socket
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mecha_tui.core.server import Role
from mecha_tui.core.state import ServerState
from tests.contract.watching import watching
from tests.servers import BUILDS, OLD, RunningServer, running_server, wait_until

pytestmark = pytest.mark.skipif(OLD not in BUILDS, reason="there is no binary for this machine")


async def test_a_unix_socket_is_watched_like_a_port(tiny_model: Path, tmp_path: Path) -> None:
    path = tmp_path / "llama.sock"
    flags = ("-c", "512", "-np", "1", "--host", str(path))
    with running_server(OLD, tiny_model, *flags, wait=False) as server:
        wait_until(lambda: path.exists() or server.process.poll() is not None, "the socket")
        async with watching(f"unix:{path}") as watcher:
            picture = await watcher.until(
                lambda picture: picture.condition.state is ServerState.READY, "ready"
            )
    assert picture.slots[0].slot.window_tokens == 512
    assert picture.process is not None
    assert picture.process.pid == server.pid


@pytest.fixture(scope="module")
def router(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    folder = tmp_path_factory.mktemp("router-models")
    for name in ("alpha", "beta"):
        shutil.copy(tiny_model, folder / f"{name}.gguf")
    flags = ("--models-dir", str(folder), "-c", "1024", "-np", "2", "--metrics")
    more = ("--sleep-idle-seconds", "3000", "--api-key", "r0uter-key")
    with running_server(OLD, None, *flags, *more) as running:
        yield running


def ask(router: RunningServer, path: str, body: object = None) -> tuple[int, Any]:
    request = urllib.request.Request(
        f"{router.url}{path}",
        None if body is None else json.dumps(body).encode(),
        {"Content-Type": "application/json", "Authorization": "Bearer r0uter-key"},
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:
            return reply.status, json.loads(reply.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def status_of(router: RunningServer, name: str) -> str:
    models = ask(router, "/models")[1]["data"]
    return str(next(one["status"]["value"] for one in models if one["id"] == name))


def test_a_routers_own_props_are_a_placeholder(router: RunningServer) -> None:
    props = ask(router, "/props")[1]
    assert props["role"] == "router"
    assert props["default_generation_settings"]["n_ctx"] == 0
    assert "total_slots" not in props


def test_without_a_model_slots_and_metrics_are_refused(router: RunningServer) -> None:
    for path in ("/slots", "/metrics"):
        status, error = ask(router, path)
        assert status == 400
        assert "model name is missing" in error["error"]["message"]


def test_asking_without_autoload_loads_nothing(router: RunningServer) -> None:
    status, error = ask(router, "/slots?model=beta&autoload=false")
    assert status == 400
    assert error["error"]["message"] == "model is not loaded"
    assert status_of(router, "beta") == "unloaded"


async def test_two_models_behind_a_router_fall_asleep_on_time_while_watched(
    tiny_model: Path, tmp_path: Path
) -> None:
    for name in ("alpha", "beta"):
        shutil.copy(tiny_model, tmp_path / f"{name}.gguf")
    flags = ("--models-dir", str(tmp_path), "-c", "1024", "--sleep-idle-seconds", "2")
    with running_server(OLD, None, *flags) as router:
        async with watching(router.url) as watcher:
            for name in ("alpha", "beta"):
                ask(router, "/models/load", {"model": name})

            def are_all(state: ServerState) -> bool:
                children = [one for one in watcher.pictures.values() if one.model_id]
                return [one.condition.state for one in children] == [state, state]

            await watcher.until(lambda _: are_all(ServerState.READY), "ready")
            await watcher.until(lambda _: are_all(ServerState.ASLEEP), "asleep")
            children = [one for one in watcher.pictures.values() if one.model_id]
            assert len({one.process and one.process.pid for one in children}) == 2
            for _ in range(10):
                await watcher.look()
                assert are_all(ServerState.ASLEEP)


async def test_a_router_of_one_model_at_a_time_is_never_made_to_change_it(
    tiny_model: Path, tmp_path: Path
) -> None:
    for name in ("alpha", "beta"):
        shutil.copy(tiny_model, tmp_path / f"{name}.gguf")
    flags = ("--models-dir", str(tmp_path), "--models-max", "1", "-c", "1024", "--metrics")
    work = {"model": "alpha", "prompt": "hello", "n_predict": 200, "ignore_eos": True}
    with running_server(OLD, None, *flags) as router:
        ask(router, "/models/load", {"model": "alpha"})
        async with watching(router.url) as watcher:
            await watcher.until(lambda _: len(watcher.pictures) == 2, "alpha")
            for _ in range(10):
                assert (await asyncio.to_thread(ask, router, "/completion", work))[0] == 200
                await watcher.look()
                assert (status_of(router, "alpha"), status_of(router, "beta")) == (
                    "loaded",
                    "unloaded",
                )
        log = router.log.read_text("utf-8", "replace")
        assert "alpha" in log
        assert "beta.gguf" not in log.split("alpha.gguf", 1)[-1]


async def test_watching_a_router_loads_no_model_and_shows_the_loaded_ones(
    router: RunningServer,
) -> None:
    async with watching(router.url, "r0uter-key") as watcher:
        own = await watcher.until(lambda picture: bool(picture.models), "the list of models")
        assert own.props is not None
        assert own.props.role is Role.ROUTER
        assert own.condition.state is ServerState.READY
        assert list(watcher.pictures) == [router.url]
        assert ask(router, "/models/load", {"model": "alpha"})[1] == {"success": True}
        await watcher.until(lambda _: f"{router.url}#alpha" in watcher.pictures, "alpha shown")
        await watcher.until(
            lambda _: watcher.pictures[f"{router.url}#alpha"].process is not None, "its process"
        )
        await watcher.look()
        work = {"model": "alpha", "prompt": "hello", "n_predict": 400, "ignore_eos": True}
        assert (await asyncio.to_thread(ask, router, "/completion", work))[0] == 200
        await watcher.until(
            lambda _: bool(watcher.pictures[f"{router.url}#alpha"].slots), "alpha's slots"
        )
        await watcher.until(
            lambda _: watcher.pictures[f"{router.url}#alpha"].numbers.context_tokens.is_known,
            "alpha's flags",
        )
        child = watcher.pictures[f"{router.url}#alpha"]
        assert child.model_id == "alpha"
        assert [one.slot.window_tokens for one in child.slots] == [512, 512]
        assert child.numbers.context_tokens.value == 1024
        assert child.numbers.launch.sleep_idle_s.value == 3000
        assert child.numbers.training_window_tokens.value == 131072
        assert "r0uter-key" not in repr(watcher.pictures)
        assert status_of(router, "beta") == "unloaded"
        assert ask(router, "/models/unload", {"model": "alpha"})[1] == {"success": True}
        await watcher.until(lambda _: list(watcher.pictures) == [router.url], "alpha gone")
    assert status_of(router, "alpha") == "unloaded"


def test_a_socket_file_left_behind_keeps_it_from_starting(tiny_model: Path, tmp_path: Path) -> None:
    path = tmp_path / "left.sock"
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
    with running_server(OLD, tiny_model, "--host", str(path), wait=False) as server:
        wait_until(lambda: server.process.poll() is not None, "the end")
        assert server.process.returncode != 0
    path.unlink()
    with running_server(OLD, tiny_model, "--host", str(path), wait=False) as server:
        server.logged(re.compile("(listening on)"))
