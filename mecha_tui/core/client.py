"""What a client of the server was promised about its context and its answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from mecha_tui.core.reading import Reading, unknown

SILENT = "the client does not say"
"""The reason of a value that the client's settings leave out."""

COMPACTION_DERIVED = "two thirds of context_window"
"""The source of a compaction mark that follows the window, and moves with it."""

_UNSET: Reading[int] = unknown(SILENT)


class Promise(Enum):
    """One of the values that a client's settings may hold."""

    CONTEXT_WINDOW = "context_window"
    MAX_TOKENS = "max_tokens"
    COMPACT_AT = "compact_at_tokens"
    MODEL = "model"
    VISION = "vision"
    THINKING = "thinking"
    REQUESTS_AT_ONCE = "requests_at_once"


@dataclass(frozen=True, slots=True)
class ConfigKey:
    """One key of a settings file, exactly."""

    file: str
    table: tuple[str, ...]
    """Names of the tables around it, outermost first."""
    key: str


@dataclass(frozen=True, slots=True)
class Setting:
    """How and where a client writes one value."""

    line: str
    """The line, with ``{}`` for the value, such as ``context_window = {}``."""
    place: str
    """For the user, such as ``~/.mecha/config.toml [providers.local]``."""
    key: ConfigKey | None = None
    """The same for a program; None where only a person can change it."""


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
    model: Reading[str] = unknown(SILENT)
    """The model name the client sends."""
    vision: Reading[bool] = unknown(SILENT)
    """Whether the client sends images."""
    thinking: Reading[bool] = unknown(SILENT)
    """Whether the client lets the model think."""
    requests_at_once: Reading[int] = _UNSET
    """How many requests the client may send at the same time."""
    group: str | None = None
    """What unites several models of which the client uses one at a time at this server; such
    a client names models as it likes. None where the name should be the server's own."""
    settings: Mapping[Promise, Setting] = field(default_factory=dict)
    """Where each value stands, or would; a client told by hand has none of its own."""

    def setting(self, promise: Promise) -> Setting:
        """Return how and where the client writes a value."""
        own = self.settings.get(promise)
        return own or Setting(f"{promise.value} = {{}}", f"the settings of {self.name}")


def is_silent(reading: Reading[object]) -> bool:
    """Whether the client's settings leave a value out, which is not the same as unknown."""
    return reading.value is None and reading.reason == SILENT
