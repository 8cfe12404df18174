"""Signs that a server is, or would be, slow for want of memory, in plain words."""

from __future__ import annotations

from mecha_tui.core.agreement import Cure, Finding, Severity, Verdict
from mecha_tui.core.memory import Limit, Memory, MemoryKind

PRESSURE_RATIO = 0.10
"""Stalls for memory in this share of the last ten seconds are felt."""
RELIEF_RATIO = 0.05
"""Below this share the pressure is over."""
KILL_MATTERS_S = 900.0
"""How long after a kill it is still what one has to know first."""
SWAPPED_BYTES = 64 << 20
"""A little of any process is swapped out without harm; this much of a server is not."""
SCARCE_RATIO = 0.05
"""A limit with less than this share left is about to be hit."""
_GIB = 1 << 30
_OLD = "Its last figures are shown, with their age."
_UNSEEN = "What lies on that GPU is not known; host memory is not shown in its place."


def memory_findings(memory: Memory, before: tuple[Finding, ...] = ()) -> tuple[Finding, ...]:
    """Return what is wrong with memory now, worst first.

    Args:
        memory: Where memory stands.
        before: What was wrong at the look before; pressure has to fall well below the mark
            at which it was found before it counts as over.
    """
    was_pressed = any(one.code == "memory-pressure" for one in before)
    found = [
        *_killed(memory),
        *_swapped(memory),
        *_pressed(memory, RELIEF_RATIO if was_pressed else PRESSURE_RATIO),
        *(finding for limit in memory.limits for finding in _scarce(limit)),
        *_broken(memory),
    ]
    return tuple(sorted(found, key=lambda one: list(Severity).index(one.severity)))


def _killed(memory: Memory) -> list[Finding]:
    kills, killed_s = memory.pressure.oom_kills.value, memory.pressure.killed_s
    if not kills or killed_s is None or memory.taken_s is None:
        return []
    if memory.taken_s - killed_s > KILL_MATTERS_S:
        return []
    times = "a process" if kills == 1 else f"{kills} processes"
    return [
        _finding(
            "oom-kill",
            Severity.ERROR,
            f"The kernel killed {times} for want of memory since watching began.",
            "A server that vanished without a word in its log was probably one of them.",
            Cure("dmesg | grep -i 'killed process'", "a shell: it names them"),
        )
    ]


def _swapped(memory: Memory) -> list[Finding]:
    held = memory.server_swap_bytes.value
    if held is None or held < SWAPPED_BYTES:
        return []
    return [
        _finding(
            "server-swapped",
            Severity.WARNING,
            f"{held / _GIB:.1f} GiB of the server has been written out to swap.",
            "Every token that needs it waits for the disk. A server loaded while memory was "
            "short stays slow until it is restarted.",
            Cure("--mlock", "the server's launch flags, once memory is free"),
        )
    ]


def _pressed(memory: Memory, mark: float) -> list[Finding]:
    some = memory.pressure.some_ratio.value
    if some is None or some < mark:
        return []
    full = memory.pressure.full_ratio.value
    everything = "" if full is None else f", and everything in {full * 100:.0f} %"
    return [
        _finding(
            "memory-pressure",
            Severity.WARNING,
            f"Programs waited for memory in {some * 100:.0f} % of the last 10 s{everything}.",
            "A server that loads now would stay slow.",
            Cure("free memory first, then restart the server", "see who holds it"),
        )
    ]


def _scarce(limit: Limit) -> list[Finding]:
    bound, left = limit.limit_bytes.value, limit.left_bytes.value
    if bound is None or left is None or left >= bound * SCARCE_RATIO:
        return []
    return [
        _finding(
            "memory-limit-near",
            Severity.WARNING,
            f"{limit.name} leaves {left / _GIB:.1f} GiB of its {bound / _GIB:.1f} GiB.",
            "Beyond it the kernel ends the server, however much the machine has free.",
            Cure("raise MemoryMax, or the container's memory limit", limit.name),
        )
    ]


def _broken(memory: Memory) -> list[Finding]:
    errors = [
        (f"{one.name}: {one.error}.", _UNSEEN if one.kind is MemoryKind.UNKNOWN else _OLD)
        for one in memory.devices
        if one.error is not None
    ]
    if memory.kind is MemoryKind.UNKNOWN and memory.kind_note and not memory.devices:
        errors.append((f"{memory.kind_note}.", _UNSEEN))
    return [_finding("gpu-error", Severity.WARNING, text, effect, None) for text, effect in errors]


def _finding(
    code: str, severity: Severity, message: str, effect: str, cure: Cure | None
) -> Finding:
    cures = () if cure is None else (cure,)
    return Finding(code, severity, Verdict.DISAGREE, message, effect, cures)
