"""Rules about thinking without a cap, thinking that is cut off, and answers without an end."""

from __future__ import annotations

from mecha_tui.core.agreement.answer import SMALLEST_ROOM_TOKENS, largest_budget
from mecha_tui.core.agreement.cures import client_cure, flag_cure
from mecha_tui.core.agreement.findings import Cure, Finding, Severity
from mecha_tui.core.agreement.wording import count, disagreement, undecided
from mecha_tui.core.client import ClientPromise, Promise, is_silent
from mecha_tui.core.numbers import ServerNumbers

USUAL_BUDGET = 4096
"""A budget that leaves most models enough to think with."""

_BUDGET = "--reasoning-budget"


def budget_unlimited(numbers: ServerNumbers, client: ClientPromise) -> Finding | None:
    """The model may think for ever."""
    budget, thinks, lets = numbers.reasoning_budget, numbers.thinks, client.thinking
    if thinks.value is False or lets.value is False:
        return None
    if budget.value is not None and budget.value >= 0:
        return None
    if budget.value is None or thinks.value is None or lets.value is None:
        return undecided(
            "budget-unlimited",
            Severity.WARNING,
            (_BUDGET, budget),
            ("whether the model thinks", thinks),
            ("whether the client lets it", lets),
            client=client,
        )
    allows = (
        ""
        if client.max_tokens.value is None
        else (f", of the {count(client.max_tokens.value)} that max_tokens allows")
    )
    return disagreement(
        "budget-unlimited",
        Severity.WARNING,
        f"--reasoning-budget is -1: thinking may use everything{allows}.",
        "Now and then a turn is all thinking and comes back empty.",
        _cap(numbers, client),
        client_cure(client, Promise.THINKING, False)
        if Promise.THINKING in client.settings
        else None,
        client=client,
    )


def thinking_off(numbers: ServerNumbers, client: ClientPromise) -> Finding | None:
    """The client asks for thinking that the server forbids."""
    if numbers.reasoning_budget.value != 0 or client.thinking.value is not True:
        return None
    if numbers.thinks.value is not True:
        return None
    return disagreement(
        "thinking-off",
        Severity.INFO,
        "--reasoning-budget is 0, while the client wants the model to think.",
        "Thinking ends at once; answers come without it.",
        flag_cure(_BUDGET, USUAL_BUDGET, numbers.reasoning_budget),
        client=client,
    )


def output_over_slot(numbers: ServerNumbers, client: ClientPromise) -> Finding | None:
    """One answer may be as long as everything a slot holds."""
    limit, window = client.max_tokens, numbers.slot_window_tokens
    if is_silent(limit):
        return None
    if limit.value is None or window.value is None:
        inputs = (("max_tokens", limit), ("the slot's window", window))
        return undecided("output-over-slot", Severity.WARNING, *inputs, client=client)
    if limit.value < window.value:
        return None
    return disagreement(
        "output-over-slot",
        Severity.WARNING,
        f"max_tokens allows {count(limit.value)} but a slot holds {count(window.value)}, the "
        "prompt included.",
        "A long answer is cut where the slot ends, and the client does not know why.",
        client_cure(client, Promise.MAX_TOKENS, _shorter(numbers, window.value)),
        client=client,
    )


def _cap(numbers: ServerNumbers, client: ClientPromise) -> Cure | None:
    """Return a budget that leaves the answer its room."""
    limit = client.max_tokens.value
    budget = USUAL_BUDGET if limit is None else min(USUAL_BUDGET, largest_budget(limit) or 0)
    return flag_cure(_BUDGET, budget, numbers.reasoning_budget) if budget > 0 else None


def _shorter(numbers: ServerNumbers, window: int) -> int:
    """Return a limit of half the slot, or more where thinking needs it."""
    budget = max(0, numbers.reasoning_budget.value or 0)
    enough = budget + max(SMALLEST_ROOM_TOKENS, -(-budget // 4))
    return max(1, min(window - 1, max(window // 2, enough)))
