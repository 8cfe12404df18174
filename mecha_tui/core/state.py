"""Which state a server is in, told from one round of answers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from mecha_tui.core.replies import Answer, Failure, Replies


class ServerState(Enum):
    """How a server stands, each told apart from the others."""

    CONNECTING = "connecting"
    """Not asked yet, or the first answer is still to come."""
    LOADING = "loading"
    READY = "ready"
    NOT_ANSWERING = "not-answering"
    """It accepts connections and says nothing, or only /health answers."""
    ASLEEP = "asleep"
    """It has unloaded its model until the next request; asking /slots could wake it."""
    LOCKED = "locked"
    DOWN = "down"
    NOT_LLAMA_SERVER = "not-llama-server"


@dataclass(frozen=True, slots=True)
class Condition:
    """A server's state and, unless all is well, the reason in words."""

    state: ServerState
    reason: str | None = None


_BY_FAILURE = {
    Failure.LOADING: ServerState.LOADING,
    Failure.LOCKED: ServerState.LOCKED,
    Failure.REFUSED: ServerState.DOWN,
    Failure.PENDING: ServerState.NOT_ANSWERING,
    Failure.DROPPED: ServerState.NOT_ANSWERING,
    Failure.FOREIGN: ServerState.NOT_LLAMA_SERVER,
    Failure.MISSING: ServerState.NOT_LLAMA_SERVER,
    Failure.FAULT: ServerState.NOT_ANSWERING,
}
"""Endpoint failures that speak for the server, in the order in which they are believed."""

_OF_ONE_ENDPOINT = (Failure.FOREIGN, Failure.MISSING, Failure.FAULT)
"""Failures that say nothing of the server in a round that did not ask for ``/props``."""

_LOST = (Failure.REFUSED, Failure.PENDING, Failure.DROPPED)
"""Failures of ``/slots`` that outweigh an earlier answer of ``/props`` in the same round."""


def condition(replies: Replies) -> Condition:
    """Return the state that one round's answers show.

    A refusal, a lock or a model being loaded speaks for the whole server. An endpoint
    that is off, missing or not loaded speaks only for itself, and a slow ``/slots`` or
    ``/metrics`` beside an answer of ``/props`` or ``/health`` is a busy server, not a
    lost one.
    """
    answers = replies.all()
    if not answers:
        return Condition(ServerState.CONNECTING)
    for failure in (Failure.LOADING, Failure.LOCKED):
        told = _first(answers, failure)
        if told is not None:
            return Condition(_BY_FAILURE[failure], told.detail)
    props, slots = replies.props, replies.slots
    if props is not None and props.value is not None and props.value.is_sleeping:
        return Condition(ServerState.ASLEEP)
    if slots is not None and slots.failure in _LOST:
        return Condition(_BY_FAILURE[slots.failure], slots.detail)
    if any(answer.value is not None for answer in answers if answer is not replies.health):
        return Condition(ServerState.READY)
    for failure, state in _BY_FAILURE.items():
        told = _first(answers, failure)
        if told is not None and (props is not None or failure not in _OF_ONE_ENDPOINT):
            return Condition(state, told.detail)
    if replies.health is not None and replies.health.value:
        return Condition(ServerState.READY)
    return Condition(ServerState.CONNECTING)


def _first(answers: tuple[Answer[object], ...], failure: Failure) -> Answer[object] | None:
    return next((answer for answer in answers if answer.failure is failure), None)
