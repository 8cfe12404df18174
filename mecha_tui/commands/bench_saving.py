"""``mecha-tui bench --save``: keeps what was measured among the usual speeds."""

from __future__ import annotations

import sys
import time

from mecha_tui.core.bench import BenchResults
from mecha_tui.core.bench_speeds import bench_speeds
from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.usual import setup_of


def save(results: BenchResults, picture: ServerPicture) -> bool:
    """Keep what can be compared, and say how much of it was; whether it is on the disk."""
    from mecha_tui.store.database import Database
    from mecha_tui.store.speeds import StoredSpeeds

    setup = setup_of(picture)
    speeds = bench_speeds(results, setup, time.time())
    if not speeds or not setup.is_comparable:
        why = "nothing measured can be compared" if not speeds else "the server says too little"
        print(f"mecha-tui: nothing was saved: {why} (docs/bench.md)", file=sys.stderr)
        return False
    database = Database()
    print(f"saving {len(speeds)} speeds in {database.path}", file=sys.stderr, flush=True)
    StoredSpeeds(database).record(speeds)
    database.close()
    if database.trouble is not None:
        print(f"mecha-tui: {database.trouble}", file=sys.stderr)
    return database.trouble is None or "begun anew" in database.trouble
