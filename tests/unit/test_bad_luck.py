"""Streams, folders and keyboards that are not as they should be cost a sentence at most."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.tmux import PROJECT
from tests.stub_server import StubServer, stub_server
from tests.unit.test_sampler import Server


@pytest.fixture
def stub() -> Iterator[StubServer]:
    with stub_server(Server()) as opened:
        yield opened


def ran(home: Path, line: str, stub: StubServer) -> subprocess.CompletedProcess[str]:
    """Run a shell line in which ``$M`` is mecha-tui and ``$U`` names the server."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "PYTHONPATH": str(PROJECT),
        "M": f"{sys.executable} -m mecha_tui",
        "U": f"--url {stub.url}",
    }
    return subprocess.run(
        ["bash", "-c", line],
        env=environment,
        cwd=home,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    "line", ["$M $U <&-", "$M $U >&-", "$M $U 2>&-", "$M status $U >&-", "$M check $U >&-; true"]
)
def test_a_closed_stream_is_one_that_leads_nowhere(
    line: str, stub: StubServer, tmp_path: Path
) -> None:
    done = ran(tmp_path, line, stub)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a full device")
@pytest.mark.parametrize("command", ["status", "status --json", "check", "check --json"])
def test_a_full_disk_costs_one_sentence(command: str, stub: StubServer, tmp_path: Path) -> None:
    done = ran(tmp_path, f"$M {command} $U >/dev/full", stub)
    assert done.returncode == 1
    assert done.stderr == ("mecha-tui: the output cannot be written (No space left on device)\n")


def test_a_folder_that_is_gone_holds_no_settings(stub: StubServer, tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    done = ran(tmp_path, "cd gone; rmdir ../gone; $M status $U", stub)
    assert (done.returncode, done.stderr) == (0, "")
    assert "cannot be read" not in done.stdout


def test_what_an_encoding_lacks_is_replaced(stub: StubServer, tmp_path: Path) -> None:
    done = ran(tmp_path, "PYTHONIOENCODING=ascii $M status $U", stub)
    assert (done.returncode, done.stderr) == (0, "")
    assert "?/512 tokens held" in done.stdout
