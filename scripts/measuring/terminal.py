"""A program in a terminal of its own, whose output is counted and searched."""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

COLUMNS, ROWS = 120, 40
_ESCAPE = re.compile(rb"\x1b(\[[0-9;:?<=>]*[ -/]*[@-~]|[\]P_^X][^\x07\x1b]*(\x07|\x1b\\)|.)")
_TAIL_BYTES = 20_000
_PATIENCE_S = 20.0


@dataclass
class Terminal:
    """What a program has written to its terminal so far."""

    process: subprocess.Popen[bytes]
    master: int
    began_s: float
    written_bytes: int = 0
    tail: bytes = b""
    """The last of what was written."""
    first_seen_s: dict[str, float] = field(default_factory=dict)
    """By searched pattern, how many seconds after the start it was first drawn."""
    patterns: tuple[str, ...] = ()

    def read_to_end(self) -> None:
        """Read until the program closes its terminal."""
        while True:
            try:
                chunk = os.read(self.master, 65536)
            except OSError:  # Linux says so when the last writer is gone
                return
            if not chunk:
                return
            self.written_bytes += len(chunk)
            self.tail = (self.tail + chunk)[-_TAIL_BYTES:]
            self._search()

    def _search(self) -> None:
        wanted = [one for one in self.patterns if one not in self.first_seen_s]
        if not wanted:
            return
        text = self.text()
        for pattern in wanted:
            if re.search(pattern, text):
                self.first_seen_s[pattern] = time.monotonic() - self.began_s

    def wait_for(self, pattern: str) -> float:
        """Wait until a pattern was drawn, and return after how many seconds that was."""
        deadline_s = time.monotonic() + _PATIENCE_S
        while pattern not in self.first_seen_s:
            if time.monotonic() > deadline_s or self.process.poll() is not None:
                raise RuntimeError(f"{pattern!r} was never drawn; the end of it: {self.text()}")
            time.sleep(0.01)
        return self.first_seen_s[pattern]

    def wait_for_redrawn(self, pattern: str) -> None:
        """Wait until a pattern is on the screen, by having all of it drawn again and again."""
        deadline_s = time.monotonic() + _PATIENCE_S
        sizes = itertools.cycle(((ROWS, COLUMNS - 1), (ROWS, COLUMNS)))
        while True:
            self.tail = b""
            self.resize(*next(sizes))
            time.sleep(1.0)
            if re.search(pattern, self.text()):
                return
            if time.monotonic() > deadline_s or self.process.poll() is not None:
                raise RuntimeError(f"{pattern!r} is not on the screen: {self.text()}")

    def text(self) -> str:
        """Return the last of what was written, without escape sequences."""
        return _ESCAPE.sub(b"", self.tail).decode("utf-8", "replace")

    def resize(self, rows: int, columns: int) -> None:
        """Change the terminal's size, as a user does who drags its corner."""
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, size)
        self.process.send_signal(signal.SIGWINCH)

    def press(self, keys: bytes) -> None:
        """Type something."""
        os.write(self.master, keys)


@contextlib.contextmanager
def in_terminal(command: Sequence[str], *patterns: str) -> Iterator[Terminal]:
    """Run a command in a terminal of 120 by 40 for the length of a ``with`` block.

    Args:
        command: What to run.
        patterns: Regular expressions; the time at which each is first drawn is kept.
    """
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    began_s = time.monotonic()
    process = subprocess.Popen(
        command,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
        env={**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"},
    )
    os.close(slave)
    terminal = Terminal(process, master, began_s, patterns=patterns)
    reader = threading.Thread(target=terminal.read_to_end, daemon=True)
    reader.start()
    try:
        yield terminal
    finally:
        _end(process)
        reader.join(_PATIENCE_S)
        os.close(master)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(_PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
