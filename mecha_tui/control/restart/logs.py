"""The last lines of a server's log, without secrets."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from mecha_tui.collect.printed import printed
from mecha_tui.core.secrets import without_secrets
from mecha_tui.core.text import plain_lines, plain_text

LINES = 12
_READ_BYTES = 16_384


def tail_of_file(path: Path, secrets: Iterable[str] = ()) -> tuple[str, ...]:
    """Return a file's last lines; none where it cannot be read."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _READ_BYTES))
            return shown_lines(file.read(_READ_BYTES).decode("utf-8", "replace"), secrets)
    except OSError:
        return ()


def tail_of_command(command: tuple[str, ...]) -> tuple[str, ...]:
    """Return what a command that only looks prints last."""
    return shown_lines(printed(command))


def shown_lines(text: str, secrets: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the last lines of a text, made safe to show."""
    lines = [line for line in plain_lines(text).splitlines() if line.strip()][-LINES:]
    return tuple(plain_text(without_secrets(line, secrets)) for line in lines)
