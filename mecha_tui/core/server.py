"""What a server says about itself: its model, its slots, and its counters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum


class Role(Enum):
    """What kind of server answers."""

    MODEL = "model"
    ROUTER = "router"
    """No model of its own: it starts and stops a child server for each model."""
    LLAMA_SWAP = "llama-swap"
    """Another program, which starts and stops a server for each model."""
    EMBEDDINGS = "embeddings"
    """Answers with vectors, so it writes no tokens and does not think."""


@dataclass(frozen=True, slots=True)
class Props:
    """``GET /props``. A field the server did not send, or sent unusably, is None."""

    role: Role = Role.MODEL
    model_alias: str | None = None
    model_path: str | None = None
    quantization: str | None = None
    """The weights' file type, such as ``Q4_K - Medium`` (``model_ftype``)."""
    build: str | None = None
    """A label (``build_info``); never a number to compute with. None where it says unknown."""
    slot_count: int | None = None
    """``total_slots``, above zero."""
    slot_window_tokens: int | None = None
    """``default_generation_settings.n_ctx``: already per slot; above zero."""
    is_sleeping: bool | None = None
    """None on builds that cannot sleep."""
    has_slots_endpoint: bool | None = None
    has_metrics_endpoint: bool | None = None
    sees_images: bool | None = None
    hears_audio: bool | None = None
    default_parameters: Mapping[str, object] = field(default_factory=dict)
    """The sampling parameters a request gets when it names none, by name."""
    thinks: bool | None = None
    """Whether the chat template can think; None where the server does not say."""


@dataclass(frozen=True, slots=True)
class Counters:
    """``GET /metrics``, reduced to what is used. A missing or not-a-number sample is None.

    The two speed gauges are left out on purpose: every scrape resets them, so they
    belong to whoever else scrapes.
    """

    prompt_tokens: float | None = None
    """Prompt tokens processed since the server started, without reused ones."""
    prompt_cached_tokens: float | None = None
    prompt_seconds: float | None = None
    written_tokens: float | None = None
    """Tokens generated; moves only when a task ends."""
    written_seconds: float | None = None
    drafted_tokens: float | None = None
    """Tokens that speculative decoding proposed since the server started."""
    accepted_tokens: float | None = None
    """Those of them that the model accepted."""
    processing_requests: int | None = None
    deferred_requests: int | None = None
    """Requests that wait for a slot: the queue, exactly."""

    @property
    def reading_tokens_per_s(self) -> float | None:
        """How fast it read prompts on average since it started; None before the first."""
        if not self.prompt_tokens or not self.prompt_seconds:
            return None
        return self.prompt_tokens / self.prompt_seconds


@dataclass(frozen=True, slots=True)
class Model:
    """One entry of ``GET /v1/models`` or of a router's ``GET /models``."""

    model_id: str
    status: str | None = None
    """A router's word for it, such as ``loaded`` or ``sleeping``; None elsewhere."""
    arguments: tuple[str, ...] | None = None
    """A router child's full command line, with keys masked."""
    slot_window_tokens: int | None = None
    training_window_tokens: int | None = None
    file_bytes: int | None = None
    """The weights' size (``meta.size``), above zero."""
    capabilities: tuple[str, ...] = ()
    exit_code: int | None = None
    """What a router's child ended with, when it failed."""


@dataclass(frozen=True, slots=True)
class ServerProcess:
    """The local process behind a server's address."""

    pid: int
    started_wall_s: float | None = None
    """Seconds since the epoch when it started; with ``pid`` it names the process for ever."""
    unit: str | None = None
    """Its systemd unit or container, when its control group names one."""


def acceptance_ratio(counters: Counters | None) -> float | None:
    """Return which share of the drafted tokens was accepted since the server started.

    Returns:
        0 to 1; None where nothing was drafted, or the server does not count it.
    """
    if counters is None or not counters.drafted_tokens or counters.accepted_tokens is None:
        return None
    return counters.accepted_tokens / counters.drafted_tokens


def is_other_process(then: ServerProcess | None, now: ServerProcess | None) -> bool:
    """Whether two looks saw two processes; a look that saw none tells nothing."""
    if then is None or now is None:
        return False
    return (then.pid, then.started_wall_s) != (now.pid, now.started_wall_s)


def is_other_model(then: Props | None, now: Props | None) -> bool:
    """Whether two looks saw two models or two builds; what one did not see tells nothing."""
    if then is None or now is None:
        return False
    pairs = ((then.model_path, now.model_path), (then.build, now.build))
    return any(None not in pair and pair[0] != pair[1] for pair in pairs)
