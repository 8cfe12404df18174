"""Where a server's log goes, and its lines: nothing is asked of the server for them."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Protocol

import psutil

from mecha_tui.collect.control_group import is_user_unit, owner_of
from mecha_tui.collect.log_command import Ask, ContainerLog, Journal
from mecha_tui.collect.log_file import FilePlace, LogFile, place_of
from mecha_tui.collect.printed import printed
from mecha_tui.core.secrets import masked_text
from mecha_tui.core.server import ServerProcess
from mecha_tui.core.text import plain_text

LINE_LIMIT = 1_000
_FILE_FLAG = "--log-file"
_FILE_VARIABLES = ("LLAMA_ARG_LOG_FILE", "LLAMA_LOG_FILE")
_OUTPUTS = (2, 1)
"""llama-server logs to its standard error."""
_UNIT = re.compile(r"[\w@:.\\-]+\.service")
_CONTAINER = re.compile(r"(docker|podman) ([0-9a-f]{12,64})")


class LogSource(Protocol):
    """Anything that keeps a log; its lines are raw."""

    @property
    def name(self) -> str:
        """What the user calls it."""
        ...

    def tail(self, limit: int) -> tuple[str, ...]:
        """Return the last lines."""
        ...

    def new_lines(self) -> tuple[str, ...]:
        """Return the lines that were added since the last look."""
        ...


@dataclass(frozen=True, slots=True)
class ServerLog:
    """A log that can be read."""

    source: LogSource

    @property
    def name(self) -> str:
        """What the user calls it: a path, or ``journal of llama.service``."""
        return plain_text(self.source.name)

    @property
    def is_file(self) -> bool:
        """Whether a look costs no more than one at a file's size."""
        return isinstance(self.source, LogFile)

    def tail(self, limit: int) -> tuple[str, ...]:
        """Return at most so many last lines, safe to show and without keys and tokens."""
        return tuple(masked_text(plain_text(line, LINE_LIMIT)) for line in self.source.tail(limit))

    def new_lines(self) -> tuple[str, ...]:
        """Return the lines that were added since the last look, or since it was found; raw."""
        return self.source.new_lines()


@dataclass(frozen=True, slots=True)
class NoLog:
    """Why a log cannot be read."""

    reason: str


def log_of(process: ServerProcess, ask: Ask = printed) -> ServerLog | NoLog:
    """Return where a local process logs to. This may take some seconds, in a thread.

    A file that it was told to write comes first, then what its standard error is: a file,
    or what a unit's journal or a container's engine keeps.
    """
    place = _told_file(process.pid) or _output_file(process.pid)
    if place is not None:
        return ServerLog(LogFile(place))
    output = _output_word(process.pid)
    found = _supervisors(process, ask, output)
    return found or NoLog(f"its log cannot be read: its standard error {output}")


def _supervisors(process: ServerProcess, ask: Ask, output: str) -> ServerLog | NoLog | None:
    groups = _control_groups(process.pid)
    owner = process.unit or owner_of(groups) or ""
    container = _CONTAINER.fullmatch(owner)
    if container is not None:
        return ServerLog(ContainerLog(container[1], container[2], ask))
    if not _UNIT.fullmatch(owner) or output in (_TERMINAL, _NOWHERE):
        return None
    journal = Journal(owner, is_users=is_user_unit(groups), ask=ask)
    if journal.is_readable:
        return ServerLog(journal)
    return NoLog(
        f"the journal shows this user nothing of {plain_text(owner)}: "
        "the group systemd-journal may read it"
    )


_TERMINAL = "is a terminal, so look there"
_NOWHERE = "is thrown away"


def _output_word(pid: int) -> str:
    """Return what standard error is, in words that continue a sentence."""
    try:
        target = os.readlink(f"/proc/{pid}/fd/2")
    except PermissionError:
        return "may not be looked at by this user"
    except OSError:
        return "cannot be looked at"
    if target.startswith(("/dev/pts/", "/dev/tty")):
        return _TERMINAL
    if target == "/dev/null":
        return _NOWHERE
    return "goes to another program" if ":[" in target else "is no regular file"


def _told_file(pid: int) -> FilePlace | None:
    """Return the file named by ``--log-file``, as the process itself holds it open."""
    process = psutil.Process(pid) if psutil.pid_exists(pid) else None
    if process is None:
        return None
    try:
        name = _flag_value(process.cmdline()) or _variable(process)
        folder = process.cwd() if name else ""
    except (OSError, psutil.Error):
        return None
    if not name:
        return None
    path = Path(folder) / name
    root = Path(f"/proc/{pid}/root")
    for seen in (root / path.relative_to("/"), path):
        try:
            found = os.stat(seen)
        except OSError:
            continue
        held = _descriptor_of(pid, found)
        if held is not None:
            return place_of(path, held)
    return None if _has_proc(pid) else place_of(path)


def _flag_value(arguments: Sequence[str]) -> str | None:
    values = [
        after for before, after in pairwise(arguments) if before.replace("_", "-") == _FILE_FLAG
    ]
    return values[-1] if values else None


def _variable(process: psutil.Process) -> str | None:
    try:
        everything = process.environ()
    except (OSError, psutil.Error):
        return None
    return next((everything[name] for name in _FILE_VARIABLES if everything.get(name)), None)


def _descriptor_of(pid: int, wanted: os.stat_result) -> Path | None:
    """Return the process's descriptor of a regular file; None when it holds none."""
    if not stat.S_ISREG(wanted.st_mode):
        return None
    try:
        links = sorted(Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return None
    for link in links:
        try:
            found = os.stat(link)
        except OSError:
            continue
        if (found.st_dev, found.st_ino) == (wanted.st_dev, wanted.st_ino):
            return link
    return None


def _output_file(pid: int) -> FilePlace | None:
    """Return the regular file that standard error is, or else standard output."""
    if not _has_proc(pid):
        return _open_file(pid)
    for number in _OUTPUTS:
        link = Path(f"/proc/{pid}/fd/{number}")
        try:
            path = Path(os.readlink(link))
        except OSError:
            continue
        place = place_of(path, link)
        if place is not None:
            return place
    return None


def _open_file(pid: int) -> FilePlace | None:
    """Return the same where the system has no ``/proc``."""
    try:
        held = {one.fd: Path(one.path) for one in psutil.Process(pid).open_files()}
    except (OSError, psutil.Error):
        return None
    return next((place_of(held[number]) for number in _OUTPUTS if number in held), None)


def _has_proc(pid: int) -> bool:
    return Path(f"/proc/{pid}").is_dir()


def _control_groups(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cgroup").read_text("utf-8", "replace")
    except OSError:
        return ""
