"""Rules about the room that thinking leaves for an answer."""

from __future__ import annotations

from mecha_tui.core.agreement.cures import client_cure, flag_cure
from mecha_tui.core.agreement.findings import Cure, Finding, Severity
from mecha_tui.core.agreement.wording import count, disagreement, undecided
from mecha_tui.core.client import ClientPromise, Promise, is_silent
from mecha_tui.core.numbers import ServerNumbers

SMALLEST_ROOM_TOKENS = 1024
"""An answer shorter than this is likely to be cut."""

_BUDGET, _LIMIT = "--reasoning-budget", "max_tokens"


def answer_room_none(numbers: ServerNumbers, client: ClientPromise) -> Finding | None:
    """Thinking alone may use up everything the client allows."""
    budget, limit = numbers.reasoning_budget, client.max_tokens
    if not _uses_budget(numbers, client):
        return None
    if budget.value is None or limit.value is None:
        return _unjudged("answer-room-none", Severity.ERROR, numbers, client)
    if limit.value > budget.value:
        return None
    return disagreement(
        "answer-room-none",
        Severity.ERROR,
        f"max_tokens allows {count(limit.value)} but thinking may use {count(budget.value)} of it.",
        "Answers come back empty: the whole allowance is spent on thinking.",
        *_cures(numbers, client, budget.value, limit.value),
        client=client,
    )


def answer_room_small(numbers: ServerNumbers, client: ClientPromise) -> Finding | None:
    """Thinking leaves little of what the client allows."""
    budget, limit = numbers.reasoning_budget, client.max_tokens
    if not _uses_budget(numbers, client):
        return None
    if budget.value is None or limit.value is None:
        return _unjudged("answer-room-small", Severity.WARNING, numbers, client)
    room = limit.value - budget.value
    if room <= 0:
        return None
    if room >= SMALLEST_ROOM_TOKENS and room * 4 >= budget.value:
        return None
    return disagreement(
        "answer-room-small",
        Severity.WARNING,
        f"max_tokens allows {count(limit.value)} and thinking may use {count(budget.value)} of "
        f"it: {count(room)} are left for the answer.",
        "After long thinking an answer is cut short, or a tool call is not finished.",
        *_cures(numbers, client, budget.value, limit.value),
        client=client,
    )


def _uses_budget(numbers: ServerNumbers, client: ClientPromise) -> bool:
    """Whether a reasoning budget concerns this client: not where it, or the server, never thinks.

    A client that states no limit for its answers leaves the server's own, which is none.
    """
    if is_silent(client.max_tokens) or client.thinking.value is False:
        return False
    if numbers.launch.reasoning.value == "off":
        return False
    budget = numbers.reasoning_budget.value
    return numbers.thinks.value is not False if budget is None else budget > 0


def _unjudged(
    code: str, severity: Severity, numbers: ServerNumbers, client: ClientPromise
) -> Finding:
    inputs = ((_BUDGET, numbers.reasoning_budget), (_LIMIT, client.max_tokens))
    return undecided(code, severity, *inputs, client=client)


def _cures(
    numbers: ServerNumbers, client: ClientPromise, budget: int, limit: int
) -> tuple[Cure | None, ...]:
    return (
        _larger_limit(numbers, client, budget),
        _smaller_budget(numbers, limit),
    )


def _larger_limit(numbers: ServerNumbers, client: ClientPromise, budget: int) -> Cure | None:
    """Return a limit with room for thinking and answer; None where no slot could hold it."""
    enough = budget + max(SMALLEST_ROOM_TOKENS, -(-budget // 4))
    window = numbers.slot_window_tokens.value
    if window is not None and enough >= window:
        return None
    ample = 2 * budget
    if ample > enough and (window is None or ample * 2 <= window):
        enough = ample
    return client_cure(client, Promise.MAX_TOKENS, enough)


def _smaller_budget(numbers: ServerNumbers, limit: int) -> Cure | None:
    budget = largest_budget(limit)
    if budget is None:
        return None
    return flag_cure(_BUDGET, budget, numbers.reasoning_budget)


def largest_budget(limit: int) -> int | None:
    """Return the largest budget that leaves a limit its room; None where there is none."""
    budget = min(limit - SMALLEST_ROOM_TOKENS, limit * 4 // 5)
    return budget if budget > 0 else None
