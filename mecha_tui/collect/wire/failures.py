"""What an error reply means: a state of the server, or of one endpoint."""

from __future__ import annotations

from mecha_tui.collect.wire.fields import mapping, read_json, text
from mecha_tui.core.replies import Failure

_BY_TYPE = {
    "unavailable_error": Failure.LOADING,
    "authentication_error": Failure.LOCKED,
    "permission_error": Failure.LOCKED,
    "not_supported_error": Failure.OFF,
    "not_found_error": Failure.MISSING,
}
"""llama-server's own error types; its codes have varied."""
_BY_STATUS = {
    401: Failure.LOCKED,
    403: Failure.LOCKED,
    404: Failure.MISSING,
    405: Failure.MISSING,
    501: Failure.OFF,
}
_NOT_LOADED = ("model is not loaded", "model name is missing", "model not loaded")
_WORDS = {
    Failure.LOADING: "the server is loading its model",
    Failure.LOCKED: "the API key is missing or wrong",
    Failure.MISSING: "the server does not know {path}",
    Failure.OFF: "{path} is off at this server",
    Failure.NOT_LOADED: "the model is not loaded",
}


def failure_in(status: int, body: bytes, path: str) -> tuple[Failure, str] | None:
    """Return what went wrong and how to say it; None for a reply without an error.

    Args:
        status: The HTTP status.
        body: The reply's body, which may hold an error even with status 200.
        path: The endpoint's path, for the words.
    """
    if 300 <= status < 400:
        return Failure.FOREIGN, "the address redirects elsewhere, which is not followed"
    is_json = body[:1] in (b"{", b" ", b"\n", b"\r", b"\t")
    payload = mapping(read_json(body)) if is_json and len(body) < 100_000 else {}
    error = mapping(payload.get("error"))
    if status < 300 and not error:
        return None
    message = text(error.get("message")) or ""
    failure = _failure(status, payload, text(error.get("type")) or "", message)
    words = _WORDS.get(failure, "").format(path=path)
    if failure is Failure.OFF and message:
        words = f"{words}: {message}"
    return failure, words or (f"HTTP {status}: {message}" if message else f"HTTP {status}")


def _failure(status: int, payload: object, kind: str, message: str) -> Failure:
    if any(words in message.lower() for words in _NOT_LOADED):
        return Failure.NOT_LOADED
    if kind in _BY_TYPE:
        return _BY_TYPE[kind]
    if status == 503 and "loading" in str(mapping(payload).get("status", message)).lower():
        return Failure.LOADING
    return _BY_STATUS.get(status, Failure.FAULT)
