"""The state file survives what happens to files."""

from __future__ import annotations

import os
import resource
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mecha_tui.core.usual import Direction, Load, Measurement, Setup
from mecha_tui.store.database import Database
from mecha_tui.store.folder import FILE_NAME, state_folder
from mecha_tui.store.migrations import MIGRATIONS
from mecha_tui.store.speeds import KEPT_DAYS, StoredSpeeds

SETUP = Setup(model="m.gguf", window_tokens=8192, slot_count=4)
LOAD = Load(1, 0)
DAY_S = 86_400

_WRITE_FOR_EVER = """
import sys
from pathlib import Path
from mecha_tui.core.usual import Direction, Load, Measurement, Setup
from mecha_tui.store.database import Database
from mecha_tui.store.speeds import StoredSpeeds
speeds = StoredSpeeds(Database(Path(sys.argv[1])))
setup = Setup(model="m.gguf", window_tokens=8192, slot_count=4)
count = int(sys.argv[2])
while count:
    one = Measurement(Direction.WRITING, setup, Load(1, 0), 50.0, 500, 10.0, 5.0, "watching")
    speeds.record([one])
    print(speeds.trouble, flush=True)
    count -= 1
"""


def measured(tokens_per_s: float = 50.0, wall_s: float = 5.0, model: str = "m.gguf") -> Measurement:
    setup = Setup(model=model, window_tokens=8192, slot_count=4)
    return Measurement(Direction.WRITING, setup, LOAD, tokens_per_s, 500, 10.0, wall_s, "watching")


def count_in(folder: Path) -> int:
    with sqlite3.connect(folder / FILE_NAME) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        (count,) = connection.execute("SELECT coalesce(sum(count), 0) FROM speed").fetchone()
    connection.close()
    return int(count)


def writer(
    folder: Path, count: int, preexec_fn: Callable[[], None] | None = None
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _WRITE_FOR_EVER, str(folder), str(count)],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=preexec_fn,
    )


def test_speeds_are_there_in_the_next_run(tmp_path: Path) -> None:
    first = Database(tmp_path)
    StoredSpeeds(first).record([measured(77.0), measured(78.0), measured(79.0)])
    first.close()
    second = StoredSpeeds(Database(tmp_path))
    found = second.usual(Direction.WRITING, SETUP, LOAD)
    assert found is not None
    assert found.tokens_per_s == pytest.approx(78.0, rel=0.0026)
    assert (found.count, found.tokens) == (3, 1500)
    assert second.usual(Direction.READING, SETUP, LOAD) is None
    assert second.usual(Direction.WRITING, SETUP, Load(2, 0)) is None
    assert second.usuals(Setup(model="m.gguf", window_tokens=4096, slot_count=4)) == {}
    assert second.trouble is None


def test_what_is_not_comparable_is_not_kept(tmp_path: Path) -> None:
    speeds = StoredSpeeds(Database(tmp_path))
    one = measured()
    unlike = Measurement(one.direction, Setup(), LOAD, 50.0, 500, 10.0, 5.0, "watching")
    absurd = [measured(0.0), measured(float("nan")), measured(float("inf"))]
    speeds.record([unlike, *absurd, one])
    assert count_in(tmp_path) == 1


def test_the_environment_names_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MECHA_TUI_STATE", str(tmp_path / "there"))
    assert state_folder() == tmp_path / "there"
    StoredSpeeds(Database()).record([measured()])
    assert count_in(tmp_path / "there") == 1


@pytest.mark.parametrize(
    "content", [b"not a database at all" * 300, b"SQLite format 3\0" + b"x" * 9000]
)
def test_a_damaged_file_is_moved_aside_and_said(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    speeds = StoredSpeeds(Database(tmp_path))
    speeds.record([measured()])
    assert (tmp_path / f"{FILE_NAME}.broken").read_bytes() == content
    assert speeds.trouble is not None
    assert "damaged" in speeds.trouble
    assert count_in(tmp_path) == 1


def test_damage_that_comes_while_it_is_open_stops_nothing(tmp_path: Path) -> None:
    database = Database(tmp_path)
    speeds = StoredSpeeds(database)
    speeds.record([measured()])
    sqlite3.connect(tmp_path / FILE_NAME).execute("PRAGMA wal_checkpoint(TRUNCATE)")
    path = tmp_path / FILE_NAME
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (path.stat().st_size - 4096))
    database.close()
    speeds.record([measured()])
    assert "damaged" in str(speeds.trouble)
    assert count_in(tmp_path) == 1


def test_a_folder_that_cannot_be_made_leaves_it_in_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    speeds = StoredSpeeds(Database(tmp_path / "file" / "folder"))
    speeds.record([measured(), measured(), measured()])
    assert "in memory" in str(speeds.trouble)
    assert speeds.usual(Direction.WRITING, SETUP, LOAD) is not None


def test_a_file_of_a_newer_version_is_left_alone_but_read(tmp_path: Path) -> None:
    StoredSpeeds(Database(tmp_path)).record([measured()])
    with sqlite3.connect(tmp_path / FILE_NAME) as connection:
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    connection.close()
    speeds = StoredSpeeds(Database(tmp_path))
    speeds.record([measured()])
    assert "newer" in str(speeds.trouble)
    assert count_in(tmp_path) == 1


def test_a_full_disk_stops_nothing(tmp_path: Path) -> None:
    StoredSpeeds(Database(tmp_path)).record([measured()])
    limit = 16 * 1024
    running = writer(
        tmp_path,
        30,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    told, _ = running.communicate()
    assert running.returncode == 0
    lines = told.splitlines()
    assert len(lines) == 30
    assert "in memory" in lines[-1]
    assert count_in(tmp_path) >= 1


def test_several_instances_lose_nothing(tmp_path: Path) -> None:
    running = [writer(tmp_path, 40) for _ in range(3)]
    told = [one.communicate()[0] for one in running]
    assert told == ["None\n" * 40] * 3
    assert count_in(tmp_path) == 120


def test_a_kill_while_writing_leaves_it_readable(tmp_path: Path) -> None:
    for _ in range(3):
        running = writer(tmp_path, -1)
        assert running.stdout is not None
        for _ in range(20):
            assert running.stdout.readline() == "None\n"
        before = count_in(tmp_path)
        os.kill(running.pid, signal.SIGKILL)
        running.communicate()
        assert count_in(tmp_path) >= before
    speeds = StoredSpeeds(Database(tmp_path))
    assert speeds.usual(Direction.WRITING, SETUP, LOAD) is not None
    assert speeds.trouble is None


def test_old_days_and_rare_setups_are_forgotten(tmp_path: Path) -> None:
    speeds = StoredSpeeds(Database(tmp_path))
    speeds.record([measured(wall_s=day * DAY_S) for day in range(KEPT_DAYS * 2)])
    assert count_in(tmp_path) == KEPT_DAYS + 1
    last = KEPT_DAYS * 2 * DAY_S
    speeds.record([measured(wall_s=last, model=f"m{one}.gguf") for one in range(300)])
    with sqlite3.connect(tmp_path / FILE_NAME) as connection:
        assert connection.execute("SELECT count(*) FROM setup").fetchone() == (200,)
    connection.close()


def test_a_year_of_days_stays_small(tmp_path: Path) -> None:
    speeds = StoredSpeeds(Database(tmp_path))
    for day in range(365):
        speeds.record(
            [measured(80.0 + step % 9, day * DAY_S) for step in range(40)],
        )
    assert (tmp_path / FILE_NAME).stat().st_size < 1 << 20
