"""What is measured is what the server itself timed, on both builds, and no more is asked."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from mecha_tui.collect.address import parse_address
from mecha_tui.collect.http import ApiKey
from mecha_tui.collect.target import Target
from mecha_tui.control.measuring import MeasuringError, Subject, single_stream
from tests.servers import BUILDS, RunningServer, running_server, wait_until

WINDOW = 1024


@pytest.fixture(scope="module", params=BUILDS)
def server(request: pytest.FixtureRequest, tiny_model: Path) -> Iterator[RunningServer]:
    flags = ("-c", str(2 * WINDOW), "-np", "2", "--metrics")
    with running_server(request.param, tiny_model, *flags) as running:
        yield running


def target(server: RunningServer) -> Target:
    return Target(parse_address(server.url))


def counted(server: RunningServer, name: str) -> float:
    _, text = server.get("/metrics")
    (value,) = re.findall(rf"^llamacpp:{name} (\S+)$", text, re.MULTILINE)
    return float(value)


async def test_a_single_stream_costs_what_was_asked_and_tells_the_servers_own_time(
    server: RunningServer,
) -> None:
    written, read = (
        counted(server, "tokens_predicted_total"),
        counted(server, "prompt_tokens_total"),
    )
    timed = await single_stream(target(server), tokens=120)
    assert timed.writing.tokens == 120
    assert timed.reading.tokens == 32
    assert 0 < timed.reading.seconds + timed.writing.seconds <= timed.wall_s
    assert counted(server, "tokens_predicted_total") == written + 120
    assert counted(server, "prompt_tokens_total") == read + 32


async def test_a_prompt_has_exactly_as_many_tokens_as_were_wanted_and_meets_no_cache(
    server: RunningServer,
) -> None:
    subject = Subject(target(server))
    await subject.learn()
    for _ in range(2):
        timed = await subject.run(subject.prompt(700), 1, may_reuse=True)
        assert timed.reading.tokens + (timed.reused_tokens or 0) == 700
        assert (timed.reused_tokens or 0) < 5


async def test_the_next_turn_is_reused_where_it_may_be(server: RunningServer) -> None:
    subject = Subject(target(server))
    await subject.learn()
    first = subject.prompt(400)
    turn = await subject.run(first, 16, may_reuse=True)
    again = await subject.run([*first, *turn.answer, *subject.prompt(20)], 1, may_reuse=True)
    assert len(turn.answer) == 16
    assert again.reading.tokens < 40
    assert again.reused_tokens is not None
    assert again.reused_tokens > 390


@pytest.mark.parametrize(
    ("prompt", "tokens", "words"),
    [
        (WINDOW + 10, 1, r"a prompt of 1,034 tokens does not fit into 1,024"),
        (WINDOW - 20, 100, r"an answer of \d+ tokens in place of 100: its slot was full"),
    ],
)
async def test_what_does_not_fit_is_one_clear_sentence(
    server: RunningServer, prompt: int, tokens: int, words: str
) -> None:
    subject = Subject(target(server))
    await subject.learn()
    with pytest.raises(MeasuringError, match=words):
        await subject.run(subject.prompt(prompt), tokens)


async def test_cancelling_ends_the_servers_work(server: RunningServer) -> None:
    subject = Subject(target(server))
    await subject.learn()
    running = asyncio.create_task(subject.run(subject.prompt(8), WINDOW - 16))
    await asyncio.to_thread(wait_until, lambda: is_busy(server), "the server works")
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await asyncio.to_thread(wait_until, lambda: not is_busy(server), "the server rests")


def is_busy(server: RunningServer) -> bool:
    return any(slot["is_processing"] for slot in json.loads(server.get("/slots")[1]))


async def test_a_server_killed_in_the_middle_is_said_to_be_gone(slow_model: Path) -> None:
    with running_server(BUILDS[0], slow_model, "-c", "2048", "-np", "1") as server:
        heard: list[float] = []
        stream = asyncio.create_task(single_stream(target(server), tokens=1900, told=heard.append))
        await asyncio.to_thread(wait_until, lambda: bool(heard), "something was told")
        server.process.kill()
        with pytest.raises(MeasuringError, match="the server went away"):
            await stream


async def test_a_locked_server_is_measured_with_its_key_only(tiny_model: Path) -> None:
    with running_server(BUILDS[-1], tiny_model, "-c", "512", "--api-key", "s3cret") as server:
        with pytest.raises(MeasuringError, match="the API key is missing or wrong"):
            await single_stream(target(server), tokens=8)
        keyed = Target(parse_address(server.url), ApiKey("s3cret"))
        assert (await single_stream(keyed, tokens=8)).writing.tokens == 8
