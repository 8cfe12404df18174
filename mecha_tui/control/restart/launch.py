"""Becomes the server: reads on standard input how it was started, and starts it so again.

Run as a file of its own by another Python process, which stays its parent. Nothing secret
stands in a command line, because everything comes through the pipe.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import sys

CANNOT_START = 127
"""Exit status when the program could not be run."""


def main() -> None:
    """Take over everything that was read, and become the program."""
    told = json.loads(sys.stdin.buffer.read())
    _redirect(_raw(told["log"]))
    try:
        _become(told)
    except OSError as error:
        message = f"mecha-tui: it cannot be started: {error.strerror}\n"
        os.write(2, message.encode("utf-8", "replace"))
        os._exit(CANNOT_START)


def _raw(text: str) -> bytes:
    return base64.b64decode(text)


def _redirect(log: bytes) -> None:
    nothing = os.open(os.devnull, os.O_RDONLY)
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for source, target in ((nothing, 0), (output, 1), (output, 2)):
        os.dup2(source, target)
    os.closerange(3, 256)


def _become(told: dict) -> None:  # type: ignore[type-arg]  # what json gives
    os.chdir(_raw(told["folder"]))
    with contextlib.suppress(ImportError):
        _limit(told["limits"])
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, told["niceness"])
    if told["processors"] is not None:
        with contextlib.suppress(OSError, AttributeError):
            os.sched_setaffinity(0, told["processors"])
    if told["umask"] is not None:
        os.umask(told["umask"])
    if told["user"] is not None:
        user, group, groups = told["user"]
        os.setgroups(groups)
        os.setgid(group)
        os.setuid(user)
    pairs = (_raw(one).partition(b"=") for one in told["environment"])
    environment = {name: value for name, _, value in pairs}
    os.execve(_raw(told["program"]), [_raw(one) for one in told["arguments"]], environment)  # noqa: S606


def _limit(limits: list[tuple[int, int, int]]) -> None:
    import resource

    for number, soft, hard in limits:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(number, (soft, hard))


if __name__ == "__main__":
    main()
