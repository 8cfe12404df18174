"""Watching keeps no server awake, wakes none, and spoils nobody's averages."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mecha_tui.core.polling import (
    GENTLE_INTERVAL_S,
    IDLE_PATIENCE_S,
    MODELS_INTERVAL_S,
    PARTLY_BUSY_METRICS_INTERVAL_S,
    PROPS_INTERVAL_S,
    QUIET_INTERVAL_S,
    UNSEEN_INTERVAL_S,
    Looks,
    are_connections_wanted,
    is_metrics_due,
    is_models_due,
    is_props_due,
    is_resting,
    is_slots_due,
)

NOW_S = 10_000.0
JUST_S = NOW_S - 1.0
NEVER = Looks(
    props_s=JUST_S,
    is_sleeping=False,
    sleep_idle_s=-1,
    slots_s=JUST_S,
    busy=0,
    slot_count=4,
    idle_since_s=JUST_S,
)
"""An idle server that never sleeps."""
SLEEPER = replace(NEVER, sleep_idle_s=30)
"""An idle server that sleeps after half a minute."""


@pytest.mark.parametrize(
    ("looks", "may_sleep"),
    [
        (Looks(), None),
        (Looks(props_s=1.0, is_sleeping=None), False),
        (Looks(props_s=1.0, is_sleeping=False), None),
        (Looks(props_s=1.0, is_sleeping=False, has_slept=True), True),
        (Looks(props_s=1.0, is_sleeping=False, sleep_idle_s=-1), False),
        (Looks(props_s=1.0, is_sleeping=False, sleep_idle_s=0), False),
        (Looks(props_s=1.0, is_sleeping=False, sleep_idle_s=1), True),
    ],
)
def test_whether_a_server_may_sleep_is_unknown_until_something_tells(
    looks: Looks, may_sleep: bool | None
) -> None:
    assert looks.may_sleep is may_sleep


@pytest.mark.parametrize(
    ("looks", "is_due"),
    [
        (Looks(), True),
        (NEVER, False),
        (replace(NEVER, props_s=NOW_S - PROPS_INTERVAL_S), True),
        (replace(NEVER, has_slots=False), True),
        (SLEEPER, True),
        (replace(NEVER, sleep_idle_s=None), True),
    ],
)
def test_props_are_asked_every_round_unless_the_server_never_sleeps(
    looks: Looks, is_due: bool
) -> None:
    assert is_props_due(looks, NOW_S) is is_due


UNSEEN = replace(SLEEPER, sleep_idle_s=None)
"""One of which nobody knows whether it sleeps, nor what it does."""


@pytest.mark.parametrize(
    ("looks", "is_alone"),
    [
        (Looks(), False),
        (Looks(is_sleeping=True), True),
        (replace(NEVER, is_sleeping=True), True),
        (replace(SLEEPER, is_sleeping=True, connections=3), True),
        (replace(SLEEPER, is_sleeping=True, is_computing=True), True),
        (NEVER, False),
        (replace(NEVER, is_computing=False), False),
        (SLEEPER, True),
        (replace(SLEEPER, slots_s=NOW_S - GENTLE_INTERVAL_S), False),
        (replace(SLEEPER, slots_s=NOW_S - GENTLE_INTERVAL_S, is_computing=False), True),
        (replace(SLEEPER, slots_s=NOW_S - GENTLE_INTERVAL_S, connections=0), True),
        (replace(SLEEPER, connections=0), True),
        (replace(SLEEPER, connections=1), False),
        (replace(SLEEPER, connections=1, is_computing=False), True),
        (replace(SLEEPER, connections=0, is_computing=True), False),
        (replace(SLEEPER, busy=1, idle_since_s=None, is_computing=False), False),
        (replace(SLEEPER, slots_s=None, idle_since_s=None), False),
        (replace(SLEEPER, slots_s=None, idle_since_s=None, is_once=True), True),
        (replace(SLEEPER, slots_s=None, idle_since_s=None, is_computing=False), True),
        (replace(SLEEPER, slots_s=None, idle_since_s=None, connections=0), True),
        (UNSEEN, False),
        (replace(UNSEEN, is_gentle=True), True),
        (replace(UNSEEN, is_computing=False), True),
        (replace(UNSEEN, connections=0), True),
        (replace(UNSEEN, has_slept=True), True),
        (replace(UNSEEN, has_slept=True, slots_s=NOW_S - GENTLE_INTERVAL_S), False),
        (replace(UNSEEN, is_sleeping=None, connections=0), False),
    ],
)
def test_a_server_that_may_fall_asleep_is_left_alone_while_idle(
    looks: Looks, is_alone: bool
) -> None:
    assert is_resting(looks, NOW_S) is is_alone
    if is_alone:
        assert not is_slots_due(looks, NOW_S)
        assert not is_metrics_due(looks, NOW_S)
        assert not is_metrics_due(replace(looks, has_slots=False), NOW_S)


@pytest.mark.parametrize(
    ("looks", "may_keep_awake"),
    [
        (UNSEEN, True),
        (replace(UNSEEN, is_gentle=True), False),
        (replace(UNSEEN, connections=0), False),
        (replace(UNSEEN, is_computing=True), False),
        (NEVER, False),
        (SLEEPER, False),
    ],
)
def test_it_is_told_where_asking_may_keep_a_server_awake(
    looks: Looks, may_keep_awake: bool
) -> None:
    assert looks.may_keep_awake is may_keep_awake


LONG_IDLE = replace(NEVER, idle_since_s=NOW_S - IDLE_PATIENCE_S)


@pytest.mark.parametrize(
    ("looks", "is_due"),
    [
        (Looks(), True),
        (NEVER, True),
        (LONG_IDLE, False),
        (replace(LONG_IDLE, connections=1), True),
        (replace(LONG_IDLE, is_computing=True), True),
        (replace(LONG_IDLE, slots_s=NOW_S - UNSEEN_INTERVAL_S), True),
        (replace(LONG_IDLE, slots_s=NOW_S - UNSEEN_INTERVAL_S, is_computing=False), False),
        (replace(LONG_IDLE, slots_s=NOW_S - QUIET_INTERVAL_S, is_computing=False), True),
        (replace(LONG_IDLE, busy=1, idle_since_s=None), True),
    ],
)
def test_slots_are_asked_less_when_all_were_idle_for_long(looks: Looks, is_due: bool) -> None:
    assert is_slots_due(looks, NOW_S) is is_due


FULL = replace(NEVER, busy=4, idle_since_s=None, metrics_s=JUST_S)
PARTLY = replace(FULL, busy=2, deferred=0)


@pytest.mark.parametrize(
    ("looks", "is_due"),
    [
        (Looks(), True),
        (NEVER, False),
        (FULL, True),
        (PARTLY, False),
        (replace(PARTLY, deferred=1), True),
        (replace(PARTLY, metrics_s=None), True),
        (replace(PARTLY, metrics_s=NOW_S - PARTLY_BUSY_METRICS_INTERVAL_S), True),
        (replace(NEVER, has_slots=False), True),
        (replace(NEVER, metrics_s=NOW_S), False),
        (replace(NEVER, metrics_s=JUST_S - 1, idle_since_s=JUST_S), True),
        (replace(SLEEPER, metrics_s=JUST_S - 1, idle_since_s=JUST_S), False),
    ],
)
def test_metrics_are_asked_while_requests_can_be_waiting_and_once_after_the_last(
    looks: Looks, is_due: bool
) -> None:
    assert is_metrics_due(looks, NOW_S) is is_due


def test_the_list_of_models_is_asked_now_and_then() -> None:
    assert is_models_due(Looks(), NOW_S)
    assert not is_models_due(Looks(models_s=JUST_S), NOW_S)
    assert is_models_due(Looks(models_s=NOW_S - MODELS_INTERVAL_S), NOW_S)


@pytest.mark.parametrize(
    ("looks", "are_wanted"),
    [
        (Looks(), True),
        (replace(FULL, deferred=None), True),
        (replace(FULL, deferred=3), False),
        (replace(FULL, deferred=0), False),
        (NEVER, False),
        (SLEEPER, True),
        (replace(SLEEPER, is_computing=False), False),
        (replace(FULL, deferred=None, is_computing=True), True),
        (replace(SLEEPER, is_sleeping=True), True),
        (replace(SLEEPER, busy=1, deferred=0), False),
    ],
)
def test_connections_are_counted_only_where_something_depends_on_them(
    looks: Looks, are_wanted: bool
) -> None:
    assert are_connections_wanted(looks) is are_wanted
