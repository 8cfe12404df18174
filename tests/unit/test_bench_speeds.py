"""Of a benchmark only that is kept which is like what watching measures."""

from __future__ import annotations

from mecha_tui.core.bench import BenchResults, Rate, StreamsRun, Timed
from mecha_tui.core.bench_speeds import bench_speeds
from mecha_tui.core.usual import Direction, Load, Setup

SETUP = Setup(model="q.gguf", window_tokens=8192, slot_count=4)


def timed(read: int, written: int, reused: int = 0) -> Timed:
    return Timed(Rate(read, 2.0), Rate(written, 3.0), 5.0, reused)


def test_one_answer_alone_is_kept_as_writing_with_one_busy_slot() -> None:
    (kept,) = bench_speeds(BenchResults(single=(timed(32, 300),)), SETUP, 7.0)
    assert (kept.direction, kept.load) == (Direction.WRITING, Load(1, 0))
    assert (kept.tokens_per_s, kept.tokens, kept.seconds) == (100.0, 300, 3.0)
    assert (kept.setup, kept.wall_s, kept.source) == (SETUP, 7.0, "bench")


def test_a_prompt_is_kept_as_reading_where_it_stays_in_one_depth_band() -> None:
    results = BenchResults(reading=(timed(900, 1), timed(4096, 1)))
    (kept,) = bench_speeds(results, SETUP, 7.0)
    assert (kept.direction, kept.tokens, kept.load) == (Direction.READING, 900, Load(1, 0))


def test_what_crosses_a_band_or_is_too_short_says_nothing_about_a_speed() -> None:
    assert bench_speeds(BenchResults(single=(timed(32, 1200), timed(32, 49))), SETUP, 7.0) == ()


def test_streams_are_not_kept() -> None:
    results = BenchResults(streams=(StreamsRun(4, Rate(1200, 8.0)),))
    assert bench_speeds(results, SETUP, 7.0) == ()
