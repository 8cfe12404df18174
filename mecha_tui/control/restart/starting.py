"""Starts a process again as it was, detached, with its output in a log file."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
from pathlib import Path

from mecha_tui.control.restart.origin import Origin
from mecha_tui.errors import MechaTuiError

LOG_LIMIT_BYTES = 8 * 1024 * 1024
"""A log that is longer is moved aside before the next start; one old log is kept."""
_STARTED: list[subprocess.Popen[bytes]] = []
"""Our children: kept so that they are reaped when they end before mecha-tui does."""


def log_path(folder: Path, url: str) -> Path:
    """Return where the output of the server at an address goes."""
    name = re.sub(r"[^A-Za-z0-9.]+", "-", url.partition(":")[2] or url).strip("-")
    return folder / "logs" / f"{name[-100:]}.log"


def start(origin: Origin, log: Path) -> subprocess.Popen[bytes]:
    """Start the same process again, and return it; it may still end at once.

    Raises:
        MechaTuiError: The log cannot be written, or Python cannot be run.
    """
    try:
        log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        rotate(log)
        process = subprocess.Popen(  # noqa: S603  # our own file
            [sys.executable, "-I", str(Path(__file__).with_name("launch.py"))],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        assert process.stdin is not None  # noqa: S101  # for mypy
        with process.stdin as pipe:
            pipe.write(origin.as_json(log))
    except OSError as error:
        raise MechaTuiError(f"it cannot be started again ({error.strerror})") from None
    reap()
    _STARTED.append(process)
    return process


def rotate(log: Path) -> None:
    """Move a log aside that has grown long."""
    with contextlib.suppress(FileNotFoundError):
        if log.stat().st_size > LOG_LIMIT_BYTES:
            os.replace(log, log.with_suffix(".log.1"))


def reap() -> None:
    """Forget children that have ended."""
    _STARTED[:] = [one for one in _STARTED if one.poll() is None]
