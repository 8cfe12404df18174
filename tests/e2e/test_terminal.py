"""The command starts, draws, obeys, survives, and gives the terminal back."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.measuring.terminal import in_terminal
from tests.e2e.tmux import Terminal, mecha_tui, terminal
from tests.servers import NEW, PATIENCE_S, RunningServer, running_server

SIZES = ((200, 60), (80, 24), (60, 15), (30, 8), (10, 3), (3, 2), (1, 1), (200, 1), (1, 60))
LEFT, WHEEL_DOWN = 0, 65
"""Mouse buttons as terminals number them."""
GIVEN_BACK = "0 1 0 0"
"""Not on the alternate screen, cursor shown, no mouse."""
CRASH = """
import asyncio
from mecha_tui.app.app import MechaApp

class Broken:
    async def sample(self):
        secret = "sk-very-secret"
        raise RuntimeError("the sampler broke")

    async def aclose(self):
        pass

app = MechaApp(Broken())
app.run()
raise SystemExit(app.return_code)
"""


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("TEXTUAL_DRIVER", "nonsense"),
        ("TEXTUAL_DRIVER", "no.such:Driver"),
        ("TEXTUAL_DRIVER", "os:path"),
        ("TEXTUAL_COLOR_SYSTEM", "sepia"),
        ("TEXTUAL_COLOR_SYSTEM", ""),
    ],
)
def test_nonsense_for_textual_costs_one_sentence(variable: str, value: str) -> None:
    controller, terminal_end = pty.openpty()
    try:
        ended = subprocess.Popen(
            [sys.executable, "-m", "mecha_tui", "--url", "http://127.0.0.1:1"],
            stdin=terminal_end,
            stdout=terminal_end,
            stderr=terminal_end,
            env={**os.environ, variable: value},
        )
        assert ended.wait(PATIENCE_S) == 3
        said = os.read(controller, 4096).decode()
    finally:
        os.close(terminal_end)
        os.close(controller)
    assert said.startswith(f"mecha-tui: {variable} ")
    assert said.count("\n") == 1


EARLY = """
import asyncio, os, signal
from mecha_tui.app.app import MechaApp
from mecha_tui.app.driver import PatientDriver

class Silent:
    async def sample(self):
        await asyncio.Event().wait()

    async def aclose(self):
        pass

class Signalled(PatientDriver):
    def start_application_mode(self):
        super().start_application_mode()
        os.kill(os.getpid(), signal.SIGTERM)

MechaApp.get_driver_class = lambda self: Signalled
app = MechaApp(Silent())
app.run()
raise SystemExit(app.return_code)
"""


@pytest.fixture(scope="module")
def server(tiny_model: Path) -> Iterator[RunningServer]:
    flags = ("-c", "32768", "-np", "4", "--metrics", "-a", "tiny-under-test")
    with running_server(NEW, tiny_model, *flags) as running:
        running.complete("hello " * 40, 30, id_slot=2)
        yield running


@pytest.fixture
def window(tmp_path: Path) -> Iterator[Terminal]:
    with terminal(tmp_path) as opened:
        yield opened


def start(window: Terminal, server: RunningServer) -> None:
    window.start(*mecha_tui("--url", server.url))
    window.shows("● ready")


def test_it_draws_chooses_inspects_and_quits(window: Terminal, server: RunningServer) -> None:
    start(window, server)
    for text in ("tiny-under-test", "1 numbers", "2 slots", "0 of 4 busy", "4 memory", "q quit"):
        window.shows(text)
    held = [one for one in server.json("/slots") if "n_prompt_tokens" in one]  # type: ignore[attr-defined]  # a list
    window.shows(f"{held[0]['n_prompt_tokens']:,} / 8,192")
    window.press("j", "j")
    window.shows("› 2")
    window.press("Enter")
    window.shows("slot 2")
    window.press("G")
    window.shows("LLAMA_SERVER_SLOTS_DEBUG=1")
    window.press("q")
    window.shows("2 slots")
    window.press("q")
    window.ends_with(0)
    assert window.modes() == GIVEN_BACK


@pytest.mark.parametrize("key", ["q", "C-c"])
def test_a_key_ends_it_and_the_terminal_is_given_back(
    window: Terminal, server: RunningServer, key: str
) -> None:
    start(window, server)
    assert window.modes() != GIVEN_BACK
    window.press(key)
    window.ends_with(0)
    assert window.modes() == GIVEN_BACK


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_ends_it_and_the_terminal_is_given_back(
    window: Terminal, server: RunningServer, number: signal.Signals
) -> None:
    start(window, server)
    window.process().send_signal(number)
    window.ends_with(128 + number)
    assert window.modes() == GIVEN_BACK


def test_the_mouse_chooses_scrolls_and_opens(window: Terminal, server: RunningServer) -> None:
    start(window, server)
    window.mouse(WHEEL_DOWN, 10, 10)
    window.shows("› 1")
    lines = window.text().split("\n")
    row = next(y for y, one in enumerate(lines) if "  3  ·" in one)
    window.mouse(LEFT, 20, row)
    window.shows("› 3")
    window.mouse(LEFT, lines[-2].index("agreement"), len(lines) - 2)
    window.shows("do they agree?")


def test_it_ends_when_the_terminal_goes_away(window: Terminal, server: RunningServer) -> None:
    start(window, server)
    process = window.process()
    window.close()
    assert process.wait(30.0) is None or not process.is_running()


def test_control_z_does_nothing(window: Terminal, server: RunningServer) -> None:
    start(window, server)
    window.press("C-z", "j")
    window.shows("› 1")
    window.press("q")
    window.ends_with(0)


def test_no_size_of_the_window_ends_it(window: Terminal, server: RunningServer) -> None:
    start(window, server)
    process = window.process()
    for width, height in SIZES:
        window.resize(width, height)
        window.shows("●")
        assert process.is_running()
    window.resize(120, 40)
    window.shows("2 slots")
    window.press("q")
    window.ends_with(0)


def test_a_terminal_that_is_not_utf8_gets_ascii(tmp_path: Path, server: RunningServer) -> None:
    encoding = {"LANG": "C", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    with terminal(tmp_path, encoding) as window:
        window.start(*mecha_tui("--url", server.url))
        window.shows("* ready")
        assert window.text().isascii()
        window.press("q")
        window.ends_with(0)


def test_a_server_that_dies_is_down_and_keeps_its_last_picture(
    window: Terminal, tiny_model: Path
) -> None:
    with running_server(NEW, tiny_model, "-c", "4096", "-np", "2") as dying:
        start(window, dying)
        window.shows("/ 2,048")
    window.shows("✗ down")
    window.shows("/ 2,048")
    window.press("q")
    window.ends_with(0)


def test_a_crash_says_so_without_local_variables(window: Terminal, tmp_path: Path) -> None:
    script = tmp_path / "crash.py"
    script.write_text(CRASH, "utf-8")
    window.start(sys.executable, str(script))
    window.shows("mecha-tui failed")
    window.ends_with(1)
    assert "the sampler broke" in window.text()
    # The traceback quotes the line of the script, and nothing prints what the variable held.
    assert window.text().count("sk-very-secret") == 0
    assert window.modes() == GIVEN_BACK


def test_bytes_that_are_no_text_do_not_end_it(server: RunningServer) -> None:
    command = (sys.executable, "-m", "mecha_tui", "--url", server.url)
    with in_terminal(command, "ready") as opened:
        opened.wait_for("ready")
        opened.press(b"\xff\xfe\xe9")
        opened.press(b"\x1b[200~\x80\x00\x1b[31m\xc3\x1b[201~")
        opened.wait_for_redrawn("q quit")
        opened.press(b"q")
        assert opened.process.wait(PATIENCE_S) == 0
        assert "Error" not in opened.text()


def test_a_signal_before_the_first_frame_gives_the_terminal_back(
    window: Terminal, tmp_path: Path
) -> None:
    script = tmp_path / "early.py"
    script.write_text(EARLY, "utf-8")
    window.start(sys.executable, str(script))
    window.ends_with(143)
    assert window.modes() == GIVEN_BACK


def test_it_ends_when_its_terminal_vanishes_without_a_signal(server: RunningServer) -> None:
    ours, theirs = pty.openpty()
    command = (sys.executable, "-m", "mecha_tui", "--url", server.url)
    process = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    )
    os.close(theirs)
    try:
        assert os.read(ours, 1)
        os.close(ours)
        assert process.wait(PATIENCE_S) == 129
    finally:
        process.kill()
        process.wait()
