"""``POST /completion`` and ``POST /tokenize``: how long a request took, and a text's tokens."""

from __future__ import annotations

from mecha_tui.collect.wire.fields import boolean, integer, mapping, number, read_json
from mecha_tui.core.bench import Rate, Timed

TIMED_FIELDS = ("timings", "truncated", "tokens")
"""What is asked for (``response_fields``), so that the prompt does not come back with it."""


def parse_timed(body: bytes, wall_s: float) -> Timed | None:
    """Return what the server timed; None for a reply without timings."""
    reply = mapping(read_json(body))
    timings = mapping(reply.get("timings"))
    reading = _rate(timings.get("prompt_n"), timings.get("prompt_ms"))
    writing = _rate(timings.get("predicted_n"), timings.get("predicted_ms"))
    if reading is None or writing is None:
        return None
    return Timed(
        reading=reading,
        writing=writing,
        wall_s=wall_s,
        reused_tokens=integer(timings.get("cache_n")),
        is_truncated=boolean(reply.get("truncated")) or False,
        answer=_tokens(reply.get("tokens")) or (),
    )


def parse_tokens(body: bytes) -> tuple[int, ...] | None:
    """Return a text's tokens by number; None for a reply of another shape."""
    return _tokens(mapping(read_json(body)).get("tokens"))


def too_long(body: bytes) -> tuple[int | None, int | None] | None:
    """Return a refused prompt's tokens and the window it met; None for any other reply."""
    error = mapping(mapping(read_json(body)).get("error"))
    if error.get("type") != "exceed_context_size_error":
        return None
    return integer(error.get("n_prompt_tokens")), integer(error.get("n_ctx"))


def _rate(count: object, milliseconds: object) -> Rate | None:
    tokens, spent_ms = integer(count), number(milliseconds)
    return None if tokens is None or spent_ms is None else Rate(tokens, spent_ms / 1000)


def _tokens(value: object) -> tuple[int, ...] | None:
    if not isinstance(value, list) or not all(integer(one) is not None for one in value):
        return None
    return tuple(value)
