"""What another program prints when it is asked, within a time limit."""

from __future__ import annotations

import shutil
import subprocess

PATIENCE_S = 3.0


def printed(command: tuple[str, ...]) -> str:
    """Return a command's standard output; empty where it is not installed or does not answer.

    Args:
        command: Fixed words; nothing in it may come from a server or a file unchecked.
    """
    program = shutil.which(command[0])
    if program is None:
        return ""
    try:
        done = subprocess.run(  # noqa: S603  # the callers' fixed words
            (program, *command[1:]),
            capture_output=True,
            timeout=PATIENCE_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode("utf-8", "replace")
