"""The lines that cure a finding: exact, and in the place where the value stands now."""

from __future__ import annotations

from dataclasses import replace

from mecha_tui.core.agreement.findings import Cure, Edit
from mecha_tui.core.client import ClientPromise, Promise
from mecha_tui.core.division import Division, KvMode, division, fair_share_tokens
from mecha_tui.core.launch import LaunchFlags
from mecha_tui.core.numbers import ServerNumbers
from mecha_tui.core.reading import Reading, known, unknown

LAUNCH_FLAGS = "the server's launch flags"
_VARIABLES = {
    "-c": "LLAMA_ARG_CTX_SIZE",
    "-np": "LLAMA_ARG_N_PARALLEL",
    "-cram": "LLAMA_ARG_CACHE_RAM",
    "--reasoning-budget": "LLAMA_ARG_THINK_BUDGET",
    "--kv-unified-per-slot": "LLAMA_ARG_KV_UNIFIED_PER_SLOT",
}


def client_cure(client: ClientPromise, promise: Promise, value: int | bool | str) -> Cure:
    """Return the line that gives a client's setting another value."""
    setting = client.setting(promise)
    written = str(value).lower() if isinstance(value, bool) else str(value)
    if isinstance(value, str):
        written = '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    edit = None if setting.key is None else Edit(setting.key, value)
    return Cure(setting.line.replace("{}", written), setting.place, edit)


def flag_cure(flag: str, value: int, now: Reading[int]) -> Cure:
    """Return the launch flag with another value, or the variable where that holds it now."""
    variable = _VARIABLES.get(flag)
    if variable is not None and now.source == f"environment {variable}":
        return Cure(f"{variable}={value}", "the server's environment")
    return Cure(f"{flag} {value}", LAUNCH_FLAGS)


def redivided(numbers: ServerNumbers, context_tokens: int, slots: int | None) -> Division | None:
    """Return what the server would make of another ``-c`` and ``-np``, all else equal."""
    launch = numbers.launch
    return division(
        context_tokens,
        slots,
        is_unified=bool(launch.is_unified.value),
        per_slot_cap_tokens=launch.per_slot_cap_tokens.value,
        training_window_tokens=numbers.training_window_tokens.value,
    )


def context_cure(numbers: ServerNumbers, window_tokens: int) -> Cure | None:
    """Return the ``-c`` that lets every slot hold a window at the same time.

    None where no such value exists (a cap or the model's training window is in the way),
    or where the flags are not known well enough to say.
    """
    slots, mode = numbers.slots.value, numbers.kv_mode.value
    if slots is None or mode is None:
        return None
    asked = None if numbers.launch.has_auto_slots else slots
    if asked is not None and mode is KvMode.SHARED and not numbers.launch.is_unified.value:
        return None
    total = window_tokens * slots
    outcome = redivided(numbers, total, asked)
    if outcome is None or fair(outcome) < window_tokens:
        return None
    return flag_cure("-c", total, numbers.launch.context_tokens)


def fair(outcome: Division) -> int:
    """Return what every slot of an outcome may hold at once."""
    return fair_share_tokens(
        outcome.slot_window_tokens, outcome.mode, outcome.slots, outcome.pool_tokens
    )


def with_division(numbers: ServerNumbers, outcome: Division, launch: LaunchFlags) -> ServerNumbers:
    """Return the numbers of the same server started with other flags."""
    shared = outcome.mode is KvMode.SHARED
    return replace(
        numbers,
        context_tokens=launch.context_tokens,
        slots=known(outcome.slots, "props"),
        slot_window_tokens=known(outcome.slot_window_tokens, "slots"),
        kv_mode=known(outcome.mode, "argv"),
        pool_tokens=known(outcome.pool_tokens, "argv")
        if shared
        else unknown("each slot has a part of its own"),
        launch=launch,
    )
