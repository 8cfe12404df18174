"""Every slowdown that can be told is explained, with the figures that the code goes by."""

from __future__ import annotations

from pathlib import Path

from mecha_tui.core.slowdown import CODES, RECOVERED_S, SLOW_S
from mecha_tui.core.steady import MEASURED_S
from mecha_tui.core.usual import (
    DAY_WEIGHT,
    DAYS,
    ENOUGH_TOKENS,
    ENOUGH_USUAL_TOKENS,
    RECOVERED_RATIO,
)
from mecha_tui.store.speeds import KEPT_DAYS, KEPT_SETUPS

TEXT = " ".join((Path(__file__).parents[2] / "docs" / "speed.md").read_text("utf-8").split())


def test_every_code_has_its_section() -> None:
    assert f"## {', '.join(CODES.values())} " in TEXT


def test_the_figures_are_those_of_the_code() -> None:
    for told in (
        f"{SLOW_S:g} measured seconds in a row",
        f"{RECOVERED_S:g} measured seconds above {RECOVERED_RATIO * 100:g} %",
        f"at least {MEASURED_S:g} seconds and {ENOUGH_TOKENS} tokens",
        f"last {DAYS} days",
        f"more than {DAY_WEIGHT:g} of them",
        f"{ENOUGH_USUAL_TOKENS} tokens on",
        f"kept for {KEPT_DAYS} days and {KEPT_SETUPS} setups",
    ):
        assert told in TEXT, told
