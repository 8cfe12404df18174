"""Which systemd unit or container a process belongs to, told by its control group."""

from __future__ import annotations

import re
from pathlib import Path

_CONTAINER = re.compile(r"(docker|libpod|crio|cri-containerd)(?:-payload)?[-/]([0-9a-f]{64})")
_DOCKER_FOLDER = re.compile(r"/docker/([0-9a-f]{64})")
_ENGINES = {"libpod": "podman", "cri-containerd": "containerd"}
SHORT_ID = 12


def owner_of(groups: str) -> str | None:
    """Return the unit or container that ``/proc/PID/cgroup`` names; None for neither.

    Returns:
        Such as ``llama.service`` or ``podman 0123456789ab``.
    """
    container = container_of(groups)
    if container is not None:
        return f"{container[0]} {container[1][:SHORT_ID]}"
    unit = unit_of(groups)
    return None if unit is None else unit[0]


def container_of(groups: str) -> tuple[str, str] | None:
    """Return the engine and the whole identifier of the container that is named; None for none."""
    found = _CONTAINER.search(groups)
    if found:
        return _ENGINES.get(found[1], found[1]), found[2]
    found = _DOCKER_FOLDER.search(groups)
    return ("docker", found[1]) if found else None


def unit_of(groups: str) -> tuple[str, bool] | None:
    """Return the service unit that is named, and whether a user's systemd runs it."""
    paths = [line.split(":", 2)[-1].split("/") for line in groups.splitlines()]
    units = [
        (part, any(above.startswith("user@") for above in path[:place]))
        for path in paths
        for place, part in enumerate(path)
        if part.endswith(".service") and not part.startswith("user@")
    ]
    return units[-1] if units else None


def is_user_unit(groups: str) -> bool:
    """Whether the unit that ``/proc/PID/cgroup`` names is one of a user's own systemd."""
    return re.search(r"/user@\d+\.service/.+\.service", groups) is not None


def owner_of_process(pid: int) -> str | None:
    """Return the same for a process; None also where there are no control groups to read."""
    return owner_of(groups_of(pid))


def groups_of(pid: int) -> str:
    """Return what ``/proc/PID/cgroup`` says; empty where it cannot be read."""
    try:
        return Path(f"/proc/{pid}/cgroup").read_text("utf-8", "replace")
    except OSError:
        return ""
