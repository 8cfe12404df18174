"""``GET /slots`` of every known build: who is in the slots, and how full each is."""

from __future__ import annotations

from collections.abc import Mapping

from mecha_tui.collect.wire.fields import (
    boolean,
    first_mapping,
    integer,
    mapping,
    parameters,
    read_json,
)
from mecha_tui.core.slots import Slot
from mecha_tui.core.text import plain_lines

_SLOT_LIMIT = 4096
_MARKS = frozenset({"id", "n_ctx", "is_processing", "state", "id_task", "task_id", "next_token"})
_OWN_FIELDS = _MARKS | {
    "generated",
    "model",
    "n_decoded",
    "n_prompt_tokens",
    "n_prompt_tokens_cache",
    "n_prompt_tokens_processed",
    "n_remain",
    "params",
    "prompt",
    "speculative",
}


def parse_slots(body: bytes) -> tuple[Slot, ...] | None:
    """Return the slots in the server's order; None for a reply of another shape."""
    payload = read_json(body)
    if isinstance(payload, dict):
        payload = payload.get("slots")
    if not isinstance(payload, list) or len(payload) > _SLOT_LIMIT:
        return None
    entries = [entry for entry in payload if isinstance(entry, dict)]
    if len(entries) != len(payload) or any(_MARKS.isdisjoint(entry) for entry in entries):
        return None
    numbers = [integer(entry.get("id")) for entry in entries]
    if None in numbers or len(set(numbers)) != len(numbers):
        numbers = list(range(len(entries)))
    return tuple(_slot(number or 0, entry) for number, entry in zip(numbers, entries, strict=True))


def _slot(number: int, entry: Mapping[str, object]) -> Slot:
    is_processing = _is_processing(entry)
    progress = first_mapping(entry.get("next_token")) or entry
    written = integer(progress.get("n_decoded"))
    if written is None:
        written = integer(progress.get("num_tokens_predicted"))
    remaining = progress.get("n_remain")
    task = integer(entry.get("id_task"))
    return Slot(
        slot_id=number,
        is_processing=is_processing,
        window_tokens=integer(entry.get("n_ctx"), 1),
        task_id=integer(entry.get("task_id")) if task is None else task,
        held_tokens=integer(entry.get("n_prompt_tokens")),
        read_tokens=integer(entry.get("n_prompt_tokens_processed")),
        reused_tokens=integer(entry.get("n_prompt_tokens_cache")),
        written_tokens=written,
        remaining_tokens=integer(remaining),
        is_unlimited=type(remaining) is int and remaining == -1 and is_processing is True,
        is_speculative=boolean(entry.get("speculative")),
        parameters=_parameters(entry),
        prompt=_lines(entry.get("prompt")),
        generated=_lines(entry.get("generated")),
    )


def _is_processing(entry: Mapping[str, object]) -> bool | None:
    told = boolean(entry.get("is_processing"))
    if told is not None:
        return told
    state = integer(entry.get("state"))
    return None if state is None else state != 0


def _parameters(entry: Mapping[str, object]) -> dict[str, object]:
    """Return the sampling parameters, which older builds sent among the slot's own fields."""
    if "params" in entry:
        return parameters(mapping(entry["params"]))
    return parameters({name: entry[name] for name in entry if name not in _OWN_FIELDS})


def _lines(value: object) -> str | None:
    return (plain_lines(value) or None) if type(value) is str else None
