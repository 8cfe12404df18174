"""``mecha-tui check --fix``: shows the change to mecha's settings, and makes it after a yes."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from mecha_tui.control.settings_edit import Change, changed_text, read_settings, write_settings
from mecha_tui.core.agreement import Edit
from mecha_tui.core.client import ConfigKey, Promise
from mecha_tui.core.picture import ServerPicture
from mecha_tui.present.diff import diff_lines


def fix(pictures: Iterable[ServerPicture], *, is_agreed: bool) -> bool:
    """Cure in the settings files what can be cured there; whether anything was written."""
    changes = [
        change
        for file, edits in _by_file(chosen_edits(pictures)).items()
        if (change := _change(file, edits)) is not None
    ]
    if not changes:
        print("\nNothing to fix in mecha's settings.")
        return False
    for change in changes:
        print()
        print("\n".join(diff_lines(change.before, change.after, str(change.path))))
    if not is_agreed and not _is_agreed():
        print("Nothing was written.")
        return False
    for change in changes:
        backup = write_settings(change)
        kept = "" if backup is None else f"; the old one is kept as {backup}"
        print(f"Wrote {change.path}{kept}.")
    return True


def chosen_edits(pictures: Iterable[ServerPicture]) -> dict[ConfigKey, Edit]:
    """Return one edit for each key: the first that cures, and of several limits the largest."""
    chosen: dict[ConfigKey, Edit] = {}
    for picture in pictures:
        for finding in picture.agreement.disagreements:
            edit = next((cure.edit for cure in finding.cures if cure.edit is not None), None)
            if edit is None:
                continue
            earlier = chosen.get(edit.key)
            if earlier is None or _is_larger_limit(edit, earlier):
                chosen[edit.key] = edit
    return chosen


def _is_larger_limit(edit: Edit, earlier: Edit) -> bool:
    return (
        edit.key.key == Promise.MAX_TOKENS.value
        and isinstance(edit.value, int)
        and isinstance(earlier.value, int)
        and edit.value > earlier.value
    )


def _by_file(edits: dict[ConfigKey, Edit]) -> dict[str, list[Edit]]:
    files: dict[str, list[Edit]] = {}
    for key, edit in edits.items():
        files.setdefault(key.file, []).append(edit)
    return files


def _change(file: str, edits: list[Edit]) -> Change | None:
    settings = read_settings(file)
    after = changed_text(settings.text, edits, file)
    if after == settings.text:
        return None
    return Change(settings.path, settings.text, after, settings.exists)


def _is_agreed() -> bool:
    """Ask; without anyone to answer the answer is no."""
    if not sys.stdin.isatty():
        print("Nobody can be asked here: run it again with --yes.")
        return False
    print("Write this? [y/N] ", end="", flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
