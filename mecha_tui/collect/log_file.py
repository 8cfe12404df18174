"""A log that is a regular file, read from where it ended when the watching began."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

LOOK_LIMIT_BYTES = 256 * 1024
"""So much is read in one look; of more only the end."""
TAIL_LIMIT_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A file that a process writes, by ways that still find it after a rename or the end."""

    path: Path
    """Where it was when it was found."""
    identity: tuple[int, int]
    """Device and inode: no other file is ever read in its place."""
    link: Path | None = None
    """The process's own descriptor in ``/proc``; None where there is none."""


def place_of(path: Path, link: Path | None = None) -> FilePlace | None:
    """Return the place of a regular file; None for anything else, which is never opened."""
    try:
        found = os.stat(link) if link is not None else os.lstat(path)
    except OSError:
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    return FilePlace(path, (found.st_dev, found.st_ino), link)


class LogFile:
    """Reads what is added to one file."""

    def __init__(self, place: FilePlace) -> None:
        self._place = place
        self._rest = b""
        self._position = self._size() or 0

    @property
    def name(self) -> str:
        """What the user calls it: its path."""
        return str(self._place.path)

    def tail(self, limit: int) -> tuple[str, ...]:
        """Return the last lines, also once the process has ended; raw, with any secrets."""
        descriptor = self._open()
        if descriptor is None:
            return ()
        with os.fdopen(descriptor, "rb") as file:
            size = os.fstat(descriptor).st_size
            file.seek(max(0, size - TAIL_LIMIT_BYTES))
            lines = file.read(TAIL_LIMIT_BYTES).decode("utf-8", "replace").splitlines()
        if size > TAIL_LIMIT_BYTES:
            lines = lines[1:]
        return tuple(lines[-limit:]) if limit > 0 else ()

    def new_lines(self) -> tuple[str, ...]:
        """Return the whole lines that were added since the last look."""
        size = self._size()
        if size is None or size == self._position:
            return ()
        descriptor = self._open()
        if descriptor is None:
            return ()
        if size < self._position:  # it was emptied
            self._position, self._rest = 0, b""
        skipped = size - self._position - LOOK_LIMIT_BYTES
        if skipped > 0:
            self._position, self._rest = self._position + skipped, b""
        with os.fdopen(descriptor, "rb") as file:
            file.seek(self._position)
            added = file.read(LOOK_LIMIT_BYTES)
        self._position += len(added)
        *lines, rest = (self._rest + added).split(b"\n")
        self._rest = rest[-LOOK_LIMIT_BYTES:]
        return tuple(line.decode("utf-8", "replace") for line in lines)

    def _size(self) -> int | None:
        """Return the file's size without opening it; None where it is gone or another's."""
        for path in self._ways():
            try:
                found = os.stat(path)
            except OSError:
                continue
            if (found.st_dev, found.st_ino) == self._place.identity:
                return found.st_size
        return None

    def _open(self) -> int | None:
        """Return a descriptor of the very file; a link in its path's place is not followed."""
        for path in self._ways():
            follow = 0 if path == self._place.link else os.O_NOFOLLOW
            try:
                flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC | follow
                descriptor = os.open(path, flags)
            except OSError:
                continue
            found = os.fstat(descriptor)
            if (found.st_dev, found.st_ino) == self._place.identity:
                return descriptor
            os.close(descriptor)
        return None

    def _ways(self) -> tuple[Path, ...]:
        link = self._place.link
        return (self._place.path,) if link is None else (link, self._place.path)
