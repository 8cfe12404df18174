"""Rules about how the context falls to the slots, and how many slots there are."""

from __future__ import annotations

from mecha_tui.core.agreement.cures import (
    client_cure,
    context_cure,
    flag_cure,
    flags_cure,
    redivided,
)
from mecha_tui.core.agreement.findings import Cure, Finding, Severity
from mecha_tui.core.agreement.wording import count, disagreement, undecided
from mecha_tui.core.client import ClientPromise, Promise, is_silent
from mecha_tui.core.division import PADDING_TOKENS, KvMode
from mecha_tui.core.numbers import ServerNumbers

USUAL_SLOTS = 4
"""What ``mecha batch`` and ``mecha eval`` keep busy."""


def pool_oversold(numbers: ServerNumbers, client: ClientPromise) -> Finding | None:
    """All slots at once, each as full as the client allows, would not fit in the shared pool."""
    promised, slots, window = client.context_window, numbers.slots, numbers.slot_window_tokens
    if is_silent(promised) or numbers.kv_mode.value is KvMode.DIVIDED or slots.value == 1:
        return None
    if promised.value is None or slots.value is None or window.value is None:
        return undecided(
            "pool-oversold",
            Severity.WARNING,
            ("context_window", promised),
            ("the number of slots", slots),
            ("the slot's window", window),
            client=client,
        )
    wanted = promised.value * slots.value
    # A shared pool is never smaller than one slot's window.
    if wanted <= window.value or promised.value > window.value:
        return None
    pool = numbers.pool_tokens
    if numbers.kv_mode.value is None or pool.value is None:
        return undecided(
            "pool-oversold",
            Severity.WARNING,
            ("whether the slots share one pool", numbers.kv_mode),
            ("the pool's size", pool),
            client=client,
        )
    if wanted <= pool.value:
        return None
    return disagreement(
        "pool-oversold",
        Severity.WARNING,
        f"{slots.value} slots share a pool of {count(pool.value)}, but context_window promises "
        f"{count(promised.value)} to each: {count(wanted)} in all.",
        "When the pool overflows, every running request ends with an error, though each slot "
        "looks part full.",
        _fitting_window(client, pool.value // slots.value),
        context_cure(numbers, promised.value),
        client=client,
    )


def division_unexpected(numbers: ServerNumbers) -> Finding | None:
    """A slot's window is not what ``-c`` over ``-np`` would give."""
    total, slots, window = numbers.context_tokens, numbers.slots, numbers.slot_window_tokens
    if numbers.launch.has_own_context is False or numbers.kv_mode.value is KvMode.SHARED:
        return None
    if (
        total.value is None
        or slots.value is None
        or window.value is None
        or numbers.kv_mode.value is None
    ):
        return undecided(
            "division-unexpected",
            Severity.WARNING,
            ("-c", total),
            ("the number of slots", slots),
            ("the slot's window", window),
            ("whether the slots share one pool", numbers.kv_mode),
        )
    part = total.value // slots.value
    if abs(window.value - part) <= PADDING_TOKENS:
        return None
    return disagreement(
        "division-unexpected",
        Severity.WARNING,
        f"-c {total.value} over {slots.value} slots would be {count(part)} each, but a slot holds "
        f"{count(window.value)}: {_why(numbers, window.value)}.",
        "The context asked for and the context there is differ, so a client set by the flags "
        "is set wrong.",
        _honest_total(numbers, window.value * slots.value),
    )


def one_slot_many_talkers(numbers: ServerNumbers, client: ClientPromise) -> Finding | None:
    """One slot serves every conversation in turn."""
    talkers = client.requests_at_once
    if numbers.slots.value is None:
        return undecided(
            "one-slot-many-talkers",
            Severity.WARNING,
            ("the number of slots", numbers.slots),
            client=client,
        )
    if numbers.slots.value != 1 or talkers.value == 1:
        return None
    if talkers.value is None and not is_silent(talkers):
        inputs = (("the requests sent at once", talkers),)
        return undecided("one-slot-many-talkers", Severity.WARNING, *inputs, client=client)
    known = f"the {talkers.value} requests" if talkers.value else "all requests"
    return disagreement(
        "one-slot-many-talkers",
        Severity.WARNING,
        f"1 slot serves {known} that {client.name} may send at once.",
        "Conversations take turns in one cache: each drives out the other's prefix, and every "
        "turn reads its whole prompt again.",
        _more_slots(numbers, talkers.value or USUAL_SLOTS),
        _one_talker(client),
        client=client,
    )


def slots_under_concurrency(numbers: ServerNumbers, client: ClientPromise) -> Finding | None:
    """Fewer slots than the client may keep busy, but more than one."""
    slots, talkers = numbers.slots.value, client.requests_at_once.value
    if slots is None or talkers is None or slots == 1 or slots >= talkers:
        return None
    return disagreement(
        "slots-under-concurrency",
        Severity.INFO,
        f"{slots} slots serve the {talkers} requests that {client.name} may send at once.",
        "Some requests wait for a slot; throughput does not rise beyond the slots.",
        _more_slots(numbers, talkers),
        client=client,
    )


def _why(numbers: ServerNumbers, window: int) -> str:
    if window == numbers.launch.per_slot_cap_tokens.value:
        return "capped by --kv-unified-per-slot"
    if window == numbers.training_window_tokens.value:
        return "capped at what the model was trained for"
    return "the server chose it, to fit the memory or by a default of its own"


def _fitting_window(client: ClientPromise, tokens: int) -> Cure | None:
    return client_cure(client, Promise.CONTEXT_WINDOW, tokens) if tokens > 0 else None


def _honest_total(numbers: ServerNumbers, tokens: int) -> Cure | None:
    """Return the ``-c`` that says what the slots have anyway."""
    outcome = redivided(numbers, tokens, numbers.slots.value)
    if outcome is None or outcome.slot_window_tokens != numbers.slot_window_tokens.value:
        return None
    return flag_cure("-c", tokens, numbers.context_tokens)


def _more_slots(numbers: ServerNumbers, slots: int) -> Cure | None:
    """Return the flags that give more slots without making any of them smaller."""
    window, launch = numbers.slot_window_tokens.value, numbers.launch
    if window is None or launch.has_own_context is None:
        return None
    outcome = redivided(numbers, window * slots, slots)
    if outcome is None or outcome.slot_window_tokens < window:
        return None
    return flags_cure(("-c", window * slots, launch.context_tokens), ("-np", slots, launch.slots))


def _one_talker(client: ClientPromise) -> Cure | None:
    if Promise.REQUESTS_AT_ONCE not in client.settings:
        return None
    return client_cure(client, Promise.REQUESTS_AT_ONCE, 1)
