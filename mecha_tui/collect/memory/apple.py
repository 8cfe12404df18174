"""Apple's machines: the GPU's limit, and what they do not tell."""

from __future__ import annotations

import platform
import subprocess
import sys
from collections.abc import Callable

from mecha_tui.core.memory import Device, Limit, MemoryKind
from mecha_tui.core.reading import Reading, known, unknown

WIRED_LIMIT = "iogpu.wired_limit_mb"
_MIB = 1 << 20
_PATIENCE_S = 2.0


def is_apple() -> bool:
    """Whether this is macOS."""
    return sys.platform == "darwin"


def sysctl(name: str) -> str | None:
    """Return a kernel setting as text; None when there is no such setting."""
    try:
        done = subprocess.run(  # noqa: S603 a fixed command
            ["sysctl", "-n", name],  # noqa: S607 found on PATH, as on every macOS
            capture_output=True,
            timeout=_PATIENCE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    text = done.stdout.decode("utf-8", "replace").strip()
    return text if done.returncode == 0 and text else None


def apple_limit(ask: Callable[[str], str | None] = sysctl) -> Limit:
    """Return what the GPU may wire at most. Zero means macOS's own default, not no limit."""
    name = f"GPU limit ({WIRED_LIMIT})"
    text = ask(WIRED_LIMIT)
    if text is None or not text.isdigit() or len(text) > 12:
        reason = f"sysctl does not tell {WIRED_LIMIT}"
        return Limit(name, unknown(reason), unknown(reason))
    if int(text) == 0:
        reason = "macOS's default, which it does not tell"
        return Limit(name, unknown(reason), unknown(reason))
    return Limit(
        name, known(int(text) * _MIB, f"sysctl {WIRED_LIMIT}"), unknown("macOS does not tell")
    )


def apple_device(now_s: float, machine: str | None = None) -> Device | None:
    """Return the GPU of an Apple chip; None on a Mac with an Intel processor."""
    if (machine or platform.machine()) != "arm64":
        return None
    missing: Reading[int] = unknown("an Apple chip has no memory of its own for the GPU")
    return Device(
        "Apple GPU",
        "Metal",
        MemoryKind.UNIFIED,
        0,
        total_bytes=missing,
        available_bytes=missing,
        processes=unknown("macOS does not tell what a process holds on the GPU"),
        taken_s=now_s,
    )
