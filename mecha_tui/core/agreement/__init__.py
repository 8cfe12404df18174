"""Whether client and server agree, as findings with what cures them: one small rule each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from mecha_tui.core.agreement.answer import answer_room_none, answer_room_small
from mecha_tui.core.agreement.cache import context_shift_on, prompt_cache_off, prompt_cache_small
from mecha_tui.core.agreement.cures import LAUNCH_FLAGS
from mecha_tui.core.agreement.doors import metrics_off, slots_hidden
from mecha_tui.core.agreement.findings import (
    Agreement,
    Cure,
    Edit,
    Finding,
    Severity,
    Verdict,
    agreement,
)
from mecha_tui.core.agreement.model import model_mismatch, vision_unserved, vision_unused
from mecha_tui.core.agreement.pool import (
    division_unexpected,
    one_slot_many_talkers,
    pool_oversold,
    slots_under_concurrency,
)
from mecha_tui.core.agreement.thinking import budget_unlimited, output_over_slot, thinking_off
from mecha_tui.core.agreement.window import (
    compaction_over_slot,
    window_missing,
    window_over_slot,
    window_under_slot,
)
from mecha_tui.core.client import ClientPromise
from mecha_tui.core.numbers import ServerNumbers
from mecha_tui.core.server import Role

__all__ = ["Agreement", "Cure", "Edit", "Finding", "Severity", "Verdict", "judge"]

_CLIENT_RULES: tuple[Callable[[ServerNumbers, ClientPromise], Finding | None], ...] = (
    window_over_slot,
    window_under_slot,
    window_missing,
    compaction_over_slot,
    answer_room_none,
    answer_room_small,
    budget_unlimited,
    thinking_off,
    output_over_slot,
    pool_oversold,
    one_slot_many_talkers,
    slots_under_concurrency,
    model_mismatch,
    vision_unserved,
    vision_unused,
)
_SERVER_RULES: tuple[Callable[[ServerNumbers], Finding | None], ...] = (
    division_unexpected,
    prompt_cache_small,
    prompt_cache_off,
    context_shift_on,
)
"""Rules about what only a server that writes text does."""
_DOOR_RULES = (slots_hidden, metrics_off)


def judge(numbers: ServerNumbers, clients: tuple[ClientPromise, ...]) -> Agreement:
    """Return what every rule says about one server and its clients.

    Rules about what a server does not use stay silent: one that only makes embeddings
    writes nothing and thinks nothing, and a router has no context of its own. Within a
    router, a client is judged against the model it asks for.
    """
    if numbers.role in (Role.ROUTER, Role.LLAMA_SWAP):
        misled = tuple(_found((model_mismatch,), numbers, clients))
        return agreement(misled) if misled else Agreement()
    doors = [one for rule in _DOOR_RULES if (one := rule(numbers)) is not None]
    if numbers.role is Role.EMBEDDINGS:
        return agreement(tuple(doors))
    own = [one for rule in _SERVER_RULES if (one := rule(numbers)) is not None]
    heard = talking(numbers, clients)
    judged = _found(_CLIENT_RULES, numbers, heard)
    if not heard:
        judged = [_nobody(numbers.router_model if clients else None)]
    found = (*judged, *own, *doors)
    if numbers.router_model is not None:
        found = tuple(_in_preset(one, numbers.router_model) for one in found)
    return agreement(found)


def _found(
    rules: tuple[Callable[[ServerNumbers, ClientPromise], Finding | None], ...],
    numbers: ServerNumbers,
    clients: tuple[ClientPromise, ...],
) -> list[Finding]:
    return [
        found
        for client in clients
        for rule in rules
        if (found := rule(numbers, client)) is not None
    ]


def _in_preset(finding: Finding, model: str) -> Finding:
    """Say where the flags of a router's model are written."""
    place = f"the launch flags of {model}: its section of the router's preset"
    cures = tuple(
        replace(cure, place=place) if cure.place == LAUNCH_FLAGS else cure for cure in finding.cures
    )
    return replace(finding, cures=cures)


def talking(
    numbers: ServerNumbers, clients: tuple[ClientPromise, ...]
) -> tuple[ClientPromise, ...]:
    """Return the clients that talk to this very model.

    Within a router that is told by the name they ask for. Elsewhere, where one client is
    set up for several models and the server runs one of them, the others are left out.
    """
    if numbers.router_model is not None:
        return tuple(one for one in clients if one.model.value in (None, numbers.router_model))
    served = {
        one.group
        for one in clients
        if one.group is not None and one.model.value in numbers.model_names
    }
    return tuple(
        one for one in clients if one.group not in served or one.model.value in numbers.model_names
    )


def _nobody(unasked_model: str | None) -> Finding:
    """Say that nothing can be compared, and why.

    Args:
        unasked_model: A router's model that none of the router's clients asks for.
    """
    who = "No client's settings name this server"
    if unasked_model is not None:
        who = f"No client of this router asks for {unasked_model}"
    return Finding(
        "client-unknown",
        Severity.WARNING,
        Verdict.UNKNOWN,
        "No client is known: tell its --context-window and --max-tokens.",
        f"{who}, so there is nothing to compare; "
        "[clients.NAME] in mecha-tui's settings tells it once and for all.",
    )
