"""Where a server is: an address as the user, a provider or a process gives it."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import unquote, urlsplit

from mecha_tui.errors import UsageError

DEFAULT_PORT = 8080
_CLIENT_PATH = re.compile(r"(/v1)?(/(chat/)?completions|/models|/embeddings|/messages)?/*$")
_SOCKET_SCHEMES = ("unix:", "http+unix:", "unix+http:")
_SOCKET_FILE = re.compile(r"(?P<path>.*?\.sock)(?P<below>/.*)?")
"""A socket file, and the endpoint's path that clients write behind it."""
_SHOWN_LIMIT = 200
_HOST_NAME = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*\.?")


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """One server's root: ``/props``, ``/slots`` and the others lie right below it."""

    url: str
    """The address to show, without credentials, ``/v1`` or a slash at its end."""
    scheme: str
    host: str
    """A name or an IP address, IPv6 without brackets; ``localhost`` for a Unix socket."""
    port: int
    prefix: str = ""
    """The path before every endpoint (``--api-prefix``), such as ``/llama``."""
    socket_path: str | None = None
    """The Unix socket's path; None for TCP."""
    basic: str | None = field(default=None, repr=False)
    """The URL's user and password, base64-coded for HTTP; never shown."""

    @property
    def origin(self) -> str:
        """Scheme, host and port, as a URL."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        """Whether the address can only be this machine."""
        if self.socket_path is not None or self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False


def parse_address(text: str) -> ServerAddress:
    """Return the address written in a URL, ``HOST:PORT``, ``unix:/PATH``, or alone as ``/PATH``.

    A socket may also be written as ``http+unix://%2FPATH``, as other clients do. A relative
    path is one with a slash in front (``./PATH``), or one that ends in ``.sock``.

    Raises:
        UsageError: It is none of these; the message shows the text without credentials.
    """
    text = text.strip()
    if not text.isprintable():
        raise _refused(text, "it holds characters that cannot be shown")
    if _is_socket(text):
        return _socket_address(text)
    bare = "://" not in text
    try:
        parts = urlsplit(f"http://{text}" if bare else text)
        port = parts.port
    except ValueError:
        raise _refused(text, "its host or port cannot be read") from None
    if parts.scheme not in ("http", "https"):
        raise _refused(text, "it must begin with http:// or https://, or be unix:/PATH")
    if not parts.hostname or " " in text:
        raise _refused(text, "it holds a blank" if parts.hostname else "it names no host")
    host = _host(parts.hostname)
    if host is None:
        raise _refused(text, "its host is neither a name nor an IP address")
    if parts.query or parts.fragment:
        raise _refused(text, "it must end before ? and #")
    if port == 0:
        raise _refused(text, "port 0 is no port")
    if port is None:
        port = DEFAULT_PORT if bare else {"http": 80, "https": 443}[parts.scheme]
    prefix = _CLIENT_PATH.sub("", parts.path).rstrip("/")
    shown_host = f"[{host}]" if ":" in host else host
    is_usual = not bare and parts.port is None
    shown_port = "" if is_usual else f":{port}"
    return ServerAddress(
        url=f"{parts.scheme}://{shown_host}{shown_port}{prefix}",
        scheme=parts.scheme,
        host=host,
        port=port,
        prefix=prefix,
        basic=_basic(parts.username, parts.password),
    )


def _host(text: str) -> str | None:
    """Return the host as it is asked for on the network; None for what cannot be one."""
    try:
        return str(ip_address(text.partition("%")[0])) + "".join(text.partition("%")[1:])
    except ValueError:
        pass
    try:
        name = text.encode("idna").decode().lower()
    except UnicodeError:
        return None
    is_numeric = name.rpartition(".")[2].isdigit()
    return name if _HOST_NAME.fullmatch(name) and not is_numeric else None


def _is_socket(text: str) -> bool:
    if text.startswith(("/", "./", "../")) or text.lower().startswith(_SOCKET_SCHEMES):
        return True
    return text.endswith(".sock") and "://" not in text


def _socket_address(text: str) -> ServerAddress:
    scheme = next((one for one in _SOCKET_SCHEMES if text.lower().startswith(one)), "")
    path = text[len(scheme) :].removeprefix("//") if scheme else text
    prefix = ""
    if "http" in scheme and not path.startswith("/"):
        coded, slash, below = path.partition("/")
        path, prefix = unquote(coded), slash + below
    elif (parts := _SOCKET_FILE.fullmatch(path)) is not None:
        path, prefix = parts["path"], parts["below"] or ""
    if not path.strip("/") or not path.isprintable():
        raise _refused(text, "it names no socket file: write unix:/PATH")
    prefix = _CLIENT_PATH.sub("", prefix).rstrip("/")
    url = f"unix:{path}{prefix}"
    return ServerAddress(url, "http", "localhost", 80, prefix, socket_path=path)


def _basic(user: str | None, password: str | None) -> str | None:
    if user is None and password is None:
        return None
    pair = f"{unquote(user or '')}:{unquote(password or '')}"
    return b64encode(pair.encode()).decode()


def _refused(text: str, reason: str) -> UsageError:
    # A refused text was not understood, so what may be a password is found by its sign alone.
    scheme, slashes, rest = text.partition("://") if "://" in text else ("", "", text)
    place = re.split("[?#]", rest.rpartition("@")[2])[0]
    shown = f"{scheme}{slashes}{place}"[:_SHOWN_LIMIT]
    return UsageError(f"the address {shown!r} cannot be used: {reason}")
