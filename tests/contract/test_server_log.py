"""What no endpoint tells is read from the log of a real server, which is asked nothing for it."""

from __future__ import annotations

import urllib.error
from pathlib import Path

import pytest

from mecha_tui.core.events import EventKind
from mecha_tui.core.log_lines import LogFact, LogKind, log_facts
from tests.contract.watching import watching
from tests.servers import BUILDS, running_server, wait_until
from tests.sliding_model import write_sliding_model

SHARED = "a b c d " * 100


@pytest.mark.parametrize("build", BUILDS)
async def test_a_refused_request_is_an_event(build: str, tiny_model: Path) -> None:
    with running_server(build, tiny_model, "-c", "1024", "-np", "2") as server:
        async with watching(server.url) as watcher:
            await watcher.until(lambda picture: picture.log.name is not None, "a log")
            with pytest.raises(urllib.error.HTTPError) as refused:
                server.complete("a b c d " * 400, 4)
            assert refused.value.code == 400
            refused.value.close()
            picture = await watcher.until(lambda picture: picture.log.refused.count > 0, "it")
    fact = picture.log.refused.newest[0].fact
    assert (fact.prompt_tokens, fact.window_tokens) == (3202, 512)
    assert picture.log.name == str(server.log)
    assert [event.detail for event in picture.events if event.kind is EventKind.LOG] == [
        "a request of 3,202 tokens was refused: a slot holds 512"
    ]


@pytest.mark.parametrize("build", BUILDS)
def test_a_sliding_window_that_does_not_reach_back_is_told_from_verbosity_4(
    build: str, tmp_path: Path
) -> None:
    model = tmp_path / "sliding.gguf"
    write_sliding_model(model)
    seen = {}
    for verbosity in ("3", "4"):
        flags = ("-c", "8192", "-np", "1", "-cram", "0", "-lv", verbosity)
        with running_server(build, model, *flags) as server:
            server.complete(SHARED + "x y z w " * 300, 4)
            again = server.complete(SHARED + "1 2 3 4 " * 300, 4)
            timings = again["timings"]
            assert isinstance(timings, dict)
            assert timings["prompt_n"] > 3200
            wait_until(lambda log=server.log: log.read_text().count("release") >= 2, "both told")
            seen[verbosity] = log_facts(server.log.read_text("utf-8", "replace").splitlines())
    assert seen["3"] == ()
    (fact,) = seen["4"]
    assert fact == LogFact(LogKind.REPROCESSED, fact.task_id, 0)
    assert fact.task_id is not None
    assert fact.task_id > 0


@pytest.mark.parametrize("build", BUILDS)
def test_a_full_pool_is_told(build: str, tiny_model: Path) -> None:
    flags = ("-c", "512", "-np", "2", "-kvu", "-cram", "0")
    with running_server(build, tiny_model, *flags) as server:
        for slot in (0, 1):
            server.complete_in_background("a b c d " * 40, 400, id_slot=slot)

        def is_told() -> bool:
            lines = server.log.read_text("utf-8", "replace").splitlines()
            return any(fact.kind is LogKind.OVERFLOWED for fact in log_facts(lines))

        wait_until(is_told, f"a full pool in {server.log}")
