"""One kept-alive connection to one server, over which one question at a time is asked.

What is work and not watching is posted over connections of its own. All of it goes through
httpx's transport and not through its client: no proxy from the environment, no redirect, no
cookie, no decoding, and less work for each reply.
"""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

import httpx

from mecha_tui.collect.address import ServerAddress
from mecha_tui.collect.connections import watchers_address
from mecha_tui.collect.no_reply import DisconnectedError, NoReplyError, RefusedError, no_reply
from mecha_tui.core.replies import Failure
from mecha_tui.errors import UsageError

CONNECT_LIMIT_S = 5.0
_LOCALHOST = ("127.0.0.1", "::1")
"""What the name stands for, whichever of them the system's resolver prefers."""
KEEPALIVE_S = 4.5
"""llama-server closes a connection that was quiet for 5 s, or after 100 requests."""


class ApiKey:
    """A key that never shows itself.

    Raises:
        UsageError: No HTTP header can carry it.
    """

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        if not (text and text.isascii() and text.isprintable()):
            raise UsageError("the API key is not one line of plain ASCII text: write only the key")
        self._text = text

    def __repr__(self) -> str:
        return "ApiKey(***)"

    @property
    def bearer(self) -> str:
        """The header value that carries it."""
        return f"Bearer {self._text}"


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole reply."""

    status: int
    body: bytes


class Connection:
    """Asks one server, at its own address only."""

    def __init__(self, address: ServerAddress, key: ApiKey | None) -> None:
        self._address = address
        self._hosts = _LOCALHOST if address.host == "localhost" else (address.host,)
        self._headers = [("Host", _host_header(address)), ("User-Agent", "mecha-tui")]
        if key is not None:
            self._headers.append(("Authorization", key.bearer))
        elif address.basic is not None:
            self._headers.append(("Authorization", f"Basic {address.basic}"))
        self._requests: dict[tuple[str, str | None], httpx.Request] = {}
        self._transport: httpx.AsyncHTTPTransport | None = None
        self._stream: object = None

    async def get(
        self, path: str, limit_s: float, cap_bytes: int, model_id: str | None = None
    ) -> Reply:
        """Return the whole reply to ``GET path``.

        Args:
            path: The endpoint below the server's root.
            limit_s: How long the whole reply may take.
            cap_bytes: How long a body may be.
            model_id: The router's model that is meant; asking never loads it.

        Raises:
            NoReplyError: Nobody answered, or not with a whole reply of bearable length.
        """
        try:
            return await asyncio.wait_for(self._persist(path, model_id, cap_bytes), limit_s)
        except asyncio.TimeoutError:
            raise NoReplyError(Failure.PENDING, f"no answer to {path} in {limit_s:g} s") from None

    async def post(
        self,
        path: str,
        body: Mapping[str, object],
        limit_s: float,
        cap_bytes: int,
        model_id: str | None = None,
        *,
        may_load: bool = False,
    ) -> Reply:
        """Return the whole reply to ``POST path``, which is sent once and never again.

        It goes over a connection of its own, as a client's does: so several may run at once,
        none meets a stale connection, and others that watch see somebody at work. Cancelling
        it closes the connection, by which the server ends the work.

        Args:
            path: The endpoint below the server's root.
            body: What is sent, as JSON.
            limit_s: How long the whole reply may take.
            cap_bytes: How long the reply's body may be.
            model_id: The router's model that is meant.
            may_load: Whether the router may load that model for it.

        Raises:
            NoReplyError: Nobody answered, or not with a whole reply of bearable length.
        """
        sent = {**body, "model": model_id} if model_id else body
        content = json.dumps(sent).encode()
        try:
            return await asyncio.wait_for(
                self._send(path, content, cap_bytes, _query(model_id, may_load=may_load)), limit_s
            )
        except asyncio.TimeoutError:
            raise NoReplyError(Failure.PENDING, f"no answer to {path} in {limit_s:g} s") from None

    async def aclose(self) -> None:
        """Close the connection; a later question opens another."""
        transport, self._transport = self._transport, None
        if transport is not None:
            await transport.aclose()

    @property
    def is_open(self) -> bool:
        """Whether there was a question since the connection was closed last."""
        return self._transport is not None

    @property
    def local_port(self) -> int | None:
        """Our end's port, by which this connection is told from other clients' own."""
        ask = getattr(self._stream, "get_extra_info", None)
        if self._transport is None or ask is None:
            return None
        try:
            address = ask("client_addr")
        except OSError:
            return None
        return address[1] if isinstance(address, tuple) else None

    async def _persist(self, path: str, model_id: str | None, cap_bytes: int) -> Reply:
        """Try again where the connection had grown stale, or at localhost's other address."""
        request = self._request(path, model_id)
        try:
            return await self._once(request, cap_bytes)
        except DisconnectedError:
            return await self._once(request, cap_bytes)
        except RefusedError:
            if len(self._hosts) == 1:
                raise
        self._hosts = self._hosts[::-1]
        self._requests.clear()
        await self.aclose()
        return await self._once(self._request(path, model_id), cap_bytes)

    async def _once(self, request: httpx.Request, cap_bytes: int) -> Reply:
        if self._transport is None:
            host = self._hosts[0]
            source = watchers_address() if host.startswith("127.") else None
            self._transport = _transport(self._address, source)
        try:
            response = await self._transport.handle_async_request(request)
            self._stream = response.extensions.get("network_stream")
            return await _whole(response, cap_bytes)
        except httpx.TransportError as error:
            raise no_reply(error, CONNECT_LIMIT_S, self._address.socket_path) from None

    async def _send(self, path: str, content: bytes, cap_bytes: int, query: str) -> Reply:
        """Send a body to the first of localhost's addresses that takes the connection."""
        first, last = self._hosts[0], self._hosts[-1]
        try:
            return await self._send_to(first, path, content, cap_bytes, query)
        except RefusedError:
            if first == last:
                raise
        return await self._send_to(last, path, content, cap_bytes, query)

    async def _send_to(
        self, host: str, path: str, content: bytes, cap_bytes: int, query: str
    ) -> Reply:
        request = httpx.Request(
            "POST",
            self._url(host, path, query),
            headers=[*self._headers, ("Content-Type", "application/json")],
            content=content,
            extensions={"timeout": {"connect": CONNECT_LIMIT_S}},
        )
        async with _transport(self._address, None) as transport:
            try:
                response = await transport.handle_async_request(request)
                return await _whole(response, cap_bytes)
            except httpx.TransportError as error:
                raise no_reply(error, CONNECT_LIMIT_S) from None

    def _url(self, host: str, path: str, query: str) -> str:
        name = f"[{host}]" if ":" in host else host
        address = self._address
        return f"{address.scheme}://{name}:{address.port}{address.prefix}{path}{query}"

    def _request(self, path: str, model_id: str | None) -> httpx.Request:
        request = self._requests.get((path, model_id))
        if request is None:
            request = httpx.Request(
                "GET",
                self._url(self._hosts[0], path, _query(model_id, may_load=False)),
                headers=self._headers,
                extensions={"timeout": {"connect": CONNECT_LIMIT_S}},
            )
            self._requests[path, model_id] = request
        return request


def _query(model_id: str | None, *, may_load: bool) -> str:
    if model_id is None:
        return ""
    return f"?model={quote(model_id, safe='')}{'' if may_load else '&autoload=false'}"


async def _whole(response: httpx.Response, cap_bytes: int) -> Reply:
    body = await _body(response, cap_bytes)
    if body is None:
        size = f"{cap_bytes / 1024 / 1024:g} MiB"
        raise NoReplyError(Failure.FOREIGN, f"the reply is longer than {size}")
    return Reply(response.status_code, body)


async def _body(response: httpx.Response, cap_bytes: int) -> bytes | None:
    """Return the body, or None for one that is too long, which is not read to its end."""
    assert isinstance(response.stream, httpx.AsyncByteStream)  # noqa: S101  # for mypy
    parts: list[bytes] = []
    size_bytes = 0
    try:
        async for part in response.stream:
            size_bytes += len(part)
            if size_bytes > cap_bytes:
                return None
            parts.append(part)
    finally:
        await response.stream.aclose()
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _host_header(address: ServerAddress) -> str:
    if address.socket_path is not None:
        return "localhost"
    return address.origin.split("://", 1)[1]


def _transport(address: ServerAddress, source: str | None) -> httpx.AsyncHTTPTransport:
    # Reading the system's certificates takes longer than a hundred replies.
    is_tls = address.scheme == "https"
    context = ssl.create_default_context() if is_tls else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return httpx.AsyncHTTPTransport(
        verify=context,
        trust_env=False,
        uds=address.socket_path,
        local_address=source,
        limits=httpx.Limits(max_connections=1, keepalive_expiry=KEEPALIVE_S),
    )
