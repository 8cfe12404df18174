"""What a slot's looks tell of its tasks, held against what the server says of them itself."""

from __future__ import annotations

import asyncio
import json
import random
import socket
from pathlib import Path
from typing import Any

import pytest

from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.tasks import Ending, Task
from mecha_tui.core.thrash_causes import Cause
from mecha_tui.demo.model import write_model
from tests.contract.watching import Watcher, watching
from tests.servers import BUILDS, RunningServer, running_server, wait_until

LOOK_S = 0.01


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that reads thousands and writes hundreds of tokens a second."""
    path = tmp_path_factory.mktemp("models") / "middling.gguf"
    write_model(path, embedding=256, blocks=4, name="middling")
    return path


def text(tokens: int, seed: int) -> str:
    """Return a text of about so many tokens, unlike that of any other seed."""
    return "".join(random.Random(seed).choices("abcdefghijklmnopqrstuvwxyz ", k=tokens))


async def turn(
    watcher: Watcher, server: RunningServer, prompt: str, **more: object
) -> tuple[dict[str, Any], ServerPicture]:
    """Run one completion under constant watch; return its reply and the picture after it."""
    running = asyncio.create_task(asyncio.to_thread(server.complete, prompt, 60, **more))
    while not running.done():
        await watcher.look()
        await asyncio.sleep(LOOK_S)
    reply = await running
    picture = await watcher.until(lambda one: one.busy == 0, "idle again")
    return reply, picture


def held_by(server: RunningServer, number: int) -> dict[str, Any]:
    answer = server.json("/slots")
    assert isinstance(answer, list)
    return next(one for one in answer if one["id"] == number)


@pytest.mark.parametrize("build", BUILDS)
def test_what_a_slot_holds_after_release_tells_how_much_was_written(
    build: str, model: Path
) -> None:
    with running_server(build, model, "-c", "1024", "-np", "2", "--metrics") as server:
        reply = server.complete(text(200, 1), 30, id_slot=0)
        wait_until(lambda: not held_by(server, 0)["is_processing"], "released")
        assert held_by(server, 0)["n_prompt_tokens"] == int(str(reply["tokens_evaluated"])) + 29
        reply = server.complete(text(200, 2), 5000, id_slot=0)
        assert reply["truncated"] is True
        wait_until(lambda: not held_by(server, 0)["is_processing"], "released")
        assert held_by(server, 0)["n_prompt_tokens"] == held_by(server, 0)["n_ctx"] - 1
        body = json.dumps({"prompt": text(100, 3), "n_predict": 400, "id_slot": 1, "stream": True})
        with socket.create_connection(("127.0.0.1", server.port)) as client:
            head = f"POST /completion HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
            client.sendall((head + body).encode())
            wait_until(lambda: written(server, 1) > 20, "writing")
        wait_until(lambda: not held_by(server, 1)["is_processing"], "cancelled")
        assert held_by(server, 1)["n_prompt_tokens"] >= 102 + 20


def written(server: RunningServer, number: int) -> int:
    (progress,) = held_by(server, number).get("next_token", [{"n_decoded": 0}])
    return int(progress["n_decoded"])


@pytest.mark.parametrize("build", BUILDS)
async def test_two_conversations_in_one_slot_are_read_again_and_that_is_told(
    build: str, model: Path
) -> None:
    flags = ("-c", "8192", "-np", "1", "-cram", "0", "--metrics")
    with running_server(build, model, *flags) as server:
        prompts = [text(1500, 1), text(1700, 2)]
        replies: list[dict[str, Any]] = []
        async with watching(server.url) as watcher:
            for number in range(6):
                reply, picture = await turn(watcher, server, prompts[number % 2])
                replies.append(reply)
                prompts[number % 2] += f"{reply['content']}and on"
                assert (picture.thrash is not None) is (number >= 4)
    tasks: list[Task] = list(reversed(picture.tasks.ended))
    for task, reply in zip(tasks, replies, strict=True):
        assert (task.read_tokens, task.written_tokens) == (reply["timings"]["prompt_n"], 60)
        assert not task.is_partial
        assert task.ending is Ending.LIMIT
    assert [task.reread is None for task in tasks] == [True, True, False, False, False, False]
    for task, reply in zip(tasks[2:], replies[2:], strict=True):
        assert task.reread is not None
        assert 0 <= reply["timings"]["prompt_n"] - task.reread.tokens <= 16
    assert picture.thrash is not None
    assert picture.thrash.cause is Cause.ONE_SLOT
    assert "-cram is 0" in picture.thrash.finding.message


@pytest.mark.parametrize("build", BUILDS)
async def test_twelve_turns_of_one_conversation_accuse_nobody(build: str, model: Path) -> None:
    with running_server(build, model, "-c", "8192", "-np", "1", "--metrics") as server:
        prompt = text(4000, 1)
        async with watching(server.url) as watcher:
            for _ in range(12):
                reply, picture = await turn(watcher, server, prompt)
                prompt += f"{reply['content']}and on"
                assert picture.thrash is None
    assert picture.tasks.totals.rereads.count == 0
    reused = [task.reused_tokens or 0 for task in picture.tasks.ended]
    assert len(reused) == 12
    assert sum(one > 4000 for one in reused) == 11


@pytest.mark.parametrize("build", BUILDS)
async def test_a_slot_for_each_conversation_is_no_thrash(build: str, model: Path) -> None:
    flags = ("-c", "8192", "-np", "2", "-cram", "0", "--metrics")
    with running_server(build, model, *flags) as server:
        prompts = [text(1500, 1), text(1700, 2)]
        async with watching(server.url) as watcher:
            for number in range(8):
                reply, picture = await turn(watcher, server, prompts[number % 2])
                prompts[number % 2] += f"{reply['content']}and on"
                assert picture.thrash is None
    assert picture.tasks.totals.rereads.count == 0


@pytest.mark.parametrize("build", BUILDS)
async def test_the_sums_of_two_hundred_tasks_are_the_servers(build: str, tiny_model: Path) -> None:
    with running_server(build, tiny_model, "-c", "8192", "-np", "4", "--metrics") as server:
        async with watching(server.url) as watcher:

            def work() -> None:
                for number in range(50):
                    server.complete(text(40 + number, number), 5 + number % 7)

            workers = [asyncio.create_task(asyncio.to_thread(work)) for _ in range(4)]
            while not all(one.done() for one in workers):
                await watcher.look()
                await asyncio.sleep(LOOK_S)
            await asyncio.gather(*workers)
            wait_until(lambda: not any(one["is_processing"] for one in slots(server)), "all idle")
            await watcher.look()
            picture = await watcher.look()
        told = dict(
            line.removeprefix("llamacpp:").split(" ")
            for line in server.get("/metrics")[1].splitlines()
            if line.startswith("llamacpp:")
        )
    counters = picture.counters
    assert counters is not None
    assert counters.prompt_tokens == float(told["prompt_tokens_total"])
    assert counters.prompt_cached_tokens == float(told["prompt_tokens_cached_total"])
    assert counters.written_tokens == float(told["tokens_predicted_total"])
    assert counters.written_tokens == 4 * sum(5 + number % 7 for number in range(50))


def slots(server: RunningServer) -> list[dict[str, Any]]:
    answer = server.json("/slots")
    assert isinstance(answer, list)
    return answer
