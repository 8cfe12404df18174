"""What another program prints when it is asked, within a time limit."""

from __future__ import annotations

import shutil
import subprocess

PATIENCE_S = 3.0


def printed(command: tuple[str, ...], *, with_errors: bool = False) -> str:
    """Return a command's standard output; empty where it is not installed or does not answer.

    Args:
        command: Fixed words; nothing in it may come from a server or a file unchecked.
        with_errors: Whether what it prints as errors is returned, too, in its place.
    """
    done = _done(command, with_errors=with_errors)
    return "" if done is None else done.stdout.decode("utf-8", "replace")


def succeeds(command: tuple[str, ...]) -> bool:
    """Whether a command that only looks ends with status 0."""
    done = _done(command)
    return done is not None and done.returncode == 0


def _done(
    command: tuple[str, ...], *, with_errors: bool = False
) -> subprocess.CompletedProcess[bytes] | None:
    program = shutil.which(command[0])
    if program is None:
        return None
    try:
        return subprocess.run(  # noqa: S603  # the callers' fixed words
            (program, *command[1:]),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if with_errors else subprocess.DEVNULL,
            timeout=PATIENCE_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.SubprocessError):
        return None
