"""A restart cut short is told at the next start, without secrets."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from mecha_tui.control.restart.ending import ChosenProcess
from mecha_tui.control.restart.journal import Entry, Journal, told
from mecha_tui.control.restart.starting import LOG_LIMIT_BYTES, log_path, rotate
from mecha_tui.errors import MechaTuiError

URL = "http://127.0.0.1:8080"
GONE = Entry(
    URL, URL, "process", "process 7", "stopped", 2**22 + 1, 1.0, how="cd / && llama-server"
)


def test_only_restarts_whose_mecha_tui_has_ended_are_left_over(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "state")
    me = psutil.Process()
    running = replace(GONE, by_pid=os.getpid(), by_started_wall_s=me.create_time())
    journal.write(GONE)
    journal.write(running)
    assert journal.left_over() == (GONE,)
    assert (tmp_path / "state").stat().st_mode & 0o077 == 0
    journal.clear(GONE.by_pid)
    assert journal.left_over() == ()


def test_a_damaged_journal_and_a_missing_folder_tell_nothing(tmp_path: Path) -> None:
    (tmp_path / "1.restart.json").write_text("{")
    (tmp_path / "2.restart.json").write_text('{"key": 1}')
    assert Journal(tmp_path).left_over() == ()
    assert Journal(tmp_path / "none").left_over() == ()


def test_what_was_left_is_told_with_the_way_on() -> None:
    me = psutil.Process()
    words = told(replace(GONE, needs=("LLAMA_API_KEY",)), None)
    assert "cut short while stopped" in words
    assert "no server listens there now; start it with: cd / && llama-server" in words
    assert "set LLAMA_API_KEY first" in words
    new = replace(GONE, new_pid=me.pid, new_started_wall_s=me.create_time())
    assert f"the new server (pid {me.pid}) runs and does not listen yet" in told(new, None)
    old = replace(GONE, old_pid=me.pid, old_started_wall_s=me.create_time())
    assert f"the old server (pid {me.pid}) still runs" in told(old, me.pid)
    assert "pid 9 listens there now" in told(GONE, 9)


def test_a_pid_that_is_another_processs_by_now_is_refused() -> None:
    me = psutil.Process()
    with pytest.raises(MechaTuiError, match="another process"):
        ChosenProcess(me.pid, me.create_time() - 100)
    with pytest.raises(MechaTuiError, match="ended"):
        ChosenProcess(2**22 + 1, 1.0)


def test_a_long_log_is_moved_aside_once(tmp_path: Path) -> None:
    log = log_path(tmp_path, URL)
    assert log.name == "127.0.0.1-8080.log"
    log.parent.mkdir()
    log.write_bytes(b"short")
    rotate(log)
    assert log.exists()
    log.write_bytes(b"x" * (LOG_LIMIT_BYTES + 1))
    rotate(log)
    assert not log.exists()
    assert log.with_suffix(".log.1").exists()
