"""Every status word and sentence that the user reads."""

from __future__ import annotations

from dataclasses import dataclass

from mecha_tui.core.agreement import Finding, Severity, Verdict
from mecha_tui.core.events import Event, EventKind
from mecha_tui.core.log_lines import LogKind
from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.router import RUNNING_LIMIT, unwatched_count
from mecha_tui.core.server import Role
from mecha_tui.core.slots import Phase
from mecha_tui.core.state import ServerState
from mecha_tui.present.numbers import UNKNOWN, tokens
from mecha_tui.present.succession_words import replacement_text
from mecha_tui.present.text import Tone


@dataclass(frozen=True, slots=True)
class Sign:
    """A state in three ways: a word, a symbol and a tone."""

    symbol: str
    word: str
    tone: Tone

    def __str__(self) -> str:
        return f"{self.symbol} {self.word}"


STATE_SIGNS = {
    ServerState.CONNECTING: Sign("○", "connecting", Tone.READING),
    ServerState.LOADING: Sign("◐", "loading", Tone.READING),
    ServerState.READY: Sign("●", "ready", Tone.GOOD),
    ServerState.NOT_ANSWERING: Sign("◌", "not answering", Tone.WARNING),
    ServerState.ASLEEP: Sign("☾", "asleep", Tone.READING),
    ServerState.LOCKED: Sign("!", "locked", Tone.WARNING),
    ServerState.DOWN: Sign("✗", "down", Tone.ERROR),
    ServerState.NOT_LLAMA_SERVER: Sign("?", "not llama-server", Tone.ERROR),
}
ROUTER_SIGN = Sign("◇", "router", Tone.GOOD)

LLAMA_SWAP_SIGN = Sign("◇", "llama-swap", Tone.GOOD)

PHASE_SIGNS = {
    Phase.IDLE: Sign("·", "idle", Tone.MUTED),
    Phase.READING: Sign("◀", "reading", Tone.READING),
    Phase.WRITING: Sign("▶", "writing", Tone.ACCENT),
    Phase.UNKNOWN: Sign("?", "unknown", Tone.MUTED),
}

GONE_SIGN = Sign("✗", "gone", Tone.MUTED)
"""A slot of a server that ended."""


def gone_sign(picture: ServerPicture) -> Sign:
    """Return why what a slot held is gone: its server sleeps, or ended."""
    asleep = STATE_SIGNS[ServerState.ASLEEP]
    return asleep if picture.condition.state is ServerState.ASLEEP else GONE_SIGN


SEVERITY_SIGNS = {
    Severity.ERROR: Sign("✗", "error", Tone.ERROR),
    Severity.WARNING: Sign("!", "warning", Tone.WARNING),
    Severity.INFO: Sign("·", "note", Tone.MUTED),
}
LOG_SIGNS = {
    LogKind.REFUSED.value: Sign("✗", "refused", Tone.ERROR),
    LogKind.OVERFLOWED.value: Sign("✗", "died", Tone.ERROR),
    LogKind.REPROCESSED.value: Sign("⟲", "read again", Tone.WARNING),
}
UNKNOWN_SIGN = Sign("–", "unknown", Tone.MUTED)
REREAD_SIGN = Sign("⟲", "read again", Tone.WARNING)
AGREE_SIGN = Sign("✓", "agree", Tone.GOOD)

_SENTENCES = {
    ServerState.CONNECTING: "Waiting for the server's first answer.",
    ServerState.LOADING: "The server is loading its model. Wait: it answers when it is done.",
    ServerState.NOT_ANSWERING: (
        "The server takes connections but does not answer: it is busy with a long batch, or it "
        "hangs. Wait first; if it lasts, look at the server's log."
    ),
    ServerState.ASLEEP: ("Watching does not wake it; the next request loads its model again."),
    ServerState.LOCKED: (
        "The server wants an API key. Set LLAMA_API_KEY, or start with --api-key-file FILE."
    ),
    ServerState.DOWN: (
        "Nothing answers at this address. Start the server, or give another address with --url."
    ),
    ServerState.NOT_LLAMA_SERVER: (
        "Something answers here, but it is not llama-server. Check the port, or give another "
        "address with --url."
    ),
}
_ROUTER_SENTENCE = "A router: it starts one server for each model and has no slots of its own."
_LLAMA_SWAP_SENTENCE = (
    "This is llama-swap. It is asked only for what it runs, because asking through it for a "
    "model's slots would load the model: give the model's own server with --url to see them."
)
_NO_SLOTS = "The server shows no slots."


def state_sign(picture: ServerPicture) -> Sign:
    """Return a server's state as a word, a symbol and a tone."""
    if picture.is_router and picture.condition.state is ServerState.READY:
        return LLAMA_SWAP_SIGN if _is_llama_swap(picture) else ROUTER_SIGN
    return STATE_SIGNS[picture.condition.state]


def _is_llama_swap(picture: ServerPicture) -> bool:
    return picture.props is not None and picture.props.role is Role.LLAMA_SWAP


def is_part_of_router(picture: ServerPicture) -> bool:
    """Whether memory figures are those of a router with all its models together."""
    return picture.is_router or not picture.is_own_memory


def is_embedding(picture: ServerPicture) -> bool:
    """Whether the server answers with vectors or scores, so that it writes no text."""
    return picture.props is not None and picture.props.role is Role.EMBEDDINGS


def server_name(picture: ServerPicture) -> str:
    """Return what a server is called on the screen."""
    if picture.is_router:
        count = len(picture.models)
        return "one model" if count == 1 else f"{count} models"
    return _model_words(picture) or "unknown model"


def report_name(picture: ServerPicture) -> str:
    """Return what a server is called in a report, where its state stands for itself."""
    if picture.is_router:
        if _is_llama_swap(picture):
            return f"llama-swap, runs {server_name(picture)}"
        return f"router of {server_name(picture)}" if picture.models else "router"
    return _model_words(picture) or UNKNOWN


def _model_words(picture: ServerPicture) -> str | None:
    """Return the model's name; a server that was given none calls it by its file's path."""
    name, path = picture.model_name, None if picture.props is None else picture.props.model_path
    if name is None or name != path:
        return name
    return name.replace("\\", "/").rpartition("/")[2] or name


def unwatched_words(picture: ServerPicture) -> str:
    """Return how many of a router's running models are left out."""
    left_out = unwatched_count(picture.models)
    return f"{left_out} more run and are not shown: {RUNNING_LIMIT} of one router are watched"


def state_sentence(picture: ServerPicture) -> str | None:
    """Return what the state means and what to do; None when all is well."""
    if picture.condition.state is ServerState.READY:
        if _is_llama_swap(picture):
            return _LLAMA_SWAP_SENTENCE
        return _ROUTER_SENTENCE if picture.is_router else None
    return _SENTENCES[picture.condition.state]


def no_slots_sentence(picture: ServerPicture) -> str:
    """Return why a server that answers has no slots to draw."""
    return picture.slots_reason or _NO_SLOTS


def finding_sign(finding: Finding) -> Sign:
    """Return a finding's weight as a sign; one that cannot be judged is unknown."""
    if finding.verdict is Verdict.UNKNOWN:
        return UNKNOWN_SIGN
    return SEVERITY_SIGNS[finding.severity]


def short_finding(finding: Finding, picture: ServerPicture) -> str:
    """Return a finding in a few words with its numbers, or its own sentence where none fit."""
    client = next((one for one in picture.clients if one.name == finding.client), None)
    if finding.verdict is Verdict.UNKNOWN or client is None:
        return finding.message
    slot = tokens(picture.numbers.slot_window_tokens.value)
    promise = tokens(client.context_window.value)
    room = tokens(client.max_tokens.value)
    budget = tokens(picture.numbers.reasoning_budget.value)
    return {
        "window-over-slot": f"slot {slot} < promise {promise}",
        "window-under-slot": f"promise {promise} < slot {slot}",
        "window-missing": "no context_window is set",
        "answer-room-none": f"thinking {budget} may eat all of max_tokens {room}",
        "answer-room-small": f"thinking {budget} leaves little of max_tokens {room}",
        "output-over-slot": f"max_tokens {room} does not fit a slot of {slot}",
    }.get(finding.code, finding.message)


def event_sign(event: Event) -> Sign:
    """Return the symbol and tone of an event."""
    if event.kind is EventKind.STATE:
        states = {state.value: sign for state, sign in STATE_SIGNS.items()}
        return states.get(event.subject, UNKNOWN_SIGN)
    return {
        EventKind.FINDING: SEVERITY_SIGNS[event.severity or Severity.ERROR],
        EventKind.CURED: AGREE_SIGN,
        EventKind.REPLACED: Sign("↻", "replaced", Tone.READING),
        EventKind.QUEUE: Sign("…", "waiting", Tone.WARNING),
        EventKind.TASK: Sign("■", "task", Tone.MUTED),
        EventKind.CUT: Sign("!", "cut", Tone.WARNING),
        EventKind.REREAD: REREAD_SIGN,
        EventKind.CONTENT: Sign("◇", "slot", Tone.READING),
        EventKind.LOG: LOG_SIGNS.get(event.subject, UNKNOWN_SIGN),
    }.get(event.kind, UNKNOWN_SIGN)


def event_text(event: Event) -> str:
    """Return what happened in one sentence without its time."""
    detail = f": {event.detail}" if event.detail else ""
    if event.kind is EventKind.STATE:
        return f"{event_sign(event).word}{detail}"
    if event.kind in (EventKind.FINDING, EventKind.LOG):
        return event.detail or event.subject
    if event.kind is EventKind.CURED:
        return f"cured: {event.detail or event.subject}"
    if event.kind is EventKind.REPLACED:
        told = event.replacement
        return event.subject if told is None else replacement_text(told)
    if event.kind is EventKind.QUEUE:
        return f"requests began to wait: {event.subject}" + (
            f" · {event.detail}" if event.detail else ""
        )
    return f"{event.subject}{detail}"


def busy_words(picture: ServerPicture) -> str:
    """Return how many slots work and how many requests wait, for a panel's border."""
    count = len(picture.slots)
    busy = f"{tokens(picture.busy)} of {count} busy"
    queue = picture.waiting
    if queue.count is None:
        return f"{busy} · waiting –"
    if queue.is_exact:
        return f"{busy} · {queue.count:,} waiting"
    return f"{busy} · at most {queue.count:,} waiting (estimate)"
