"""What /metrics does to itself when it is read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers import BUILDS, RunningServer, running_server


@pytest.fixture(scope="module", params=BUILDS)
def server(request: pytest.FixtureRequest, tiny_model: Path) -> Iterator[RunningServer]:
    with running_server(request.param, tiny_model, "-c", "1024", "-np", "1", "--metrics") as one:
        yield one


def averages(server: RunningServer) -> dict[str, float]:
    lines = [line.split() for line in server.get("/metrics")[1].splitlines()]
    return {
        line[0]: float(line[1])
        for line in lines
        if line[0] in ("llamacpp:prompt_tokens_seconds", "llamacpp:predicted_tokens_seconds")
    }


def test_the_speed_averages_are_reset_by_whoever_scrapes(server: RunningServer) -> None:
    server.complete("hello there", 30)
    first, second = averages(server), averages(server)
    assert all(first.values())
    assert not any(second.values())
