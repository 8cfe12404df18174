"""Whether a client's base URL and a server's address are the same place."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_LOOPBACK = "loopback"
_LOCAL_NAMES = ("localhost", "::1", "0.0.0.0", "::")  # noqa: S104  # compared, not bound
_CLIENT_PATH = re.compile(r"(/v1)?(/(chat/)?completions|/models|/embeddings|/messages)?/*$")


def place_of(url: str) -> tuple[str, int, str] | None:
    """Return host, port and path prefix of a URL, so that equal places compare equal.

    ``localhost``, ``127.0.0.1``, ``[::1]`` and an address of all zeros are one host, a
    slash at the end and ``/v1`` make no difference, and a port that is not written is
    the scheme's own. None where the text is no such URL.
    """
    text = url.strip()
    if text.lower().startswith("unix:"):
        return ("unix:" + text[5:].replace("//", "/"), 0, "")
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        port = parts.port
    except ValueError:
        return None
    host = (parts.hostname or "").rstrip(".").lower()
    if not host or parts.scheme not in ("http", "https"):
        return None
    if host in _LOCAL_NAMES or host.startswith("127."):
        host = _LOOPBACK
    usual = 443 if parts.scheme == "https" else 80
    return host, usual if port is None else port, _CLIENT_PATH.sub("", parts.path).rstrip("/")


def is_same_place(one: str, other: str) -> bool:
    """Whether two URLs lead to the same server."""
    place = place_of(one)
    return place is not None and place == place_of(other)
