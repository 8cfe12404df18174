"""The tightest memory limit that a process's control groups set, in version 1 and 2."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from mecha_tui.collect.memory.files import exists, read_number, read_text
from mecha_tui.core.memory import Limit
from mecha_tui.core.reading import Reading, known, unknown

DEPTH_LIMIT = 32
NO_LIMIT_V1 = 1 << 60
"""Version 1 writes the largest page-aligned number where no limit is set."""


def memory_limit(root: Path, pid: int | str) -> Limit:
    """Return the limit that leaves least, among the process's group and its ancestors.

    A group without a limit is not the same as one that cannot be read: the reason tells.

    Args:
        root: The root directory.
        pid: A process, or ``self``.
    """
    text = read_text(root / f"proc/{pid}/cgroup")
    if text.value is None:
        return Limit("control group", unknown(text.reason or ""), unknown(text.reason or ""))
    found = [
        _limit(place, group, is_v2)
        for place, group, is_v2 in _groups(root, text.value)
        if exists(place)
    ]
    tight = [one for one in found if one.limit_bytes.is_known]
    if tight:
        return min(tight, key=_tightness)
    if not found:
        reason = "the process's control group is not visible here"
    else:
        reason = next(
            (one.limit_bytes.reason for one in found if not _is_unlimited(one)),
            None,
        ) or (found[0].limit_bytes.reason or "")
    return Limit("control group", unknown(reason), unknown(reason))


def _tightness(limit: Limit) -> int:
    left, bound = limit.left_bytes.value, limit.limit_bytes.value
    return left if left is not None else (bound or 0)


def _is_unlimited(limit: Limit) -> bool:
    return limit.limit_bytes.reason == _UNLIMITED


_UNLIMITED = "no limit is set"


def _groups(root: Path, text: str) -> list[tuple[Path, str, bool]]:
    """Return the directories of a process's memory groups, the innermost first."""
    mounts = root / "sys/fs/cgroup"
    places: list[tuple[Path, str, bool]] = []
    for line in text.splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if not path.startswith("/") or ".." in path.split("/"):
            continue
        if "memory" in controllers.split(","):
            top, is_v2 = mounts / "memory", False
        elif not controllers and not exists(mounts / "unified"):
            top, is_v2 = mounts, True
        else:
            continue
        group = PurePosixPath(path)
        chain = [group, *group.parents][:DEPTH_LIMIT]
        places += [(top / str(one).lstrip("/"), str(one), is_v2) for one in chain]
    return places


def _limit(place: Path, group: str, is_v2: bool) -> Limit:
    names = (
        ("memory.max", "memory.current", "inactive_file", "active_file")
        if is_v2
        else (
            "memory.limit_in_bytes",
            "memory.usage_in_bytes",
            "total_inactive_file",
            "total_active_file",
        )
    )
    name = f"control group {group}"
    bound = _bound(place / names[0], is_root=group == "/")
    if bound.value is None:
        return Limit(name, bound, unknown(bound.reason or ""))
    used = read_number(place / names[1])
    files = _file_bytes(place / "memory.stat", names[2], names[3])
    if used.value is None or files.value is None:
        return Limit(name, bound, unknown(used.reason or files.reason or ""))
    taken = max(0, used.value - files.value)
    left = known(max(0, bound.value - taken), f"{names[0]} less {names[1]} without cached files")
    return Limit(name, bound, left)


def _bound(path: Path, *, is_root: bool) -> Reading[int]:
    text = read_text(path)
    if text.value is None:
        return unknown(
            _UNLIMITED if is_root and "there is no" in str(text.reason) else text.reason or ""
        )
    if text.value.strip() == "max":
        return unknown(_UNLIMITED)
    number = read_number(path)
    if number.value is not None and number.value >= NO_LIMIT_V1:
        return unknown(_UNLIMITED)
    return number


def _file_bytes(path: Path, *names: str) -> Reading[int]:
    """Return the cached file bytes a group counts as used."""
    text = read_text(path)
    if text.value is None:
        return unknown(text.reason or "")
    rows = dict(line.split(" ", 1) for line in text.value.splitlines() if line.count(" ") == 1)
    if any(not rows.get(name, "").isdigit() for name in names):
        return unknown(f"{text.source} has no usable {names[0]}")
    return known(sum(int(rows[name]) for name in names), text.source or "")
