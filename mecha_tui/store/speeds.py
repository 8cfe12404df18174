"""Measured speeds in the state file: grouped by day and steps of half a per cent."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import asdict

from mecha_tui.core.usual import (
    DAY_S,
    Condition,
    Direction,
    Group,
    Load,
    Measurement,
    Setup,
    Usual,
    Usuals,
    usual_of,
)
from mecha_tui.store.database import Database

STEP = math.log(1.005)
"""Speeds within half a per cent are kept as one, so that a usual one is right to a quarter."""
KEPT_DAYS = 120
"""Older days are forgotten."""
KEPT_SETUPS = 200
"""Of so many setups the ones used last are kept."""

_ADD = """
    INSERT INTO speed (setup_id, direction, busy_slots, depth_band, day, step, count, tokens)
    VALUES (?, ?, ?, ?, ?, ?, 1, ?)
    ON CONFLICT DO UPDATE SET count = count + 1, tokens = tokens + excluded.tokens
"""
_OF_SETUP = """
    SELECT direction, busy_slots, depth_band, day, step, count, tokens
    FROM speed JOIN setup ON setup.id = setup_id WHERE likeness = ?
"""
_FORGET_SETUPS = """
    DELETE FROM setup WHERE id NOT IN (
        SELECT setup_id FROM speed GROUP BY setup_id ORDER BY max(day) DESC LIMIT ?
    )
"""


class StoredSpeeds:
    """The ``SpeedStore`` in SQLite. Its calls may wait for the disk."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def trouble(self) -> str | None:
        """What is wrong with the state file, in words; None while all is well."""
        return self._database.trouble

    def record(self, measurements: Sequence[Measurement]) -> None:
        """Keep measurements; those of a setup that is not comparable are dropped."""
        usable = [one for one in measurements if one.setup.is_comparable and _is_sound(one)]
        if usable:
            self._database.run(lambda connection: _record(connection, usable))

    def usual(self, direction: Direction, setup: Setup, load: Load) -> Usual | None:
        """Return the usual speed under one condition; None when none was measured."""
        return self.usuals(setup).get((direction, load))

    def usuals(self, setup: Setup) -> Usuals:
        """Return everything usual for one setup."""
        if not setup.is_comparable:
            return {}
        rows = self._database.run(
            lambda connection: connection.execute(_OF_SETUP, (likeness(setup),)).fetchall()
        )
        return _usuals(rows)


def likeness(setup: Setup) -> str:
    """Return the text by which setups are alike or not."""
    return json.dumps(asdict(setup), sort_keys=True, ensure_ascii=False)


def _is_sound(one: Measurement) -> bool:
    return math.isfinite(one.tokens_per_s) and one.tokens_per_s > 0 and one.tokens > 0


def _record(connection: sqlite3.Connection, measurements: Iterable[Measurement]) -> None:
    newest = 0
    for one in measurements:
        name = likeness(one.setup)
        connection.execute("INSERT OR IGNORE INTO setup (likeness) VALUES (?)", (name,))
        (setup_id,) = connection.execute(
            "SELECT id FROM setup WHERE likeness = ?", (name,)
        ).fetchone()
        day = int(one.wall_s // DAY_S)
        newest = max(newest, day)
        step = round(math.log(one.tokens_per_s) / STEP)
        load = (one.load.busy_slots, one.load.depth_band)
        connection.execute(_ADD, (setup_id, one.direction.value, *load, day, step, one.tokens))
    connection.execute("DELETE FROM speed WHERE day < ?", (newest - KEPT_DAYS,))
    connection.execute(_FORGET_SETUPS, (KEPT_SETUPS,))


def _usuals(rows: Iterable[tuple[str, int, int, int, int, int, int]]) -> Usuals:
    groups: dict[Condition, list[Group]] = {}
    for direction, busy, band, day, step, count, tokens in rows:
        condition = (Direction(direction), Load(busy, band))
        groups.setdefault(condition, []).append(Group(day, math.exp(step * STEP), count, tokens))
    found = {condition: usual_of(group) for condition, group in groups.items()}
    return {condition: one for condition, one in found.items() if one is not None}
