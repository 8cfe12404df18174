"""Why there was no whole reply, in words that are safe to show."""

from __future__ import annotations

import httpx

from mecha_tui.core.replies import Failure
from mecha_tui.core.text import plain_text


class NoReplyError(Exception):
    """There was no whole reply; says why."""

    def __init__(self, failure: Failure, detail: str) -> None:
        super().__init__(detail)
        self.failure = failure
        self.detail = detail


class DisconnectedError(NoReplyError):
    """The server closed before it said anything, as it does with a connection grown stale."""


class RefusedError(NoReplyError):
    """Nobody listens at the address that was tried."""


def no_reply(error: httpx.TransportError, connect_limit_s: float) -> NoReplyError:
    """Return what an error of the transport means; its own text is shown only where safe."""
    text = plain_text(str(error))
    if isinstance(error, httpx.ConnectTimeout):
        return NoReplyError(Failure.PENDING, f"no connection within {connect_limit_s:g} s")
    if isinstance(error, httpx.ConnectError):
        return RefusedError(Failure.REFUSED, f"no connection: {_connect_words(text)}")
    if isinstance(error, httpx.RemoteProtocolError):
        if text.startswith("Server disconnected"):
            return DisconnectedError(Failure.DROPPED, "the server closed without an answer")
        if text.startswith("peer closed"):
            return NoReplyError(Failure.DROPPED, "the server closed in the middle of its answer")
        return NoReplyError(Failure.FOREIGN, "the answer is not HTTP")
    if isinstance(error, (httpx.ReadError, httpx.WriteError)):
        return DisconnectedError(Failure.DROPPED, "the connection broke before the answer")
    if isinstance(error, httpx.LocalProtocolError):  # its text quotes the headers, key and all
        return NoReplyError(Failure.FAULT, "the question cannot be sent: check the API key")
    return NoReplyError(Failure.FAULT, text or type(error).__name__)


def _connect_words(text: str) -> str:
    if "All connection attempts failed" in text or "refused" in text:
        return "nothing listens there"
    return text or "the host cannot be reached"
