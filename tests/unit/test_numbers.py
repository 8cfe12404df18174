"""KV mode, pool and division follow the table measured on real servers."""

from __future__ import annotations

import shlex

import pytest

from mecha_tui.core.command_line import launch_flags
from mecha_tui.core.division import KvMode, division
from mecha_tui.core.launch import LaunchFlags
from mecha_tui.core.numbers import ServerNumbers, server_numbers
from mecha_tui.core.server import Model, Props
from mecha_tui.core.slots import Slot

TRAINED = 131_072
DIVIDED, SHARED = KvMode.DIVIDED, KvMode.SHARED

MEASURED = [
    ("-c 32768 -np 4", 4, 8192, DIVIDED, None),
    ("-c 32768", 4, 32768, SHARED, 32768),
    ("-c 8192 -np 2 -kvu", 2, 8192, SHARED, 8192),
    ("-c 10000 -np 3", 3, 3584, DIVIDED, None),
    ("--kv-unified-per-slot 2048", 4, 2048, SHARED, 8192),
    ("--kv-unified-per-slot 2048 -np 3", 3, 2048, DIVIDED, None),
    ("-c 4096 --kv-unified-per-slot 2048 -np 4", 4, 1024, DIVIDED, None),
    ("-c 1000000 -np 4", 4, 131072, DIVIDED, None),
    ("-c 0 -np 2", 2, 131072, DIVIDED, None),
    ("-np 2", 2, 131072, DIVIDED, None),
    ("-c 0", 4, 131072, SHARED, 131072),
    ("-c 8192 -np -1", 4, 8192, SHARED, 8192),
    ("-c 10000 -np 3 -kvu", 3, 10240, SHARED, 10240),
    ("-c 300 -np 3", 3, 256, DIVIDED, None),
    ("-c 1000000 -np 2 -kvu", 2, 131072, SHARED, 1000192),
    ("-c 4096 --kv-unified-per-slot 2048", 4, 2048, SHARED, 4096),
    ("-c 8192 --kv-unified-per-slot 2048", 4, 2048, SHARED, 8192),
    ("-c 4096 --kv-unified-per-slot 2048 -np 2 -kvu", 2, 2048, SHARED, 4096),
    ("-c 32768 --kv-unified-per-slot 2048 -np 4", 4, 2048, DIVIDED, None),
    ("--kv-unified-per-slot 2000 -np 3", 3, 2000, DIVIDED, None),
    ("-c 8192 -np 1", 1, 8192, DIVIDED, None),
]
"""Flags, then what a server trained for 131,072 tokens made of them: slots, window, mode, pool."""


def numbers_of(launch: LaunchFlags, slots: int, window: int) -> ServerNumbers:
    return server_numbers(
        launch,
        Props(slot_count=slots, slot_window_tokens=window),
        tuple(Slot(number, False, window) for number in range(slots)),
        (Model("tiny", training_window_tokens=TRAINED),),
    )


@pytest.mark.parametrize(("flags", "slots", "window", "mode", "pool"), MEASURED)
def test_the_measured_table(
    flags: str, slots: int, window: int, mode: KvMode, pool: int | None
) -> None:
    numbers = numbers_of(launch_flags(shlex.split(flags), {}), slots, window)
    assert numbers.slots.value == slots
    assert numbers.slot_window_tokens.value == window
    assert numbers.kv_mode.value is mode
    assert numbers.pool_tokens.value == pool
    assert (numbers.pool_tokens.reason is None) == (pool is not None)


@pytest.mark.parametrize(("flags", "slots", "window", "mode", "pool"), MEASURED)
def test_the_arithmetic_explains_the_measured_table(
    flags: str, slots: int, window: int, mode: KvMode, pool: int | None
) -> None:
    launch = launch_flags(shlex.split(flags), {})
    outcome = division(
        launch.context_tokens.value or 0,
        None if launch.has_auto_slots else launch.slots.value,
        is_unified=bool(launch.is_unified.value),
        per_slot_cap_tokens=launch.per_slot_cap_tokens.value,
        training_window_tokens=TRAINED,
    )
    if not launch.context_tokens.value and not launch.per_slot_cap_tokens.value:
        assert outcome is None, "builds differ, so only the server can tell"
        return
    assert outcome is not None
    assert (outcome.slots, outcome.slot_window_tokens) == (slots, window)
    if slots > 1:
        assert outcome.mode is mode
    if pool is not None:
        assert outcome.pool_tokens == pool


def test_the_servers_own_figure_decides_over_the_flags() -> None:
    divided = numbers_of(launch_flags(["-c", "32768"], {}), 4, 8192)
    assert divided.kv_mode.value is DIVIDED
    shared = numbers_of(launch_flags(["-c", "32768", "-np", "4"], {}), 4, 32768)
    assert shared.kv_mode.value is SHARED
    assert shared.pool_tokens.value == 32768


def test_builds_that_do_not_round_a_window_up_are_understood() -> None:
    unread = numbers_of(launch_flags(["-c", "163840", "-np", "6"], None, "unread"), 6, 27306)
    assert unread.kv_mode.value is DIVIDED
    shared = numbers_of(launch_flags(["-c", "8000"], None, "unread"), 4, 8000)
    assert shared.kv_mode.value is SHARED
    assert shared.pool_tokens.value == 8000


def test_without_flags_mode_and_pool_are_unknown_and_say_why() -> None:
    numbers = numbers_of(launch_flags(None, None, "it runs as another user"), 4, 8192)
    assert numbers.slot_window_tokens.value == 8192
    assert numbers.kv_mode.value is None
    assert numbers.kv_mode.reason == "it runs as another user"
    assert numbers.pool_tokens.value is None
    assert numbers.pool_tokens.reason
    assert numbers.fair_share_tokens is None


def test_one_slot_shares_with_nobody_whatever_the_flags() -> None:
    numbers = numbers_of(launch_flags(None, None, "remote"), 1, 8192)
    assert numbers.kv_mode.value is DIVIDED
    assert numbers.fair_share_tokens == 8192


def test_the_fair_share_of_a_pool_is_what_all_slots_may_hold_at_once() -> None:
    assert numbers_of(launch_flags(["-c", "32768"], {}), 4, 32768).fair_share_tokens == 8192
    capped = launch_flags(["--kv-unified-per-slot", "2048"], {})
    assert numbers_of(capped, 4, 2048).fair_share_tokens == 2048


def test_a_model_within_a_router_has_only_its_own_figures() -> None:
    models = (
        Model("a", slot_window_tokens=1024, training_window_tokens=2048),
        Model("b", slot_window_tokens=4096, training_window_tokens=8192),
    )
    numbers = server_numbers(LaunchFlags(), None, None, models, model_id="b")
    assert numbers.slot_window_tokens.value == 4096
    assert numbers.training_window_tokens.value == 8192
    assert numbers.model_names == ("b",)


def test_a_server_that_says_nothing_leaves_every_number_unknown() -> None:
    numbers = server_numbers(LaunchFlags(), None, None, ())
    assert numbers.slots.value is None
    assert numbers.slot_window_tokens.value is None
    assert numbers.kv_mode.value is None
    assert numbers.pool_tokens.value is None
    assert numbers.reasoning_budget.reason
