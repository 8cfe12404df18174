"""How a process was started, read before it is stopped and kept in memory only."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from mecha_tui.errors import MechaTuiError

_DELETED = b" (deleted)"
_UMASK = re.compile(r"^Umask:\s*([0-7]+)$", re.M)
_LIMIT_NAMES = tuple(name for name in dir(psutil) if name.startswith("RLIMIT_"))


@dataclass(frozen=True, slots=True)
class Origin:
    """Everything that starting the same process again takes."""

    pid: int
    started_wall_s: float
    arguments: tuple[bytes, ...] = field(repr=False)
    environment: tuple[bytes, ...] = field(repr=False)
    """``NAME=value`` each, as the process was given them."""
    folder: bytes
    program: bytes
    """The file to run."""
    niceness: int = 0
    limits: tuple[tuple[int, int, int], ...] = ()
    """Resource, soft and hard limit."""
    umask: int | None = None
    """None where the kernel does not tell it."""
    processors: tuple[int, ...] | None = None
    """The processors it may run on; None where that is not told."""
    user: tuple[int, int, tuple[int, ...]] | None = None
    """User, group and further groups; None where they are mecha-tui's own."""
    is_program_replaced: bool = False
    """Its file was replaced since: what starts now is another one, at the same path."""
    is_folder_gone: bool = False
    is_program_gone: bool = False

    def as_json(self, log: Path) -> bytes:
        """Return what :mod:`~mecha_tui.control.restart.launch` reads."""
        return json.dumps(
            {
                "arguments": [_text(one) for one in self.arguments],
                "environment": [_text(one) for one in self.environment],
                "folder": _text(self.folder),
                "program": _text(self.program),
                "niceness": self.niceness,
                "limits": self.limits,
                "umask": self.umask,
                "processors": self.processors,
                "user": self.user,
                "log": _text(os.fsencode(log)),
            }
        ).encode()


def _text(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def read_origin(pid: int) -> Origin:
    """Return how a process was started.

    Raises:
        MechaTuiError: Something of it may not be read; the message says what.
    """
    try:
        process = psutil.Process(pid)
        started_wall_s = process.create_time()
        arguments = _entries(f"/proc/{pid}/cmdline")
        environment = tuple(one for one in _entries(f"/proc/{pid}/environ") if b"=" in one)
        folder = os.readlink(f"/proc/{pid}/cwd".encode())
        exe = os.readlink(f"/proc/{pid}/exe".encode())
        program, is_replaced, is_gone = _program(exe, arguments, folder)
        origin = Origin(
            pid,
            started_wall_s,
            arguments,
            environment,
            folder,
            program,
            niceness=os.getpriority(os.PRIO_PROCESS, pid),
            limits=_limits(process),
            umask=_umask(pid),
            processors=_processors(pid),
            user=_user(process),
            is_program_replaced=is_replaced,
            is_program_gone=is_gone,
            is_folder_gone=folder.endswith(_DELETED) or not os.path.isdir(folder),
        )
        if psutil.Process(pid).create_time() != started_wall_s:
            raise MechaTuiError(f"process {pid} was replaced while it was looked at: try again")
    except (OSError, psutil.Error) as error:
        why = getattr(error, "strerror", None) or type(error).__name__
        raise MechaTuiError(f"how process {pid} was started may not be read ({why})") from None
    return origin


def _entries(path: str) -> tuple[bytes, ...]:
    raw = Path(path).read_bytes()
    return tuple(raw[:-1].split(b"\0") if raw.endswith(b"\0") else raw.split(b"\0"))


def _program(exe: bytes, arguments: tuple[bytes, ...], folder: bytes) -> tuple[bytes, bool, bool]:
    """Return the file to run, whether it was replaced, and whether it is gone.

    A path in the command line is preferred where it is the same file: an interpreter finds
    its environment by it.
    """
    first = arguments[0] if arguments else b""
    named = os.path.join(folder, first) if b"/" in first else b""
    if exe.endswith(_DELETED):
        path = exe[: -len(_DELETED)]
        return path, os.path.exists(path), not os.path.exists(path)
    with contextlib.suppress(OSError):
        if named and os.path.samefile(named, exe):
            return named, False, False
    return exe, False, False


def _limits(process: psutil.Process) -> tuple[tuple[int, int, int], ...]:
    ask = getattr(process, "rlimit", None)
    if ask is None:
        return ()
    return tuple((number, *ask(number)) for number in (getattr(psutil, n) for n in _LIMIT_NAMES))


def _umask(pid: int) -> int | None:
    found = _UMASK.search(Path(f"/proc/{pid}/status").read_text("utf-8", "replace"))
    return int(found[1], 8) if found else None


def _processors(pid: int) -> tuple[int, ...] | None:
    ask = getattr(os, "sched_getaffinity", None)
    return None if ask is None else tuple(sorted(ask(pid)))


def _user(process: psutil.Process) -> tuple[int, int, tuple[int, ...]] | None:
    user, group = process.uids().real, process.gids().real
    if (user, group) == (os.getuid(), os.getgid()):
        return None
    status = Path(f"/proc/{process.pid}/status").read_text("utf-8", "replace")
    groups = re.search(r"^Groups:([ \t\d]*)$", status, re.M)
    return user, group, tuple(int(one) for one in (groups[1].split() if groups else []))
