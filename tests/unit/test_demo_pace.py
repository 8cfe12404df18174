"""The demo's model can be watched on a fast machine as on a slow one."""

from __future__ import annotations

import pytest

from mecha_tui.demo.pace import READING_TOKENS_PER_S, SIZES, USUAL, ModelSize, fitting_size


def test_a_machine_of_the_usual_speed_gets_the_usual_model() -> None:
    assert fitting_size(READING_TOKENS_PER_S, USUAL) == USUAL
    assert fitting_size(READING_TOKENS_PER_S * 1.5, USUAL) == USUAL


@pytest.mark.parametrize(
    ("times_as_fast", "size"),
    [
        (0.001, SIZES[0]),
        (0.3, ModelSize(128, 3, 0.28)),
        (3.0, ModelSize(384, 6, 3.1)),
        (1000.0, SIZES[-1]),
    ],
)
def test_a_faster_machine_gets_a_larger_model(times_as_fast: float, size: ModelSize) -> None:
    assert fitting_size(READING_TOKENS_PER_S * times_as_fast, USUAL) == size


def test_the_choice_does_not_depend_on_the_model_that_was_measured() -> None:
    large = SIZES[-1]
    speed = READING_TOKENS_PER_S / large.reading_cost
    assert fitting_size(speed, large) == USUAL


def test_sizes_go_from_quick_to_slow() -> None:
    costs = [size.reading_cost for size in SIZES]
    assert costs == sorted(costs)
