"""What other flags would reserve is worked out, or not claimed at all."""

from __future__ import annotations

from dataclasses import replace

from mecha_tui.core.memory_prediction import predictions
from mecha_tui.core.numbers import ServerNumbers
from mecha_tui.core.reading import known, unknown
from tests.app.memory_scenes import with_kv

TOKEN_BYTES = 24 * (1024 + 1024) * 2


def by_flags(numbers: ServerNumbers) -> dict[str, int]:
    return {one.flags: one.kv_bytes for one in predictions(numbers)}


def test_context_costs_and_slots_alone_do_not() -> None:
    numbers = with_kv()
    assert numbers.kv_bytes.value == 32_768 * TOKEN_BYTES
    found = by_flags(numbers)
    assert found["-c 65536 -np 4"] == 65_536 * TOKEN_BYTES
    assert found["-c 65536 -np 8"] == 65_536 * TOKEN_BYTES
    assert found["-c 32768 -np 8"] == 32_768 * TOKEN_BYTES
    assert found["-c 32768 -np 2"] == 32_768 * TOKEN_BYTES
    assert found["-c 16384 -np 4"] == 16_384 * TOKEN_BYTES


def test_a_change_is_told_against_now() -> None:
    changes = {one.flags: one.change_bytes for one in predictions(with_kv())}
    assert changes["-c 65536 -np 4"] == 32_768 * TOKEN_BYTES
    assert changes["-c 32768 -np 8"] == 0
    assert changes["-c 16384 -np 4"] == -16_384 * TOKEN_BYTES


def test_no_slot_is_promised_more_than_the_model_was_trained_for() -> None:
    numbers = replace(with_kv(), training_window_tokens=known(8192, "models"))
    windows = {one.flags: one.slot_window_tokens for one in predictions(numbers)}
    assert windows["-c 65536 -np 4"] == 8192
    assert by_flags(numbers)["-c 65536 -np 4"] == 32_768 * TOKEN_BYTES


def test_nothing_is_predicted_where_the_model_is_not_known() -> None:
    numbers = with_kv()
    blind = replace(numbers, kv_bytes=unknown("the model file was not read"))
    assert predictions(blind) == ()
    assert predictions(replace(numbers, slots=unknown("not told"))) == ()
    assert predictions(ServerNumbers()) == ()
