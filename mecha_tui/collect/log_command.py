"""Logs that another program keeps: systemd's journal, Docker's and Podman's container logs."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from datetime import datetime
from typing import Protocol

from mecha_tui.collect.printed import printed

LINES_LIMIT = 2_000
"""So many lines are asked for at once; of more only the newest."""

_STAMP = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)")


class Ask(Protocol):
    """Runs a command and returns what it prints; empty where it may not be asked."""

    def __call__(self, command: tuple[str, ...], *, with_errors: bool = False) -> str:
        """Run it."""
        ...


class Journal:
    """What systemd's journal keeps of one unit."""

    def __init__(self, unit: str, *, is_users: bool, ask: Ask = printed) -> None:
        self._unit = unit
        self._ask = ask
        flag = "--user-unit" if is_users else "--unit"
        self._command = (
            *("journalctl", f"{flag}={unit}", "--no-pager", "--quiet", "--output=json"),
            "--output-fields=MESSAGE",
        )
        self._cursor: str | None = None
        self._entries(1)

    @property
    def name(self) -> str:
        """What the user calls it."""
        return f"journal of {self._unit}"

    @property
    def is_readable(self) -> bool:
        """Whether the journal shows this user anything of the unit."""
        return self._cursor is not None

    def tail(self, limit: int) -> tuple[str, ...]:
        """Return the last lines, systemd's own about the unit among them; raw."""
        return tuple(_messages(self._ask((*self._command, f"--lines={limit}"))))

    def new_lines(self) -> tuple[str, ...]:
        """Return the lines that were added since the last look."""
        if self._cursor is None:
            return ()
        return self._entries(LINES_LIMIT, f"--after-cursor={self._cursor}")

    def _entries(self, limit: int, *more: str) -> tuple[str, ...]:
        shown = self._ask((*self._command, f"--lines={limit}", *more))
        for line in reversed(shown.splitlines()):
            cursor = _table(line).get("__CURSOR")
            if isinstance(cursor, str):
                self._cursor = cursor
                break
        return tuple(_messages(shown))


def _messages(shown: str) -> list[str]:
    """Return the messages of entries; one with colours in it comes as a list of bytes."""
    found = []
    for line in shown.splitlines():
        message = _table(line).get("MESSAGE")
        if isinstance(message, list):
            codes = [one for one in message if type(one) is int and 0 <= one < 256]
            message = bytes(codes).decode("utf-8", "replace")
        if isinstance(message, str):
            found.append(message)
    return found


def _table(line: str) -> dict[str, object]:
    try:
        entry = json.loads(line)
    except ValueError:
        return {}
    return entry if isinstance(entry, dict) else {}


class ContainerLog:
    """What an engine keeps of one container's output."""

    def __init__(
        self,
        engine: str,
        identifier: str,
        ask: Ask = printed,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        self._engine = engine
        self._identifier = identifier
        self._ask = ask
        self._since = _stamp(wall_clock())

    @property
    def name(self) -> str:
        """What the user calls it."""
        return f"{self._engine} log of {self._identifier}"

    def tail(self, limit: int) -> tuple[str, ...]:
        """Return the last lines; raw."""
        command = (self._engine, "logs", "--tail", str(limit), self._identifier)
        return tuple(self._ask(command, with_errors=True).splitlines()[-limit:])

    def new_lines(self) -> tuple[str, ...]:
        """Return the lines that were added since the last look, told apart by their times."""
        flags = ("--timestamps", "--since", self._since, "--tail", str(LINES_LIMIT))
        shown = self._ask((self._engine, "logs", *flags, self._identifier), with_errors=True)
        added = []
        before = newest = _instant(self._since)
        for line in shown.splitlines():
            stamp, _, text = line.partition(" ")
            instant = _instant(stamp)
            if before < instant:
                added.append(text)
            if newest < instant:
                newest, self._since = instant, stamp
        return tuple(added)


def _stamp(wall_s: float) -> str:
    """Return a moment as engines read and write it, in UTC with nine decimals."""
    whole = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(wall_s))
    return f"{whole}.{int(wall_s % 1 * 1e9):09d}Z"


def _instant(stamp: str) -> tuple[float, str]:
    """Return what orders stamps; earlier than all for a text that is none."""
    found = _STAMP.fullmatch(stamp)
    if found is None:
        return (0.0, "")
    zone = found[3].replace("Z", "+00:00")
    try:
        whole_s = datetime.fromisoformat(found[1] + zone).timestamp()
    except ValueError:
        return (0.0, "")
    return (whole_s, (found[2] or "").ljust(9, "0"))
