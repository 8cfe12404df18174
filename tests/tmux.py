"""A real terminal: tmux on a socket of its own, in which a command runs and keys are pressed."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.servers import PATIENCE_S, wait_until

ENDED = "the command ended with status"
_PROJECT = Path(__file__).parents[1]


@dataclass
class Terminal:
    """One tmux window with one command in it."""

    environment: dict[str, str]

    def tmux(self, *arguments: str) -> str:
        ran = subprocess.run(
            ["tmux", "-u", "-f", "/dev/null", *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    def screen(self) -> str:
        """Return what is on the screen now."""
        return self.tmux("capture-pane", "-p")

    def wait_for(self, pattern: str, patience_s: float = PATIENCE_S) -> str:
        """Wait until a regular expression matches the screen, and return the screen."""
        screens = [""]

        def is_there() -> bool:
            screens.append(self.screen())
            return re.search(pattern, screens[-1]) is not None

        try:
            wait_until(is_there, pattern, patience_s)
        except AssertionError:
            raise AssertionError(f"never on the screen: {pattern}\n{screens[-1]}") from None
        return screens[-1]

    def press(self, *keys: str) -> None:
        """Press keys, by tmux's names for them."""
        self.tmux("send-keys", *keys)

    def resize(self, columns: int, rows: int) -> None:
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))

    @property
    def process(self) -> psutil.Process:
        """The command that runs in the terminal."""
        shell = psutil.Process(int(self.tmux("display-message", "-p", "#{pane_pid}")))
        wait_until(shell.children, "a command in the terminal")
        return shell.children()[0]

    def ended_status(self) -> int:
        """Wait for the command's end and return its exit status."""
        found = re.search(rf"{ENDED} (\d+)", self.wait_for(rf"{ENDED} \d+"))
        assert found is not None
        return int(found[1])

    def is_given_back(self) -> bool:
        """Whether the usual screen is shown, with a cursor, and the mouse is left alone."""
        flags = "#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{mouse_sgr_flag}"
        return self.tmux("display-message", "-p", flags).split() == ["0", "1", "0", "0"]


@contextlib.contextmanager
def terminal(
    command: Sequence[str], home: Path, *, columns: int = 120, rows: int = 40
) -> Iterator[Terminal]:
    """Run a command in a terminal for the length of a ``with`` block.

    Args:
        command: What to run; the terminal says when it has ended.
        home: The command's home folder.
        columns: The terminal's width.
        rows: The terminal's height.
    """
    sockets = tempfile.mkdtemp(prefix="mecha-tui-tmux-")
    environment = {
        "HOME": str(home),
        "LC_ALL": "C.UTF-8",
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(_PROJECT),
        "SHELL": "/bin/sh",
        "TERM": "xterm-256color",
        "TMPDIR": str(home),
        "TMUX_TMPDIR": sockets,
    }
    line = f"{shlex.join(command)}; echo {ENDED} $?; exec sleep 600"
    window = Terminal(environment)
    try:
        window.tmux("new-session", "-d", "-x", str(columns), "-y", str(rows), line)
        yield window
    finally:
        subprocess.run(["tmux", "kill-server"], env=environment, capture_output=True, check=False)
        shutil.rmtree(sockets)
