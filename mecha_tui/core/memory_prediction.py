"""What another ``-c`` or ``-np`` would reserve, from the model's own file.

Keys and values are reserved when a server starts, so filling the context moves nothing,
and only a restart with other flags changes what it takes.
"""

from __future__ import annotations

from dataclasses import dataclass

from mecha_tui.core.division import PADDING_TOKENS, KvMode, division
from mecha_tui.core.numbers import ServerNumbers, kv_bytes
from mecha_tui.core.reading import known

_CHOICES = ((2, 1), (1, 2), (2, 2), (1, 0.5), (0.5, 1))
"""What is weighed against now: factors of the context and of the number of slots."""
_SOURCE = "asked for"


@dataclass(frozen=True, slots=True)
class Prediction:
    """One other choice of flags, and what would become of it."""

    context_tokens: int
    slots: int
    slot_window_tokens: int
    kv_bytes: int
    """What the server would reserve."""
    change_bytes: int
    """Against now; below zero when it would take less."""

    @property
    def flags(self) -> str:
        """The flags as they are written."""
        return f"-c {self.context_tokens} -np {self.slots}"


def predictions(numbers: ServerNumbers) -> tuple[Prediction, ...]:
    """Return other choices; none while the reservation of now is not known."""
    count, mode, now = numbers.slots.value, numbers.kv_mode.value, numbers.kv_bytes.value
    total = _total_tokens(numbers)
    if count is None or mode is None or now is None or total is None:
        return ()
    found: dict[tuple[int, int], Prediction] = {}
    for context_factor, slot_factor in _CHOICES:
        context, slots = int(total * context_factor), max(1, int(count * slot_factor))
        if (context, slots) == (total, count) or context < slots * PADDING_TOKENS:
            continue
        one = _prediction(numbers, mode, context, slots, now)
        if one is not None:
            found[context, slots] = one
    return tuple(found.values())


def _total_tokens(numbers: ServerNumbers) -> int | None:
    if numbers.kv_mode.value is KvMode.SHARED:
        return numbers.pool_tokens.value
    window, count = numbers.slot_window_tokens.value, numbers.slots.value
    return None if window is None or count is None else window * count


def _prediction(
    numbers: ServerNumbers, mode: KvMode, context: int, slots: int, now: int
) -> Prediction | None:
    made = division(
        context,
        slots,
        is_unified=mode is KvMode.SHARED,
        per_slot_cap_tokens=numbers.launch.per_slot_cap_tokens.value,
        training_window_tokens=numbers.training_window_tokens.value,
    )
    if made is None:
        return None
    reserved = kv_bytes(
        numbers.launch,
        known(made.slot_window_tokens, _SOURCE),
        known(slots, _SOURCE),
        known(mode, _SOURCE),
        known(made.pool_tokens, _SOURCE),
    ).value
    if reserved is None:
        return None
    return Prediction(context, slots, made.slot_window_tokens, reserved, reserved - now)
