"""``mecha-tui demo`` in a real terminal shows the server's truth, and all of it ends."""

from __future__ import annotations

import json
import re
import signal
import sys
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from tests.servers import PATIENCE_S, wait_until
from tests.tmux import Terminal, terminal

pytestmark = pytest.mark.needs("tmux")

_DEMO = (sys.executable, "-m", "mecha_tui", "demo")
_ROW = re.compile(
    r"^│ [› ] (?P<slot>\d) +\S (?P<state>\w+) +(?P<task>\S+) .* (?P<held>[\d,]+) / 8,192 ", re.M
)
_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")


@dataclass(frozen=True)
class Seen:
    """What the server, or the screen, says of one slot."""

    state: str
    running_task: int | None
    held: int


def server_slots(url: str) -> dict[int, Seen]:
    with urllib.request.urlopen(f"{url}/slots", timeout=PATIENCE_S) as reply:
        entries = json.load(reply)
    return {entry["id"]: _seen(entry) for entry in entries if "id_task" in entry}


def _seen(entry: dict[str, object]) -> Seen:
    counts = entry["next_token"]
    assert isinstance(counts, list)
    busy = "writing" if counts[0]["n_decoded"] else "reading"
    held = entry["n_prompt_tokens"]
    task = entry["id_task"]
    assert isinstance(held, int)
    assert isinstance(task, int)
    return Seen(busy, task, held) if entry["is_processing"] else Seen("idle", None, held)


def shown_slots(screen: str) -> dict[int, Seen]:
    return {
        int(row["slot"]): Seen(
            row["state"],
            int(row["task"]) if row["task"].isdigit() else None,
            int(row["held"].replace(",", "")),
        )
        for row in _ROW.finditer(screen)
    }


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[Terminal]:
    with terminal(_DEMO, tmp_path) as window:
        window.wait_for("writing")
        yield window


def family(window: Terminal) -> list[psutil.Process]:
    """Return the demo's process and its children."""
    parent = window.process
    everyone = [parent, *parent.children(recursive=True)]
    assert len(everyone) == 3
    return everyone


def wait_for_end(processes: list[psutil.Process]) -> None:
    for process in processes:
        wait_until(lambda one=process: not _is_alive(one), f"the end of {process}")


def _is_alive(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def left_files(home: Path) -> set[str]:
    return {path.suffix for path in home.rglob("*") if path.is_file()}


def test_held_tokens_on_the_screen_are_the_servers_own_in_every_state(demo: Terminal) -> None:
    found = _ADDRESS.search(demo.screen())
    assert found is not None
    url = found[0]
    told: dict[tuple[int, int | None, str], set[int]] = {}
    agreed: set[str] = set()

    def look() -> bool:
        """Compare a screen with all that the server has said, the last time after it.

        What a task holds only grows, so a busy slot's count lies between two that the
        server told of the same task; a smaller one is of a round before the first of them.
        """
        screen = demo.screen()
        for slot, seen in server_slots(url).items():
            told.setdefault((slot, seen.running_task, seen.state), set()).add(seen.held)
        for slot, shown in shown_slots(screen).items():
            counts = told.get((slot, shown.running_task, shown.state))
            if counts is None:
                continue
            is_idle = shown.state == "idle"
            assert is_idle or shown.held <= max(counts), (slot, shown, counts, screen)
            if shown.held in counts or (not is_idle and shown.held > min(counts)):
                agreed.add(shown.state)
        return agreed >= {"idle", "reading", "writing"}

    wait_until(look, "all three states compared", PATIENCE_S * 3)


def test_the_numbers_that_disagree_are_shown_with_their_cures(demo: Terminal) -> None:
    screen = demo.wait_for("2 disagree")
    assert re.search(r"-c 32,768 +÷ +-np 4 +→ +8,192 a slot", screen)
    assert "context_window 32,768 ✗" in screen
    assert "max_tokens 4,096 ✗" in screen
    assert "context_window = 8192" in screen


def test_a_slot_is_chosen_and_inspected(demo: Terminal) -> None:
    demo.wait_for(r"› 0")
    demo.press("Down")
    demo.wait_for(r"› 1")
    demo.press("Enter")
    demo.wait_for("top_k")
    demo.press("Escape")
    demo.wait_for(r"› 1")


@pytest.mark.parametrize(("key", "status"), [("q", 0), ("C-c", 0)])
def test_a_key_ends_all_of_it(demo: Terminal, tmp_path: Path, key: str, status: int) -> None:
    everyone = family(demo)
    demo.press(key)
    assert demo.ended_status() == status
    assert demo.is_given_back()
    wait_for_end(everyone)
    assert left_files(tmp_path) == {".gguf"}


@pytest.mark.parametrize(
    ("number", "status"),
    [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130), (signal.SIGKILL, 137)],
)
def test_a_signal_ends_all_of_it(
    demo: Terminal, tmp_path: Path, number: signal.Signals, status: int
) -> None:
    everyone = family(demo)
    everyone[0].send_signal(number)
    assert demo.ended_status() == status
    wait_for_end(everyone)
    assert left_files(tmp_path) == {".gguf"}
    # Nobody can give the terminal back after SIGKILL.
    assert demo.is_given_back() or number == signal.SIGKILL


def test_it_ends_by_itself_when_its_time_is_over(tmp_path: Path) -> None:
    with terminal((*_DEMO, "--seconds", "5"), tmp_path) as window:
        window.wait_for("writing")
        everyone = family(window)
        assert window.ended_status() == 0
        assert window.is_given_back()
    wait_for_end(everyone)
    assert left_files(tmp_path) == {".gguf"}


def test_a_closed_terminal_ends_all_of_it(tmp_path: Path) -> None:
    with terminal(_DEMO, tmp_path) as window:
        window.wait_for("writing")
        everyone = family(window)
    wait_for_end(everyone)
    assert left_files(tmp_path) == {".gguf"}


def test_no_size_of_the_terminal_ends_it(demo: Terminal) -> None:
    for columns, rows in ((200, 60), (80, 24), (60, 15), (40, 8), (10, 3), (1, 1), (120, 40)):
        demo.resize(columns, rows)
    demo.wait_for(r"of 4 busy")


def test_without_a_terminal_it_prints_plain_reports(tmp_path: Path) -> None:
    line = f"{' '.join(_DEMO)} --seconds 8 | cat"
    with terminal(("sh", "-c", line), tmp_path) as window:
        screen = window.wait_for("window-over-slot")
        assert re.search(r"^  slot 0 ", screen, re.M)
        assert window.ended_status() == 0
    assert left_files(tmp_path) == {".gguf"}
