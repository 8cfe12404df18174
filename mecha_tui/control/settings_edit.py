"""Changes single values in a TOML file and leaves everything else as it stands.

Comments, order and formatting stay. The file is written whole or not at all, a link is
followed and stays a link, and the old content is kept beside it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from mecha_tui.core.agreement import Edit
from mecha_tui.errors import MechaTuiError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

LIMIT_BYTES = 1_000_000
_BYTE_ORDER_MARK = "\ufeff"
"""Some editors begin a file with it; it is kept, and is no part of the content."""
BACKUP_LIMIT = 1000


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A file as it was read."""

    path: Path
    """Where it really lies, links followed."""
    text: str
    exists: bool


@dataclass(frozen=True, slots=True)
class Change:
    """A file's content before and after."""

    path: Path
    before: str
    after: str
    exists: bool = True


def read_settings(file: str) -> SettingsFile:
    """Return a settings file's content; one that does not exist is empty.

    Raises:
        MechaTuiError: It cannot be read.
    """
    path = Path(os.path.realpath(file))
    try:
        with path.open("rb") as opened:
            raw = opened.read(LIMIT_BYTES + 1)
        if len(raw) > LIMIT_BYTES:
            raise MechaTuiError(f"{path} is larger than {LIMIT_BYTES:,} bytes: edit it by hand")
        return SettingsFile(path, raw.decode("utf-8"), True)
    except FileNotFoundError:
        return SettingsFile(path, "", False)
    except UnicodeDecodeError:
        raise MechaTuiError(f"{path} is not UTF-8 text: edit it by hand") from None
    except OSError as error:
        raise MechaTuiError(f"{path} cannot be read ({error.strerror})") from None


def changed_text(text: str, edits: Iterable[Edit], name: str) -> str:
    """Return a TOML text with some values changed, and prove that nothing else did.

    Raises:
        MechaTuiError: The text is not TOML, or is written so that it cannot be changed safely.
    """
    edits = tuple(edits)
    mark = _BYTE_ORDER_MARK if text.startswith(_BYTE_ORDER_MARK) else ""
    text = text.removeprefix(mark)
    by_hand = MechaTuiError(f"{name} cannot be changed safely: edit it by hand")
    try:
        document = tomlkit.parse(text)
        expected = tomllib.loads(text)
        for edit in edits:
            _set(document, edit)
            _set(expected, edit)
        changed = tomlkit.dumps(document)
        if tomllib.loads(changed) != expected:
            raise by_hand
    except (TOMLKitError, tomllib.TOMLDecodeError, TypeError, ValueError):
        raise by_hand from None
    return mark + changed


def write_settings(change: Change) -> Path | None:
    """Write a change in one step, and return where the old content is kept.

    Returns:
        None where there was no old content.

    Raises:
        MechaTuiError: The file changed meanwhile, or cannot be written; it is then untouched.
    """
    now = read_settings(str(change.path))
    if (now.text, now.exists) != (change.before, change.exists):
        raise MechaTuiError(f"{change.path} was changed meanwhile: look again before you write")
    backup: Path | None = None
    try:
        change.path.parent.mkdir(parents=True, exist_ok=True)
        if change.exists:
            backup = _new_backup(change.path)
            shutil.copyfile(change.path, backup)
            shutil.copystat(change.path, backup)
        _replace(change.path, change.after)
    except OSError as error:
        if backup is not None:
            backup.unlink()
        raise MechaTuiError(f"{change.path} cannot be written ({error.strerror})") from None
    return backup


def _set(document: MutableMapping[str, Any], edit: Edit) -> None:
    table = document
    for name in edit.key.table:
        if name not in table:
            table[name] = tomlkit.table() if isinstance(document, tomlkit.TOMLDocument) else {}
        table = table[name]
    table[edit.key.key] = edit.value


def _new_backup(path: Path) -> Path:
    """Make an empty file that only this user may read, beside another, under a free name."""
    for number in range(1, BACKUP_LIMIT + 1):
        backup = path.with_name(f"{path.name}.bak{number if number > 1 else ''}")
        with contextlib.suppress(FileExistsError):  # also a link that leads nowhere
            os.close(os.open(backup, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            return backup
    raise MechaTuiError(f"{path} has {BACKUP_LIMIT} backups beside it: remove some")


def _replace(path: Path, text: str) -> None:
    """Write beside the file and move it into place."""
    descriptor, unfinished = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            about = path.stat()
            shutil.copymode(path, unfinished)
            with contextlib.suppress(PermissionError):
                os.chown(unfinished, about.st_uid, about.st_gid)
        os.replace(unfinished, path)
    except BaseException:
        os.unlink(unfinished)
        raise
