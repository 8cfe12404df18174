"""How the state file came to its present shape. Scripts are only ever appended."""

from __future__ import annotations

MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE setup (
        id INTEGER PRIMARY KEY,
        likeness TEXT NOT NULL UNIQUE
    );
    CREATE TABLE speed (
        setup_id INTEGER NOT NULL REFERENCES setup (id) ON DELETE CASCADE,
        direction TEXT NOT NULL,
        busy_slots INTEGER NOT NULL,
        depth_band INTEGER NOT NULL,
        day INTEGER NOT NULL,
        step INTEGER NOT NULL,
        count INTEGER NOT NULL,
        tokens INTEGER NOT NULL,
        PRIMARY KEY (setup_id, direction, busy_slots, depth_band, day, step)
    ) WITHOUT ROWID;
    CREATE INDEX speed_day ON speed (day);
    """,
)
"""One script a version; a file's ``user_version`` counts those that it went through."""
