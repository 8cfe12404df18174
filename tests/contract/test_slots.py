"""What /slots says on both builds, and that the picture shows just that."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.slots import Phase
from tests.contract.watching import watching
from tests.servers import BUILDS, RunningServer, running_server, wait_until

LONG_PROMPT = "hello there " * 130
BATCH = 256


@pytest.fixture(scope="module", params=BUILDS)
def server(request: pytest.FixtureRequest, slow_model: Path) -> Iterator[RunningServer]:
    flags = ("-c", "32768", "-np", "4", "--metrics", "-b", str(BATCH))
    with running_server(request.param, slow_model, *flags) as running:
        yield running


def slots(server: RunningServer) -> list[dict[str, Any]]:
    answer = server.json("/slots")
    assert isinstance(answer, list)
    return answer


def slot(server: RunningServer, number: int) -> dict[str, Any]:
    return next(one for one in slots(server) if one["id"] == number)


def progress(entry: dict[str, Any]) -> dict[str, Any]:
    (only,) = entry["next_token"]
    assert isinstance(only, dict)
    return only


def wait_for_idle(server: RunningServer) -> None:
    wait_until(lambda: not any(one["is_processing"] for one in slots(server)), "all slots idle")


def phase(number: int, wanted: Phase) -> Any:  # noqa: ANN401
    return lambda picture: (
        len(picture.slots) > number and (picture.slots[number].slot.phase is wanted)
    )


def test_a_slot_that_never_ran_has_four_keys(server: RunningServer) -> None:
    assert slot(server, 0).keys() == {"id", "n_ctx", "speculative", "is_processing"}


def test_props_and_slots_give_the_window_of_one_slot(server: RunningServer) -> None:
    props = server.json("/props")
    assert isinstance(props, dict)
    assert props["total_slots"] == 4
    assert props["default_generation_settings"]["n_ctx"] == 8192
    assert {one["n_ctx"] for one in slots(server)} == {8192}


def test_props_say_nothing_of_the_reasoning_budget_or_of_how_slots_share(
    server: RunningServer,
) -> None:
    text = server.get("/props")[1] + server.get("/slots")[1]
    assert "budget" not in text
    assert "unified" not in text


def test_while_a_prompt_is_read_counts_grow_by_batches_and_no_total_is_told(
    server: RunningServer,
) -> None:
    server.complete_in_background(LONG_PROMPT, 1, id_slot=1, cache_prompt=False)
    seen: list[tuple[int, int, int]] = []

    def has_ended() -> bool:
        entry = slot(server, 1)
        if entry["is_processing"]:
            decoded = progress(entry)["n_decoded"]
            seen.append((entry["n_prompt_tokens"], entry["n_prompt_tokens_processed"], decoded))
        return bool(seen) and not entry["is_processing"]

    wait_until(has_ended, "the prompt read")
    reading = [(held, read) for held, read, decoded in seen if decoded == 0]
    inside = [(held, read) for held, read in reading if read and held % BATCH == 0]
    # Between two batches, for a moment, the one just read is counted already.
    assert {held - read for held, read in inside} - {0} == {BATCH}
    assert [held for held, _ in reading] == sorted(held for held, _ in reading)


def test_while_writing_the_count_holds_prompt_and_answer(server: RunningServer) -> None:
    server.complete_in_background("hello " * 20, 200, id_slot=1, cache_prompt=False)
    entry: dict[str, Any] = {}

    def is_writing() -> bool:
        nonlocal entry
        entry = slot(server, 1)
        return bool(entry["is_processing"]) and progress(entry)["n_decoded"] > 5

    wait_until(is_writing, "writing")
    told = progress(entry)
    expected = entry["n_prompt_tokens_processed"] + entry["n_prompt_tokens_cache"]
    assert expected + told["n_decoded"] - entry["n_prompt_tokens"] in (0, 1)
    assert told["n_decoded"] + told["n_remain"] == 200
    assert entry["params"]["n_predict"] == 200
    wait_for_idle(server)


def test_after_release_the_slot_still_holds_its_tokens_and_its_counts_are_zero(
    server: RunningServer,
) -> None:
    reply = server.complete("hello " * 20, 20, id_slot=1, cache_prompt=False)
    wait_for_idle(server)
    entry = slot(server, 1)
    assert entry["n_prompt_tokens"] == reply["tokens_evaluated"] + reply["tokens_predicted"] - 1  # type: ignore[operator]
    assert entry["id_task"] >= 0
    assert entry["n_prompt_tokens_processed"] == entry["n_prompt_tokens_cache"] == 0
    assert progress(entry)["n_decoded"] == 0


def test_the_next_turn_reuses_what_the_slot_holds(server: RunningServer) -> None:
    prompt = "hello " * 40
    server.complete(prompt, 1, id_slot=1, cache_prompt=False)
    server.complete_in_background(prompt + "and on it goes", 50, id_slot=1)
    entry: dict[str, Any] = {}

    def is_writing() -> bool:
        nonlocal entry
        entry = slot(server, 1)
        return bool(entry["is_processing"]) and progress(entry)["n_decoded"] > 0

    wait_until(is_writing, "writing")
    assert entry["n_prompt_tokens_cache"] > 200
    assert entry["n_prompt_tokens_processed"] < 30
    wait_for_idle(server)


async def test_the_picture_holds_what_the_server_counts_idle_reading_and_writing(
    server: RunningServer,
) -> None:
    async with watching(server.url) as watcher:
        idle = await watcher.until(phase(1, Phase.IDLE), "idle")
        assert idle.slots[1].slot.held_tokens == slot(server, 1)["n_prompt_tokens"]
        assert idle.slots[1].tokens_per_s is None
        server.complete_in_background(LONG_PROMPT, 100, id_slot=1, cache_prompt=False)
        for wanted in (Phase.READING, Phase.WRITING):
            await watcher.until(phase(1, wanted), wanted.value)
            low = slot(server, 1)["n_prompt_tokens"]
            picture = await watcher.look()
            high = slot(server, 1)["n_prompt_tokens"]
            held = picture.slots[1].slot.held_tokens
            assert held is not None
            assert low <= held <= high
        written = await watcher.until(
            lambda picture: bool(picture.slots[1].tokens_per_s), "a writing rate"
        )
        assert written.writing_tokens_per_s
        picture = await watcher.until(phase(1, Phase.IDLE), "idle again")
    wait_for_idle(server)
    assert picture.slots[1].slot.held_tokens == slot(server, 1)["n_prompt_tokens"]


async def test_seven_requests_on_four_slots_are_four_busy_and_three_waiting(
    server: RunningServer,
) -> None:
    wait_for_idle(server)
    async with watching(server.url) as watcher:
        for _ in range(7):
            server.complete_in_background("hello " * 10, 60)
        picture = await watcher.until(_is_queue_of(3), "three waiting")
        assert picture.busy == 4
        assert picture.waiting.is_exact
        assert "requests_deferred 3" in server.get("/metrics")[1]
        await watcher.until(_is_queue_of(0), "nobody waiting")
    wait_for_idle(server)


def _is_queue_of(count: int) -> Any:  # noqa: ANN401
    def is_it(picture: ServerPicture) -> bool:
        return picture.waiting.count == count and picture.waiting.is_exact

    return is_it


def test_generated_tokens_are_counted_in_metrics_only_when_a_task_ends(
    server: RunningServer,
) -> None:
    def total() -> float:
        lines = server.get("/metrics")[1].splitlines()
        return float(
            next(one for one in lines if one.startswith("llamacpp:tokens_predicted_total")).split()[
                1
            ]
        )

    before = total()
    server.complete_in_background("hello", 60, id_slot=2)
    wait_until(
        lambda: "next_token" in slot(server, 2) and progress(slot(server, 2))["n_decoded"] > 20,
        "writing",
    )
    assert total() == before
    wait_for_idle(server)
    assert total() == before + 60


async def test_a_hundred_and_fifty_rounds_over_connections_the_server_ends_lose_none(
    server: RunningServer,
) -> None:
    async with watching(server.url) as watcher:
        for _ in range(150):
            picture = await watcher.look()
            assert picture.slots_reason is None
    assert [event.subject for event in picture.events if event.kind.value == "state"] == ["ready"]
