"""What of a benchmark is comparable with the speeds that watching measures."""

from __future__ import annotations

from mecha_tui.core.bench import BenchResults, Rate
from mecha_tui.core.usual import (
    ENOUGH_TOKENS,
    Direction,
    Load,
    Measurement,
    Setup,
    depth_band,
)

SOURCE = "bench"


def bench_speeds(results: BenchResults, setup: Setup, wall_s: float) -> tuple[Measurement, ...]:
    """Return the speeds of one request alone that stayed within one depth band.

    Streams are not among them: their wall clock also holds the reading of prompts.

    Args:
        results: What was measured.
        setup: On which server.
        wall_s: When, in seconds since the epoch.
    """
    alone = [
        (Direction.WRITING, one.writing, one.reading.tokens + (one.reused_tokens or 0))
        for one in results.single
    ]
    alone += [(Direction.READING, one.reading, one.reused_tokens or 0) for one in results.reading]
    measured = (_measurement(*one, setup, wall_s) for one in alone)
    return tuple(one for one in measured if one is not None)


def _measurement(
    direction: Direction, rate: Rate, held_tokens: int, setup: Setup, wall_s: float
) -> Measurement | None:
    band = depth_band(held_tokens)
    speed = rate.tokens_per_s
    if speed is None or rate.tokens < ENOUGH_TOKENS:
        return None
    if depth_band(held_tokens + rate.tokens) != band:
        return None
    return Measurement(
        direction, setup, Load(1, band), speed, rate.tokens, rate.seconds, wall_s, SOURCE
    )
