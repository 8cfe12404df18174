"""What a client of the server was promised about its context and its answers."""

from __future__ import annotations

from dataclasses import dataclass

from mecha_tui.core.reading import Reading, unknown

_UNSET: Reading[int] = unknown("the client does not say")


@dataclass(frozen=True, slots=True)
class ClientPromise:
    """One client's settings for one server."""

    name: str
    """What the client calls this server, such as a mecha provider's name."""
    context_window: Reading[int] = _UNSET
    """Tokens the client believes a request may hold."""
    max_tokens: Reading[int] = _UNSET
    """Tokens the client allows one answer, thinking included."""
    compact_at_tokens: Reading[int] = _UNSET
    """Where the client compacts its transcript."""
    model: Reading[str] = unknown("the client does not say")
    """The model name the client sends."""
    vision: Reading[bool] = unknown("the client does not say")
    """Whether the client sends images."""
    thinking: Reading[bool] = unknown("the client does not say")
    """Whether the client lets the model think."""
