"""A real control group's limit, set by the kernel of this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from mecha_tui.collect.memory.cgroup import memory_limit

TOP = Path("/sys/fs/cgroup")
LIMIT_BYTES = 64 << 20


@pytest.fixture
def limited() -> Iterator[tuple[int, str]]:
    """A process in a group of its own, whose limit was just set."""
    version_one = (TOP / "memory").is_dir()
    name = f"mecha-tui-test-{os.getpid()}"
    place = (TOP / "memory" if version_one else TOP) / name
    limit = place / ("memory.limit_in_bytes" if version_one else "memory.max")
    child = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=-1)
    try:
        try:
            place.mkdir()
            limit.write_text(str(LIMIT_BYTES))
            (place / "cgroup.procs").write_text(str(child.pid))
        except OSError as error:
            pytest.skip(f"no control group can be made here: {error}")
        yield child.pid, f"control group /{name}"
    finally:
        child.kill()
        child.wait(60)
        child.stdin and child.stdin.close()
        with suppress(OSError):
            place.rmdir()


@pytest.mark.skipif(sys.platform != "linux", reason="control groups are Linux's")
def test_the_limit_of_a_real_group_is_found(limited: tuple[int, str]) -> None:
    pid, name = limited
    limit = memory_limit(Path("/"), pid)
    assert limit.name == name
    assert limit.limit_bytes.value == LIMIT_BYTES
    assert limit.left_bytes.value is not None
    assert 0 < limit.left_bytes.value <= LIMIT_BYTES
