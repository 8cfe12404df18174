"""Why there was no whole reply, in words that are safe to show."""

from __future__ import annotations

import os
import stat
from shlex import quote

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


def no_reply(
    error: httpx.TransportError, connect_limit_s: float, socket_path: str | None = None
) -> NoReplyError:
    """Return what an error of the transport means; its own text is shown only where safe."""
    text = plain_text(str(error))
    if isinstance(error, httpx.ConnectTimeout):
        return NoReplyError(Failure.PENDING, f"no connection within {connect_limit_s:g} s")
    if isinstance(error, httpx.ConnectError):
        words = _connect_words(text) if socket_path is None else socket_words(socket_path)
        return RefusedError(Failure.REFUSED, f"no connection: {words}")
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


def socket_words(path: str) -> str:
    """Return why nobody answers at a socket file, and what to do."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return f"there is no socket file {path}: start llama-server with --host {path}"
    except OSError as error:
        return f"the socket file {path} cannot be reached: {error.strerror}"
    if not stat.S_ISSOCK(mode):
        return f"{path} is no socket file"
    if not os.access(path, os.W_OK):
        return f"you may not connect to the socket file {path}"
    return (
        f"nobody listens at the socket file {path}: a server that ended left it behind. "
        f"Remove it (rm {quote(path)}), then start the server, which does not start before"
    )


def _connect_words(text: str) -> str:
    if "All connection attempts failed" in text or "refused" in text:
        return "nothing listens there"
    return text or "the host cannot be reached"
