"""A GB10's driver library, found by the real loader: the real command tells the truth of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.tmux import PROJECT, mecha_tui, terminal
from tests.servers import BUILDS, NEW, RunningServer, running_server

SOURCE = Path(__file__).parents[1] / "data" / "nvml" / "gb10.c"
MIB = 1 << 20
HELD_BYTES, OTHER_BYTES = 19135 * MIB, 18 * MIB

pytestmark = [
    pytest.mark.needs("gcc"),
    pytest.mark.skipif(sys.platform != "linux", reason="the library's name is Linux's"),
]


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the library, compiled here."""
    folder = tmp_path_factory.mktemp("driver")
    library = folder / "libnvidia-ml.so.1"
    command = ["gcc", "-shared", "-fPIC", "-Wall", "-Werror", "-o", str(library), str(SOURCE)]
    subprocess.run(command, check=True, timeout=60)
    return folder


@pytest.fixture(scope="module", params=BUILDS)
def server(request: pytest.FixtureRequest, tiny_model: Path) -> Iterator[RunningServer]:
    with running_server(str(request.param), tiny_model, "-c", "4096", "-np", "2") as running:
        yield running


def environment(libraries: Path, *processes: tuple[int, int]) -> dict[str, str]:
    return {
        "LD_LIBRARY_PATH": str(libraries),
        "FAKE_NVML_PROCESSES": " ".join(f"{pid}:{held}" for pid, held in processes),
    }


def memory_of(server: RunningServer, home: Path, given: dict[str, str]) -> dict[str, Any]:
    """Return what a fresh ``mecha-tui status`` says about the server's memory."""
    done = subprocess.run(
        mecha_tui("status", "--format", "json", "--url", server.url),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env={**os.environ, "HOME": str(home), "PYTHONPATH": str(PROJECT), **given},
    )
    (told,) = json.loads(done.stdout)["servers"]
    memory: dict[str, Any] = told["memory"]
    return memory


def meminfo_bytes(name: str) -> int:
    lines = Path("/proc/meminfo").read_text("ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:")) * 1024


def test_the_real_command_shows_unified_memory_by_pid(
    libraries: Path, server: RunningServer, tmp_path: Path
) -> None:
    given = environment(libraries, (server.pid, HELD_BYTES), (os.getpid(), OTHER_BYTES))
    memory = memory_of(server, tmp_path, given)
    assert memory["kind"] == "unified"
    assert memory["pool_total_bytes"] == meminfo_bytes("MemTotal")
    assert memory["sources"]["pool_available_bytes"] == "MemAvailable in /proc/meminfo"
    available = meminfo_bytes("MemAvailable")
    assert memory["pool_available_bytes"] == pytest.approx(available, abs=1 << 30)
    assert memory["server_gpu_bytes"] == HELD_BYTES
    assert memory["server_host_bytes"] > 0
    assert memory["why"]["vram"] == "NVML: not supported on NVIDIA GB10"


def test_a_process_of_another_container_is_not_taken_for_the_servers(
    libraries: Path, server: RunningServer, tmp_path: Path
) -> None:
    nobody = 4_194_304 + 7
    memory = memory_of(server, tmp_path, environment(libraries, (nobody, HELD_BYTES)))
    assert memory["kind"] == "unified"
    assert memory["server_gpu_bytes"] in (None, 0)


def test_a_stalled_driver_leaves_the_screen_moving_and_is_named(
    libraries: Path, tiny_model: Path, tmp_path: Path
) -> None:
    stall = tmp_path / "stall"
    with running_server(NEW, tiny_model, "-c", "4096", "-np", "2") as running:
        given = environment(libraries, (running.pid, HELD_BYTES))
        with terminal(tmp_path, {**given, "FAKE_NVML_STALL": str(stall)}) as window:
            window.start(*mecha_tui("--url", running.url))
            window.shows("4 memory · unified")
            stall.touch()
            window.shows("gpu error")
            window.press("j")
            window.shows("› 1")
            running.complete("hello " * 30, 5, id_slot=0)
            held = running.json("/slots")[0]["n_prompt_tokens"]  # type: ignore[index]  # a list
            window.shows(f"{held:,} / 2,048")
            window.press("m")
            window.shows("has not answered for")
            stall.unlink()
            window.press("q")
            window.shows("2 slots")
            window.press("q")
            window.ends_with(0)


def test_a_driver_that_never_answers_does_not_hold_up_the_end(
    libraries: Path, tiny_model: Path, tmp_path: Path
) -> None:
    stall = tmp_path / "stall"
    stall.touch()
    with running_server(NEW, tiny_model, "-c", "4096", "-np", "2") as running:
        given = {**environment(libraries), "FAKE_NVML_STALL": str(stall)}
        with terminal(tmp_path, given) as window:
            window.start(*mecha_tui("--url", running.url))
            window.shows("has not answered")
            window.press("q")
            window.ends_with(0)
