"""Rules about what the server keeps of a conversation, and what it drops."""

from __future__ import annotations

from mecha_tui.core.agreement.cures import flag_cure, switch_cure
from mecha_tui.core.agreement.findings import Finding, Severity
from mecha_tui.core.agreement.wording import disagreement, undecided
from mecha_tui.core.numbers import ServerNumbers

MEBIBYTE = 1024 * 1024


def prompt_cache_small(numbers: ServerNumbers) -> Finding | None:
    """The host prompt cache cannot hold even one full slot.

    Where the model's file does not tell how large a slot is, that is said, but it does
    not weigh: the rule is a bonus of a readable model.
    """
    cache, slot = numbers.cache_ram_mib, numbers.slot_kv_bytes
    if cache.value is not None and cache.value <= 0:
        return None
    if cache.value is None or slot.value is None:
        inputs = (("-cram", cache), ("the size of a full slot", slot))
        return undecided("prompt-cache-small", Severity.INFO, *inputs)
    if cache.value * MEBIBYTE >= slot.value:
        return None
    needed_mib = -(-slot.value // MEBIBYTE)
    return disagreement(
        "prompt-cache-small",
        Severity.WARNING,
        f"-cram keeps {cache.value:,} MiB of old prompts, but one full slot takes "
        f"{needed_mib:,} MiB.",
        "A conversation that left its slot is not found in the cache when it comes back, and is "
        "read again from the start.",
        flag_cure("-cram", needed_mib, cache),
    )


def prompt_cache_off(numbers: ServerNumbers) -> Finding | None:
    """There is no host prompt cache at all."""
    if numbers.cache_ram_mib.value != 0:
        return None
    return disagreement(
        "prompt-cache-off",
        Severity.INFO,
        "-cram is 0: prompts that leave their slot are not kept.",
        "With more conversations than slots, each that returns is read again from the start.",
    )


def context_shift_on(numbers: ServerNumbers) -> Finding | None:
    """A full slot drops its oldest text without a word."""
    shift = numbers.context_shift
    if shift.value is None:
        inputs = (("--context-shift", shift),)
        return undecided("context-shift-on", Severity.WARNING, *inputs)
    if not shift.value:
        return None
    return disagreement(
        "context-shift-on",
        Severity.WARNING,
        "--context-shift is on: a full slot drops its oldest text instead of refusing.",
        "The model forgets its instructions and tools in the middle of an answer, and nothing "
        "says so.",
        switch_cure("--no-context-shift", shift),
    )
