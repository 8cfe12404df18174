"""A benchmark's report tells what was measured, and marks what was not as unknown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from mecha_tui.core.bench import BenchResults, Rate, StreamsRun, Timed, Turn
from mecha_tui.core.bench_plan import Room, Wishes, bench_plan
from mecha_tui.present.bench import bench_json, result_lines
from tests.rounds import folded, replies, round_at, sample

DOCS = (Path(__file__).parents[2] / "docs" / "bench.md").read_text("utf-8")
PLAN = bench_plan(Wishes(), Room(4, 8192))
PICTURE = folded(round_at(1, sample(replies(1, ()))))


def timed(written: int, seconds: float, read: int = 32, reused: int | None = 0) -> Timed:
    return Timed(Rate(read, 0.5), Rate(written, seconds), seconds + 0.5, reused)


RESULTS = BenchResults(
    single=(timed(300, 3.0), timed(300, 4.0), timed(300, 2.0)),
    streams=(StreamsRun(4, Rate(1200, 8.0)),),
    reading=(timed(1, 0.1, read=4096),),
    turns=(
        Turn(2080, 2080, timed(32, 1.0, read=2080)),
        Turn(2144, 33, timed(32, 1.0, read=2144)),
        Turn(2208, 33, timed(32, 1.0, read=33, reused=2175)),
    ),
)


def text(results: BenchResults) -> str:
    return "\n".join("".join(p.text for p in line) for line in result_lines(results, PICTURE))


def test_the_table_tells_the_middle_and_the_ends() -> None:
    (single,) = (line for line in text(RESULTS).splitlines() if "single stream" in line)
    assert single.split() == ["single", "stream", "100.0", "75.0", "to", "150.0", "3", "300"]
    assert "4 streams, wall clock      150.0" in text(RESULTS)
    assert max(map(len, text(RESULTS).splitlines())) <= 100


def test_what_was_read_again_is_what_was_not_new() -> None:
    assert [turn.reread_tokens for turn in RESULTS.turns] == [0, 2111, 0]
    assert "2,111 at most; 49 % reused" in text(RESULTS)


def test_a_reuse_that_the_server_does_not_tell_is_unknown() -> None:
    later = Turn(2144, 33, timed(32, 1.0, read=33, reused=None))
    assert "– reused" in text(BenchResults(turns=(RESULTS.turns[0], later)))


def test_what_was_not_measured_is_null_and_never_zero() -> None:
    report = bench_json(BenchResults(), PICTURE, PLAN, "it was cut short")
    assert [report[part] for part in ("single", "streams", "reading", "affinity")] == [None] * 4
    assert report["is_complete"] is False
    assert "Nothing was measured." in text(BenchResults())


def test_every_field_is_in_the_documentation() -> None:
    report = json.loads(json.dumps(bench_json(RESULTS, PICTURE, PLAN, None)))
    for name in fields(report):
        assert f"`{name}" in DOCS, name


def fields(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for name, part in value.items():
            yield name
            yield from fields(part)
    if isinstance(value, list):
        for part in value:
            yield from fields(part)
