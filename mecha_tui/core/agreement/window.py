"""Rules about the window a client believes in and the one its slot has."""

from __future__ import annotations

from mecha_tui.core.agreement.cures import cap_cure, client_cure, context_cure
from mecha_tui.core.agreement.findings import Cure, Finding, Severity
from mecha_tui.core.agreement.wording import count, disagreement, undecided
from mecha_tui.core.client import COMPACTION_DERIVED, ClientPromise, Promise, is_silent
from mecha_tui.core.division import PADDING_TOKENS
from mecha_tui.core.numbers import ServerNumbers

WINDOW, SLOT = "context_window", "the slot's window"


def window_over_slot(numbers: ServerNumbers, client: ClientPromise) -> Finding | None:
    """The client promises itself more than a slot holds."""
    promised, window = client.context_window, numbers.slot_window_tokens
    if is_silent(promised):
        return None
    if promised.value is None or window.value is None:
        inputs = ((WINDOW, promised), (SLOT, window))
        return undecided("window-over-slot", Severity.ERROR, *inputs, client=client)
    if promised.value <= window.value:
        return None
    return disagreement(
        "window-over-slot",
        Severity.ERROR,
        f"context_window promises {count(promised.value)} but a slot holds {count(window.value)}.",
        "Long conversations end in refused requests or empty answers, and compaction comes too "
        "late to help.",
        _smaller_window(numbers, client),
        context_cure(numbers, promised.value),
        cap_cure(numbers, promised.value),
        client=client,
    )


def window_under_slot(numbers: ServerNumbers, client: ClientPromise) -> Finding | None:
    """The client uses less than its slot could hold, by more than the server's rounding."""
    promised, window = client.context_window, numbers.slot_window_tokens
    if is_silent(promised):
        return None
    if promised.value is None or window.value is None:
        inputs = ((WINDOW, promised), (SLOT, window))
        return undecided("window-under-slot", Severity.WARNING, *inputs, client=client)
    if promised.value + PADDING_TOKENS >= window.value:
        return None
    share = numbers.fair_share_tokens
    if share is None:
        return undecided(
            "window-under-slot",
            Severity.WARNING,
            ("whether the slots share one pool", numbers.kv_mode),
            ("the number of slots", numbers.slots),
            ("the pool's size", numbers.pool_tokens),
            client=client,
        )
    if promised.value + PADDING_TOKENS >= share:
        return None
    return disagreement(
        "window-under-slot",
        Severity.WARNING,
        f"context_window is {count(promised.value)} but a slot may hold {count(share)}.",
        "The client compacts its transcript earlier than it must, and memory reserved for the "
        "rest of the slot is never used.",
        client_cure(client, Promise.CONTEXT_WINDOW, share),
        context_cure(numbers, promised.value),
        client=client,
    )


def window_missing(numbers: ServerNumbers, client: ClientPromise) -> Finding | None:
    """The client declares no window at all."""
    if not is_silent(client.context_window):
        return None
    window = numbers.slot_window_tokens.value
    holds = "" if window is None else f", while a slot holds {count(window)}"
    return disagreement(
        "window-missing",
        Severity.WARNING,
        f"{client.name} declares no context_window{holds}.",
        "Compaction, the size of tool outputs and the fuel gauge all go by it: without it the "
        "first sign of a full slot is a refused request.",
        _smaller_window(numbers, client),
        client=client,
    )


def compaction_over_slot(numbers: ServerNumbers, client: ClientPromise) -> Finding | None:
    """The client would compact only when its slot is full already."""
    mark, window, promised = (
        client.compact_at_tokens,
        numbers.slot_window_tokens,
        (client.context_window),
    )
    if is_silent(mark) or mark.source == COMPACTION_DERIVED:
        return None
    if mark.value is None or window.value is None:
        inputs = (("compact_at_tokens", mark), (SLOT, window))
        return undecided("compaction-over-slot", Severity.ERROR, *inputs, client=client)
    end = min(window.value, promised.value or window.value)
    if mark.value < end:
        return None
    return disagreement(
        "compaction-over-slot",
        Severity.ERROR,
        f"compact_at_tokens is {count(mark.value)} but the context ends at {count(end)}.",
        "The transcript is never compacted: the context is full before the mark is reached.",
        client_cure(client, Promise.COMPACT_AT, end * 2 // 3),
        client=client,
    )


def _smaller_window(numbers: ServerNumbers, client: ClientPromise) -> Cure | None:
    share = numbers.fair_share_tokens or numbers.slot_window_tokens.value
    return None if share is None else client_cure(client, Promise.CONTEXT_WINDOW, share)
