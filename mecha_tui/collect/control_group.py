"""Which systemd unit or container a process belongs to, told by its control group."""

from __future__ import annotations

import re
from pathlib import Path

_CONTAINER = re.compile(r"(docker|libpod|crio|cri-containerd)[-/]([0-9a-f]{64})")
_DOCKER_FOLDER = re.compile(r"/docker/([0-9a-f]{64})")
_ENGINES = {"libpod": "podman", "cri-containerd": "containerd"}
SHORT_ID = 12


def owner_of(groups: str) -> str | None:
    """Return the unit or container that ``/proc/PID/cgroup`` names; None for neither.

    Returns:
        Such as ``llama.service`` or ``podman 0123456789ab``.
    """
    found = _CONTAINER.search(groups)
    if found:
        return f"{_ENGINES.get(found[1], found[1])} {found[2][:SHORT_ID]}"
    found = _DOCKER_FOLDER.search(groups)
    if found:
        return f"docker {found[1][:SHORT_ID]}"
    units = [
        part
        for line in groups.splitlines()
        for part in line.rpartition(":")[2].split("/")
        if part.endswith(".service") and not part.startswith("user@")
    ]
    return units[-1] if units else None


def is_user_unit(groups: str) -> bool:
    """Whether the unit that ``/proc/PID/cgroup`` names is one of a user's own systemd."""
    return re.search(r"/user@\d+\.service/.+\.service", groups) is not None


def owner_of_process(pid: int) -> str | None:
    """Return the same for a process; None also where there are no control groups to read."""
    try:
        return owner_of(Path(f"/proc/{pid}/cgroup").read_text("utf-8", "replace"))
    except OSError:
        return None
