"""The state file: SQLite that several instances share, and that may fail without harm.

Whatever is wrong with disk or file, an action is carried out: on the file where it can be
used, else in memory for the rest of this run, and ``trouble`` says so.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from mecha_tui.store.folder import FILE_NAME, state_folder
from mecha_tui.store.migrations import MIGRATIONS

T = TypeVar("T")

BUSY_S = 5.0
"""How long another instance's write is waited for."""


class Database:
    """One state file. It is opened at the first action, in the thread that asks."""

    def __init__(self, folder: Path | None = None) -> None:
        """Name the file.

        Args:
            folder: Where it lies; None is the platform's folder.
        """
        self.path = (folder or state_folder()) / FILE_NAME
        self.trouble: str | None = None
        """What is wrong with the file and what became of it; None while all is well."""
        self._connection: sqlite3.Connection | None = None
        self._lock = threading.Lock()
        self._inode: int | None = None

    def run(self, action: Callable[[sqlite3.Connection], T]) -> T:
        """Carry out an action as one transaction, and give back what it returns.

        An action may be carried out twice, the first time without effect.
        """
        with self._lock:
            try:
                return self._transact(action)
            except sqlite3.DatabaseError as error:
                if type(error) is not sqlite3.DatabaseError:  # a locked, full or read-only disk
                    return self._in_memory(action, error)
                self._move_aside(error)
            except OSError as error:
                return self._in_memory(action, error)
            try:
                return self._transact(action)
            except (sqlite3.DatabaseError, OSError) as error:
                return self._in_memory(action, error)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._drop()

    def _transact(self, action: Callable[[sqlite3.Connection], T]) -> T:
        if self._connection is None:
            self._connection = self._opened()
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            result = action(connection)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        return result

    def _opened(self) -> sqlite3.Connection:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        connection = _connected(str(self.path))
        try:
            self._inode = os.stat(self.path).st_ino
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            migrate(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _move_aside(self, error: sqlite3.DatabaseError) -> None:
        """Take a damaged file out of the way, unless another instance just did."""
        self._drop()
        try:
            if os.stat(self.path).st_ino != self._inode:
                return
            aside = self.path.with_name(f"{FILE_NAME}.broken")
            for ending in ("-wal", "-shm", ""):
                part = self.path.with_name(FILE_NAME + ending)
                if part.exists():
                    os.replace(part, aside.with_name(aside.name + ending))
        except OSError:
            return  # what cannot be moved is met again at once, and then left alone
        self.trouble = f"the state file was damaged ({error}) and is now {aside}: begun anew"

    def _in_memory(self, action: Callable[[sqlite3.Connection], T], error: Exception) -> T:
        self._drop()
        reason = getattr(error, "strerror", None) or str(error)
        self.trouble = f"{self.path} cannot be used ({reason}): kept in memory until the end"
        self._connection = _copy(self.path)
        return self._transact(action)

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a file to the present shape; instances that start together wait for each other.

    Raises:
        sqlite3.OperationalError: A newer version of mecha-tui shaped the file.
    """
    if _version(connection) == len(MIGRATIONS):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = _version(connection)
        if version > len(MIGRATIONS):
            raise sqlite3.OperationalError("a newer mecha-tui wrote it")
        for script in MIGRATIONS[version:]:
            for statement in _statements(script):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def _statements(script: str) -> Iterator[str]:
    statement = ""
    for part in script.split(";"):
        statement += f"{part};"
        if part.strip() and sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _connected(name: str, *, is_uri: bool = False) -> sqlite3.Connection:
    connection = sqlite3.connect(
        name, timeout=BUSY_S, isolation_level=None, check_same_thread=False, uri=is_uri
    )
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def _copy(path: Path) -> sqlite3.Connection:
    """Return a database in memory with what can still be read of the file."""
    for how in ("mode=ro", "immutable=1"):
        memory = _connected(":memory:")
        try:
            with closing(_connected(f"{path.as_uri()}?{how}", is_uri=True)) as file:
                file.backup(memory)
            migrate(memory)
        except (sqlite3.Error, ValueError):
            memory.close()
            continue
        return memory
    memory = _connected(":memory:")
    migrate(memory)
    return memory
