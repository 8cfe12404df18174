"""Why conversations are read again and again: causes in the order in which they are believed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from mecha_tui.core.agreement.cures import LAUNCH_FLAGS, flag_cure, flags_cure, switch_cure
from mecha_tui.core.agreement.findings import Cure, Finding, Severity
from mecha_tui.core.agreement.wording import count, disagreement
from mecha_tui.core.division import KvMode
from mecha_tui.core.launch import LaunchFlags
from mecha_tui.core.numbers import ServerNumbers
from mecha_tui.core.task_log import ContentChange
from mecha_tui.core.thrash import Pattern

CODE = "thrash-suspected"
_MEBIBYTE = 1024 * 1024


class Cause(Enum):
    """What makes it so, as far as the numbers support it. Values are stable codes."""

    MODEL_MEMORY = "model-memory"
    PROMPT_CHANGES = "prompt-start-changes"
    CONTENT_CHANGED = "slots-erased-or-restored"
    ONE_SLOT = "one-slot"
    MORE_TALKERS = "more-talkers-than-slots"
    IDLE_CLEARED = "idle-slots-cleared"
    UNEXPLAINED = "unexplained"


@dataclass(frozen=True, slots=True)
class Thrash:
    """A suspicion: what is read again and again, and why that is likely so."""

    cause: Cause
    finding: Finding
    pattern: Pattern


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the causes are judged by."""

    pattern: Pattern
    numbers: ServerNumbers
    changes: tuple[ContentChange, ...]
    """Slots emptied or filled without a task, while the pattern showed itself."""

    @property
    def slots(self) -> int | None:
        """How many slots there are; None if unknown."""
        return self.numbers.slots.value


def forgets(launch: LaunchFlags) -> bool:
    """Whether the model is known to have a memory that does not reach back."""
    shape = launch.model.value
    if shape is None:
        return False
    slides = any(layer.window_tokens is not None for layer in shape.layers)
    return (slides and launch.swa_full.value is not True) or len(shape.layers) < shape.layer_count


def thrash(evidence: Evidence) -> Thrash | None:
    """Return the suspicion; None where the host's prompt cache is known to hold them all."""
    pattern = evidence.pattern
    if not pattern.in_place and _is_cache_enough(evidence):
        return None
    row = next(one for one in _CAUSES if one.holds(evidence))
    finding = disagreement(
        CODE,
        Severity.WARNING,
        f"thrash suspected: {_turns(pattern)} read {count(pattern.again_tokens)} tokens again; "
        f"{row.because(evidence)}",
        "The server works on prompts that it had read before, and answers begin late.",
        *row.cures(evidence),
    )
    return Thrash(row.cause, finding, pattern)


def _turns(pattern: Pattern) -> str:
    turns = f"{len(pattern.visits)} turns"
    if pattern.conversations == 1:
        return f"{turns} of one conversation"
    return f"{turns} of {pattern.conversations} conversations"


def _needed_mib(evidence: Evidence) -> int | None:
    """Return what the conversations take in the host's cache; None if that is unknown."""
    numbers = evidence.numbers
    slot, window = numbers.slot_kv_bytes.value, numbers.slot_window_tokens.value
    if not slot or not window:
        return None
    longest: dict[int, int] = {}
    for one in evidence.pattern.visits:
        longest[one.conversation] = max(longest.get(one.conversation, 0), one.again_tokens)
    return -(-slot * sum(longest.values()) // (window * _MEBIBYTE))


def _is_cache_enough(evidence: Evidence) -> bool:
    cache, needed = evidence.numbers.cache_ram_mib.value, _needed_mib(evidence)
    if cache is None or cache == 0:
        return False
    return cache < 0 or (needed is not None and cache >= 2 * needed)


def _cache(evidence: Evidence) -> str:
    cache, needed = evidence.numbers.cache_ram_mib.value, _needed_mib(evidence)
    if cache is None:
        return "-cram is not known"
    if cache == 0:
        return "-cram is 0"
    about = "" if needed is None else f", and they take about {needed:,} MiB"
    return f"-cram keeps {cache:,} MiB{about}"


def _cache_cure(evidence: Evidence) -> Cure:
    now = evidence.numbers.cache_ram_mib
    least = 2 * (_needed_mib(evidence) or 0)
    return flag_cure("-cram", max(8192, 2 * (now.value or 0), least), now)


def _slots_cure(evidence: Evidence) -> Cure | None:
    """Return a slot for each conversation, with the window that each slot has now."""
    numbers, wanted = evidence.numbers, evidence.pattern.conversations
    window = numbers.slot_window_tokens.value
    if window is None or evidence.slots is None or evidence.slots >= wanted:
        return None
    slots = ("-np", wanted, numbers.launch.slots)
    if numbers.kv_mode.value is KvMode.SHARED:
        return flag_cure(*slots)
    return flags_cure(slots, ("-c", window * wanted, numbers.launch.context_tokens))


def _room_cures(evidence: Evidence) -> tuple[Cure | None, ...]:
    return _slots_cure(evidence), _cache_cure(evidence)


def _memory_cures(evidence: Evidence) -> tuple[Cure | None, ...]:
    launch = evidence.numbers.launch
    shape, more = launch.model.value, Cure("-ctxcp 128", LAUNCH_FLAGS)
    slides = shape is not None and any(layer.window_tokens for layer in shape.layers)
    if slides and launch.swa_full.value is False:
        return switch_cure("--swa-full", launch.swa_full), more
    return (more,)


def _meddled(evidence: Evidence) -> bool:
    talked = {one.slot_id for one in evidence.pattern.visits}
    found = [one for one in evidence.changes if not one.was_for_a_task and one.slot_id in talked]
    return len(found) * 2 >= len(evidence.pattern.visits)


@dataclass(frozen=True, slots=True)
class _Row:
    cause: Cause
    holds: Callable[[Evidence], bool]
    because: Callable[[Evidence], str]
    cures: Callable[[Evidence], tuple[Cure | None, ...]]


def _none(_: Evidence) -> tuple[Cure | None, ...]:
    return ()


_CAUSES = (
    _Row(
        Cause.MODEL_MEMORY,
        lambda seen: seen.pattern.in_place and forgets(seen.numbers.launch),
        lambda _: "its layers have a sliding window or a state that does not reach back.",
        _memory_cures,
    ),
    _Row(
        Cause.PROMPT_CHANGES,
        lambda seen: seen.pattern.in_place,
        lambda _: (
            "the slot held it, but the prompt began with other text. A time of day or a "
            "changing list of tools in it does that."
        ),
        _none,
    ),
    _Row(
        Cause.CONTENT_CHANGED,
        _meddled,
        lambda _: "somebody erased or restored their slots in between.",
        _none,
    ),
    _Row(
        Cause.ONE_SLOT,
        lambda seen: seen.slots == 1 and seen.pattern.conversations > 1,
        lambda seen: f"they take turns in one slot, and {_cache(seen)}.",
        _room_cures,
    ),
    _Row(
        Cause.MORE_TALKERS,
        lambda seen: seen.slots is not None and seen.pattern.conversations > seen.slots,
        lambda seen: f"they take turns in {seen.slots} slots, and {_cache(seen)}.",
        _room_cures,
    ),
    _Row(
        Cause.IDLE_CLEARED,
        lambda seen: any(one.was_for_a_task and not one.after_tokens for one in seen.changes),
        lambda seen: f"idle slots are cleared into the host's cache, and {_cache(seen)}.",
        lambda seen: (_cache_cure(seen), Cure("--no-cache-idle-slots", LAUNCH_FLAGS)),
    ),
    _Row(
        Cause.UNEXPLAINED,
        lambda _: True,
        lambda seen: f"why is not known; {_cache(seen)}.",
        _room_cures,
    ),
)
"""The first that holds is named."""
