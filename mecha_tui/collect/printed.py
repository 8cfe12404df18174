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
    program = shutil.which(command[0])
    if program is None:
        return ""
    try:
        done = subprocess.run(  # noqa: S603  # the callers' fixed words
            (program, *command[1:]),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if with_errors else subprocess.DEVNULL,
            timeout=PATIENCE_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode("utf-8", "replace")
