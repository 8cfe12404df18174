"""A server that sleeps when idle sleeps on time while it is watched, and is not woken by it."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mecha_tui.collect.connections import connections_to, connections_to_socket
from mecha_tui.collect.talkers import LocalTalkers
from mecha_tui.core.state import ServerState
from tests.contract.watching import Watcher, watching
from tests.servers import BUILDS, NEW, OLD, PATIENCE_S, RunningServer, running_server, wait_until

IDLE_S = 2
FLAGS = ("-c", "1024", "-np", "2", "--metrics", "--sleep-idle-seconds", str(IDLE_S))


@pytest.fixture(scope="module", params=BUILDS)
def server(request: pytest.FixtureRequest, tiny_model: Path) -> Iterator[RunningServer]:
    with running_server(request.param, tiny_model, *FLAGS) as running:
        yield running


def is_sleeping(server: RunningServer) -> bool:
    props: Any = server.json("/props")
    return bool(props["is_sleeping"])


def wait_for_sleep(server: RunningServer) -> None:
    wait_until(lambda: is_sleeping(server), "asleep")


async def test_it_falls_asleep_while_watched_and_wakes_only_for_a_request(
    server: RunningServer,
) -> None:
    async with watching(server.url) as watcher:
        asleep = await watcher.until(
            lambda picture: picture.condition.state is ServerState.ASLEEP, "asleep"
        )
        assert asleep.slots_reason == "the server sleeps, and asking for its slots would wake it"
        for _ in range(20):
            assert (await watcher.look()).condition.state is ServerState.ASLEEP
        slept_s = asleep.slots_taken_s
        await asyncio.to_thread(server.complete, "hello", 5)
        await watcher.until(lambda picture: picture.slots_taken_s != slept_s, "seen again")
        await _asleep_again(watcher)
        assert watcher.pictures[server.url].slots
    assert is_sleeping(server)


async def test_two_that_watch_do_not_keep_it_awake_for_each_other(server: RunningServer) -> None:
    async with watching(server.url) as watcher, watching(server.url) as other:
        await asyncio.to_thread(server.complete, "hello", 5)
        await asyncio.gather(_asleep_again(watcher), _asleep_again(other))
    assert is_sleeping(server)


@pytest.mark.parametrize("build", BUILDS)
async def test_nor_do_they_over_ipv6(build: str, tiny_model: Path) -> None:
    flags = (*FLAGS, "--host", "::1")
    with running_server(build, tiny_model, *flags, wait=False) as server:
        port = server.port
        await _sleeps_under_two(
            f"http://[::1]:{port}", lambda: connections_to(port, frozenset(), is_known=True)
        )


@pytest.mark.skipif(OLD not in BUILDS, reason="the binary runs on Linux x86-64 only")
async def test_nor_do_they_over_a_unix_socket(tiny_model: Path, tmp_path: Path) -> None:
    path = tmp_path / "llama.sock"
    with running_server(OLD, tiny_model, *FLAGS, "--host", str(path), wait=False):
        await _sleeps_under_two(f"unix:{path}", lambda: connections_to_socket(str(path)))


async def _sleeps_under_two(url: str, count: Callable[[], int | None]) -> None:
    """Watch with another program as well: neither is counted, and the server falls asleep."""
    other = await _mecha_tui("check", "--watch", "--interval", "0.3", "--url", url)
    try:
        async with watching(url) as watcher:
            await _asleep_again(watcher)
            deadline_s = asyncio.get_running_loop().time() + PATIENCE_S
            while other.pid not in [one.pid for one in (await LocalTalkers().talkers(url)).found]:
                assert asyncio.get_running_loop().time() < deadline_s, "the other never connected"
            assert count() == 0
            for _ in range(10):
                assert (await watcher.look()).condition.state is ServerState.ASLEEP
        assert other.returncode is None
    finally:
        other.terminate()
        await other.communicate()


async def test_single_reports_in_a_loop_and_a_watching_check_let_it_sleep(
    server: RunningServer,
) -> None:
    await asyncio.to_thread(server.complete, "hello", 5)
    watch = await _mecha_tui("check", "--watch", "--interval", "0.3", "--url", server.url)
    try:
        state = None
        deadline_s = asyncio.get_running_loop().time() + PATIENCE_S
        while state != "asleep":
            assert asyncio.get_running_loop().time() < deadline_s, "it never slept"
            single = await _mecha_tui("status", "--json", "--url", server.url)
            told = json.loads((await single.communicate())[0])["servers"][0]
            state = told["state"]
        assert told["slots"] == []
        assert watch.returncode is None
    finally:
        watch.terminate()
        await watch.communicate()
    assert is_sleeping(server)


async def _mecha_tui(*arguments: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "mecha_tui", *arguments, stdout=asyncio.subprocess.PIPE
    )


async def _asleep_again(watcher: Watcher) -> None:
    await watcher.until(lambda picture: picture.condition.state is ServerState.ASLEEP, "asleep")


def test_props_health_and_models_do_not_wake_it(server: RunningServer) -> None:
    wait_for_sleep(server)
    for path in ("/health", "/props", "/v1/models"):
        assert server.get(path)[0] == 200
    assert is_sleeping(server)


def test_metrics_wake_it_on_the_older_build_only(
    server: RunningServer, request: pytest.FixtureRequest
) -> None:
    wait_for_sleep(server)
    assert server.get("/metrics")[0] == 200
    build = request.node.callspec.params["server"]
    assert is_sleeping(server) is (build == NEW)


def test_slots_wake_it(server: RunningServer) -> None:
    wait_for_sleep(server)
    assert server.get("/slots")[0] == 200
    assert not is_sleeping(server)


def test_waking_sets_neither_task_numbers_nor_counters_back(server: RunningServer) -> None:
    def counts() -> tuple[int, float]:
        slots: Any = server.json("/slots")
        found = re.search(
            r"^llamacpp:tokens_predicted_total (\S+)", server.get("/metrics")[1], re.M
        )
        assert found is not None
        return max(slot.get("id_task", -1) for slot in slots), float(found[1])

    server.complete("hello", 5)
    before = counts()
    wait_for_sleep(server)
    server.complete("hello", 5)
    after = counts()
    assert after[0] > before[0] >= 0
    assert after[1] > before[1] > 0
