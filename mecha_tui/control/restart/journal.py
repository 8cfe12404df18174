"""What a restart is doing, on disk: so that one cut short can be told at the next start.

No environment value and no secret is written: only names, pids and the masked command line.
"""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

from mecha_tui.core.text import plain_text

_LIMIT_BYTES = 100_000
_SUFFIX = ".restart.json"


@dataclass(frozen=True, slots=True)
class Entry:
    """One restart under way."""

    key: str
    url: str
    method: str
    owner: str
    step: str
    """What was being done, as a stage's word."""
    by_pid: int
    """The mecha-tui that does it."""
    by_started_wall_s: float
    old_pid: int | None = None
    old_started_wall_s: float | None = None
    new_pid: int | None = None
    new_started_wall_s: float | None = None
    how: str = ""
    """How to start the server again by hand, without secrets."""
    needs: tuple[str, ...] = ()
    """Variables that it needs and whose values are not kept."""
    began_wall_s: float = 0.0


def state_folder() -> Path:
    """Return where mecha-tui keeps what outlives it; ``MECHA_TUI_STATE`` names another place."""
    import platformdirs  # not needed for --help

    named = os.environ.get("MECHA_TUI_STATE")
    return Path(named) if named else Path(platformdirs.user_state_dir("mecha-tui"))


class Journal:
    """One file for each restart under way, in the state folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def write(self, entry: Entry) -> None:
        """Replace what is written of this restart; a full disk does not stop it."""
        path = self._path(entry.by_pid)
        with contextlib.suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            new = path.with_suffix(".new")
            descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with open(descriptor, "w", encoding="utf-8") as file:
                json.dump(asdict(entry), file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(new, path)

    def clear(self, by_pid: int) -> None:
        """Forget a restart that has ended."""
        with contextlib.suppress(OSError):
            self._path(by_pid).unlink()

    def left_over(self) -> tuple[Entry, ...]:
        """Return the restarts whose mecha-tui has ended in the middle."""
        try:
            paths = sorted(self._folder.glob(f"*{_SUFFIX}"))
        except OSError:
            return ()
        entries = (_read(path) for path in paths)
        return tuple(
            one for one in entries if one and not is_running(one.by_pid, one.by_started_wall_s)
        )

    def _path(self, by_pid: int) -> Path:
        return self._folder / f"{by_pid}{_SUFFIX}"


def _read(path: Path) -> Entry | None:
    try:
        with path.open("rb") as file:
            table = json.loads(file.read(_LIMIT_BYTES))
        return Entry(**{**table, "needs": tuple(table["needs"])})
    except (OSError, ValueError, TypeError, KeyError):
        return None


def is_running(pid: int | None, started_wall_s: float | None) -> bool:
    """Whether exactly this process runs."""
    if pid is None or started_wall_s is None:
        return False
    try:
        process = psutil.Process(pid)
        is_same = abs(process.create_time() - started_wall_s) < 1.5
        return is_same and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def told(entry: Entry, listener_pid: int | None) -> str:
    """Return what was left, and what to do, in words.

    Args:
        entry: The restart that was cut short.
        listener_pid: Who listens at the server's address now; None for nobody.
    """
    words = f"a restart of {entry.url} was cut short while {entry.step}: "
    if is_running(entry.new_pid, entry.new_started_wall_s):
        words += f"the new server (pid {entry.new_pid}) runs"
        words += "" if listener_pid else " and does not listen yet"
    elif is_running(entry.old_pid, entry.old_started_wall_s):
        words += f"the old server (pid {entry.old_pid}) still runs"
    elif listener_pid is not None:
        words += f"pid {listener_pid} listens there now"
    else:
        words += "no server listens there now"
        words += f"; start it with: {entry.how}" if entry.how else ""
        if entry.needs:
            words += f" (set {', '.join(entry.needs)} first: their values are not kept)"
    return plain_text(words, 4000)
