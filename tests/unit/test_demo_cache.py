"""The demo's model is written once, whole or not at all, by however many demos at a time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mecha_tui.demo.cache import cached_model
from mecha_tui.demo.model import write_model
from mecha_tui.demo.pace import ModelSize
from mecha_tui.errors import UsageError

SIZE = ModelSize(64, 1)


def test_a_model_is_written_once_and_then_found(tmp_path: Path) -> None:
    path = cached_model(SIZE, tmp_path)
    written = path.stat().st_mtime_ns, path.stat().st_ino
    assert cached_model(SIZE, tmp_path) == path
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == written


def test_sizes_lie_side_by_side(tmp_path: Path) -> None:
    assert cached_model(SIZE, tmp_path) != cached_model(ModelSize(64, 2), tmp_path)
    assert len(list(tmp_path.iterdir())) == 2


def test_two_demos_at_once_leave_one_whole_model(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from mecha_tui.demo.cache import *; "
        "cached_model(ModelSize(64, 1), Path(sys.argv[1]))"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path)]) for _ in range(2)]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    (path,) = tmp_path.iterdir()
    alone = tmp_path / "alone.gguf"
    write_model(alone, embedding=64, blocks=1, name=SIZE.name)
    assert path.read_bytes() == alone.read_bytes()


def test_a_failed_write_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("gguf.GGUFWriter.write_tensors_to_file", fail)
    with pytest.raises(UsageError, match="No space left on device"):
        cached_model(SIZE, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_demo_left_unfinished_is_removed_later(tmp_path: Path) -> None:
    old, new = tmp_path / "a.gguf.1.part", tmp_path / "a.gguf.2.part"
    for path in (old, new):
        path.touch()
    os.utime(old, (0, 0))
    cached_model(SIZE, tmp_path)
    assert not old.exists()
    assert new.exists()


def test_a_folder_that_cannot_be_made_is_told_with_its_cure(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="XDG_CACHE_HOME"):
        cached_model(SIZE, tmp_path / "file" / "folder")
