"""A real terminal for the tests: tmux on a socket of its own."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import psutil
import pytest

from tests.servers import PATIENCE_S, wait_until

PROJECT = Path(__file__).parents[2]
MODES = "#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{mouse_sgr_flag}"
"""What a program may leave behind in a terminal."""
_ENDED = "status="
_SCRIPT = """
before=$(stty -a)
{command}
echo "status=$?"
test "$(stty -a)" = "$before" && echo "settings kept" || stty -a
read line
"""


class Terminal:
    """One tmux window that runs a command, and then tells how it ended."""

    def __init__(self, home: Path, size: tuple[int, int], environment: dict[str, str]) -> None:
        self._socket = f"mecha-tui-{uuid4().hex[:12]}"
        self._home = home
        self._size = size
        kept = {name: os.environ[name] for name in ("PATH", "TZ") if name in os.environ}
        self._environment = {
            **kept,
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "PYTHONPATH": str(PROJECT),
            "COLORTERM": "truecolor",
            **environment,
        }

    def tmux(self, *words: str) -> str:
        command = ["tmux", "-L", self._socket, "-f", "/dev/null", *words]
        done = subprocess.run(
            command, capture_output=True, text=True, check=True, timeout=60, env=self._environment
        )
        return done.stdout

    def start(self, *command: str) -> None:
        script = _SCRIPT.format(command=shlex.join(command))
        width, height = (str(cells) for cells in self._size)
        self.tmux("new-session", "-d", "-x", width, "-y", height, "sh", "-c", script)

    def text(self) -> str:
        return self.tmux("capture-pane", "-p")

    def modes(self) -> str:
        return self.tmux("display-message", "-p", MODES).strip()

    def press(self, *keys: str) -> None:
        self.tmux("send-keys", *keys)

    def mouse(self, button: int, x: int, y: int) -> None:
        """Press and release a mouse button over a cell, as a terminal tells it.

        A wheel, from 64 on, is never released.
        """
        for end in "M" if button >= 64 else "Mm":
            self.tmux("send-keys", "-l", f"\x1b[<{button};{x + 1};{y + 1}{end}")

    def resize(self, width: int, height: int) -> None:
        self.tmux("resize-window", "-x", str(width), "-y", str(height))

    def shows(self, text: str) -> None:
        try:
            wait_until(lambda: text in self.text(), repr(text), PATIENCE_S)
        except AssertionError as error:
            raise AssertionError(f"{error}; the screen shows:\n{self.text()}") from None

    def ends_with(self, status: int) -> None:
        self.shows(f"{_ENDED}{status}\n")
        self.shows("settings kept")

    def process(self) -> psutil.Process:
        """Return the program in the window."""
        shell = psutil.Process(int(self.tmux("display-message", "-p", "#{pane_pid}")))
        return next(one for one in shell.children() if "python" in one.name())

    def close(self) -> None:
        with contextlib.suppress(subprocess.CalledProcessError):
            self.tmux("kill-server")
        # tmux leaves the name of its socket behind.
        Path(f"/tmp/tmux-{os.getuid()}", self._socket).unlink(missing_ok=True)


@contextlib.contextmanager
def terminal(
    home: Path, environment: dict[str, str] | None = None, size: tuple[int, int] = (120, 40)
) -> Iterator[Terminal]:
    """Open a terminal for the length of a ``with`` block."""
    if shutil.which("tmux") is None:
        if os.environ.get("CI"):
            pytest.fail("tmux is not installed")
        pytest.skip("tmux is not installed")
    opened = Terminal(home, size, environment or {})
    try:
        yield opened
    finally:
        opened.close()


def mecha_tui(*arguments: str) -> tuple[str, ...]:
    """Return the command line of the program under test."""
    return (sys.executable, "-m", "mecha_tui", *arguments)
