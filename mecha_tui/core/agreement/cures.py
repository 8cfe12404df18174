"""The lines that cure a finding: exact, and in the place where the value stands now."""

from __future__ import annotations

from mecha_tui.core.agreement.findings import Cure, Edit
from mecha_tui.core.agreement.wording import quoted
from mecha_tui.core.client import ClientPromise, Promise
from mecha_tui.core.division import Division, KvMode, division, fair_share_tokens
from mecha_tui.core.numbers import ServerNumbers
from mecha_tui.core.reading import Reading

LAUNCH_FLAGS = "the server's launch flags"
ENVIRONMENT = "the server's environment"
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
        written = quoted(value)
    edit = None if setting.key is None else Edit(setting.key, value)
    return Cure(setting.line.replace("{}", written), setting.place, edit)


def flag_cure(flag: str, value: int, now: Reading[int]) -> Cure:
    """Return the launch flag with another value, or the variable where that holds it now."""
    variable = _VARIABLES.get(flag)
    if variable is not None and now.source == f"environment {variable}":
        return Cure(f"{variable}={value}", ENVIRONMENT)
    return Cure(f"{flag} {value}", LAUNCH_FLAGS)


def flags_cure(*flags: tuple[str, int, Reading[int]]) -> Cure:
    """Return several flags that only cure together, each where its value stands now."""
    parts = [flag_cure(*one) for one in flags]
    places = list(dict.fromkeys(part.place for part in parts))
    return Cure(" ".join(part.line for part in parts), " and ".join(places))


def switch_cure(flag: str, now: Reading[bool]) -> Cure:
    """Return the flag that turns a switch off, or the variable that turned it on."""
    source = now.source or ""
    if source.startswith("environment "):
        return Cure(f"{source.removeprefix('environment ')}=0", ENVIRONMENT)
    return Cure(flag, LAUNCH_FLAGS)


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


def cap_cure(numbers: ServerNumbers, window_tokens: int) -> Cure | None:
    """Return the ``--kv-unified-per-slot`` that lets a slot hold a window, where that caps it."""
    launch, slots = numbers.launch, numbers.slots.value
    cap = launch.per_slot_cap_tokens.value
    if not cap or slots is None or cap != numbers.slot_window_tokens.value:
        return None
    outcome = division(
        max(0, launch.context_tokens.value or 0),
        None if launch.has_auto_slots else slots,
        is_unified=bool(launch.is_unified.value),
        per_slot_cap_tokens=window_tokens,
        training_window_tokens=numbers.training_window_tokens.value,
    )
    if outcome is None or fair(outcome) < window_tokens:
        return None
    return flag_cure("--kv-unified-per-slot", window_tokens, launch.per_slot_cap_tokens)


def fair(outcome: Division) -> int:
    """Return what every slot of an outcome may hold at once."""
    return fair_share_tokens(
        outcome.slot_window_tokens, outcome.mode, outcome.slots, outcome.pool_tokens
    )
