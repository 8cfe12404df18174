"""Why a server did not come back, told from how it ended and what it logged last."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cause:
    """One cause, and the one thing to do."""

    words: str
    next_step: str


_LINES = (
    (
        r"unknown argument|invalid argument|error parsing argument|unrecognized option",
        "the server does not know one of its flags",
        "mend the flag that the log names, then start it again",
    ),
    (
        r"address already in use|couldn't bind|could not bind|failed to bind|bind\(\) failed",
        "its address is taken",
        "end what listens there, then restart",
    ),
    (
        r"out of memory|failed to allocate|unable to allocate|alloc.* failed|std::bad_alloc",
        "there was not enough memory to load the model",
        "free memory (the memory page says who holds it), then restart",
    ),
    (
        r"failed to open.*no such file|no such file or directory|failed to open gguf",
        "its model file is missing or cannot be opened",
        "put the model back, or mend -m, then start it again",
    ),
    (
        r"invalid magic|failed to load model|error loading model|tensor .* not found",
        "the model could not be loaded",
        "look at the log, and check that the file is whole",
    ),
)
_SYSTEMD = {
    "start-limit-hit": Cause(
        "systemd refuses: start request repeated too quickly",
        "run systemctl reset-failed for the unit, then restart",
    ),
    "oom-kill": Cause(
        "the kernel ended it for memory (the unit's MemoryMax, or the whole machine)",
        "free memory or raise MemoryMax, then restart",
    ),
    "timeout": Cause(
        "systemd gave up waiting for it to start or stop",
        "look at the journal, then restart",
    ),
    "watchdog": Cause("systemd's watchdog ended it", "look at the journal, then restart"),
    "resources": Cause(
        "systemd could not set up what the unit asks for",
        "look at systemctl status for the unit",
    ),
}


def cause_of_end(
    status: int | None,
    lines: Iterable[str],
    *,
    was_killed_for_memory: bool = False,
    systemd_result: str = "",
) -> Cause:
    """Return the cause that explains an end best.

    Args:
        status: The exit status, below 0 for a signal's number; None when it is not known.
        lines: What the server logged last.
        was_killed_for_memory: Whether the kernel counted a kill for memory meanwhile.
        systemd_result: The unit's ``Result``; empty outside systemd.
    """
    if systemd_result in _SYSTEMD:
        return _SYSTEMD[systemd_result]
    if was_killed_for_memory:
        return _SYSTEMD["oom-kill"]
    text = "\n".join(lines)
    for pattern, words, next_step in _LINES:
        if re.search(pattern, text, re.I):
            return Cause(f"{words}{_ended(status)}", next_step)
    words = f"it ended{_ended(status)}" if status is not None else "it did not become ready"
    return Cause(words, "look at its log, then start it again")


def _ended(status: int | None) -> str:
    """Return how it ended, as a clause; exit statuses above 128 are a shell's word for signals."""
    if status is None:
        return ""
    number = -status if status < 0 else status - 128 if 128 < status < 160 else 0
    if number:
        return f" (signal {_signal_name(number)})"
    return f" (exit status {status})"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
