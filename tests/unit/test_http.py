"""A reply is taken whole or not at all, from its own server only, whatever that one does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from mecha_tui.collect.address import parse_address
from mecha_tui.collect.http import ApiKey, Connection, Reply
from mecha_tui.collect.no_reply import NoReplyError
from mecha_tui.core.replies import Failure
from mecha_tui.errors import UsageError
from tests.servers import free_port
from tests.stub_server import HangUpError, reply, stub_server

KEY = "s3cret-key"


async def ask(
    url: str, *paths: str, key: ApiKey | None = None, limit_s: float = 30.0
) -> list[Reply | NoReplyError]:
    connection = Connection(parse_address(url), key)
    try:
        return [await outcome(connection, path, limit_s) for path in paths or ("/slots",)]
    finally:
        await connection.aclose()


async def outcome(connection: Connection, path: str, limit_s: float) -> Reply | NoReplyError:
    try:
        return await connection.get(path, limit_s, 1024 * 1024)
    except NoReplyError as error:
        return error


async def failure(url: str, limit_s: float = 30.0) -> Failure:
    (got,) = await ask(url, limit_s=limit_s)
    assert isinstance(got, NoReplyError)
    assert got.detail
    return got.failure


async def test_many_questions_go_over_one_connection() -> None:
    with stub_server(lambda target: [reply({"target": target})]) as stub:
        replies = await ask(stub.url, "/props", "/slots", "/metrics")
    assert replies[1] == Reply(200, b'{"target": "/slots"}')
    assert stub.targets == ["/props", "/slots", "/metrics"]
    assert stub.connections == 1


async def test_a_prefix_stays_and_v1_goes() -> None:
    with stub_server(lambda _: [reply({})]) as stub:
        await ask(f"{stub.url}/llama/v1/", "/props")
    assert stub.targets == ["/llama/props"]


async def test_a_model_behind_a_router_is_named_and_never_loaded_by_asking() -> None:
    with stub_server(lambda _: [reply({})]) as stub:
        connection = Connection(parse_address(stub.url), None)
        await connection.get("/props", 30.0, 1000, "org/model a&b")
        await connection.aclose()
    assert stub.targets == ["/props?model=org%2Fmodel%20a%26b&autoload=false"]


async def test_the_key_goes_along_and_shows_itself_nowhere() -> None:
    with stub_server(lambda _: [reply({})]) as stub:
        await ask(stub.url, key=ApiKey(KEY))
    assert f"Authorization: Bearer {KEY}" in stub.heads[0]
    assert KEY not in repr(ApiKey(KEY))
    assert KEY not in f"{ApiKey(KEY)} {Connection(parse_address(stub.url), ApiKey(KEY))!r}"


@pytest.mark.parametrize("key", ["", "two\nlines", "nul\0", "s3cret-ключ"])
def test_a_key_that_fits_in_no_header_is_refused_without_telling_it(key: str) -> None:
    with pytest.raises(UsageError) as refusal:
        ApiKey(key)
    assert key[:3] not in str(refusal.value) or not key


async def test_credentials_in_the_address_are_sent_and_not_shown() -> None:
    with stub_server(lambda _: [reply({})]) as stub:
        await ask(stub.url.replace("//", "//me:pass@"))
    assert "Authorization: Basic bWU6cGFzcw==" in stub.heads[0]


async def test_a_redirect_is_not_followed_and_the_key_goes_nowhere_else() -> None:
    with stub_server(lambda _: [reply({})]) as elsewhere:
        moved = reply(b"", "302 Found", f"Location: {elsewhere.url}/slots")
        with stub_server(lambda _: [moved]) as stub:
            (got,) = await ask(stub.url, key=ApiKey(KEY))
    assert isinstance(got, Reply)
    assert got.status == 302
    assert elsewhere.heads == []


async def test_no_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    with stub_server(lambda _: [reply({})]) as stub:
        (got,) = await ask(stub.url)
    assert got == Reply(200, b"{}")


async def test_nobody_there_is_refused() -> None:
    assert await failure(f"http://127.0.0.1:{free_port()}") is Failure.REFUSED


async def test_a_missing_socket_file_is_refused(tmp_path: Path) -> None:
    assert await failure(f"unix:{tmp_path}/none.sock") is Failure.REFUSED


async def test_a_unix_socket_answers(tmp_path: Path) -> None:
    path = str(tmp_path / "s.sock")
    with stub_server(lambda _: [reply({})], path=path):
        assert await ask(f"unix:{path}") == [Reply(200, b"{}")]


async def test_ipv6_answers() -> None:
    with stub_server(lambda _: [reply({})], host="::1") as stub:
        assert await ask(f"http://[::1]:{stub.port}") == [Reply(200, b"{}")]


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
async def test_localhost_finds_the_server_on_either_address(host: str) -> None:
    with stub_server(lambda _: [reply({})], host=host) as stub:
        assert await ask(f"http://localhost:{stub.port}") == [Reply(200, b"{}")]


async def test_a_stale_connection_is_replaced_without_a_word() -> None:
    def script(_: str) -> Iterator[bytes]:
        yield reply({})
        raise HangUpError

    with stub_server(script) as stub:
        replies = await ask(stub.url, "/a", "/b", "/c")
    assert replies == [Reply(200, b"{}")] * 3


def _hang_up(_: str) -> Iterator[bytes]:
    raise HangUpError
    yield b""


def _half(_: str) -> Iterator[bytes]:
    yield reply({"whole": "no"})[:-4]
    raise HangUpError


@pytest.mark.parametrize("script", [_hang_up, _half])
async def test_a_server_that_closes_early_has_dropped_the_question(script: object) -> None:
    assert callable(script)
    with stub_server(script) as stub:
        assert await failure(stub.url) is Failure.DROPPED


@pytest.mark.parametrize(
    "raw",
    [
        b"SSH-2.0-OpenSSH_9.2\r\n\r\n",
        b"\x00\xff\x13garbage\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: ten\r\n\r\n",
        b"HTTP/1.1 999999 OK\r\n\r\n",
    ],
)
async def test_what_is_not_http_is_foreign(raw: bytes) -> None:
    with stub_server(lambda _: [raw]) as stub:
        assert await failure(stub.url) is Failure.FOREIGN


async def test_an_endless_header_is_foreign_and_not_kept() -> None:
    with stub_server(lambda _: [b"HTTP/1.1 200 OK\r\nX: " + b"x" * 500_000]) as stub:
        assert await failure(stub.url) is Failure.FOREIGN


async def test_a_body_too_long_is_not_read_to_its_end() -> None:
    sent = 0

    def script(_: str) -> Iterable[bytes]:
        nonlocal sent
        yield b"HTTP/1.1 200 OK\r\nContent-Length: 52428800\r\n\r\n"
        for _part in range(800):
            yield b"x" * 65536
            sent += 65536

    with stub_server(script) as stub:
        assert await failure(stub.url) is Failure.FOREIGN
    assert sent < 20 * 1024 * 1024


async def test_an_endless_body_in_chunks_is_given_up() -> None:
    def script(_: str) -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        while True:
            yield b"1000\r\n" + b"x" * 4096 + b"\r\n"

    with stub_server(script) as stub:
        assert await failure(stub.url) is Failure.FOREIGN


async def test_a_slow_drip_is_given_up_when_its_time_is_over() -> None:
    ended = False

    def script(_: str) -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"
        while not ended:
            yield b"x"

    with stub_server(script) as stub:
        assert await failure(stub.url, limit_s=0.2) is Failure.PENDING
        ended = True


async def test_silence_is_pending() -> None:
    with stub_server(lambda _: []) as stub:
        assert await failure(stub.url, limit_s=0.2) is Failure.PENDING


async def post(url: str, path: str = "/completion", **more: object) -> Reply | NoReplyError:
    limit_s = more.pop("limit_s", 30.0)
    assert isinstance(limit_s, float)
    connection = Connection(parse_address(url), ApiKey(KEY))
    try:
        return await connection.post(path, {"n": 1}, limit_s, 1000, **more)  # type: ignore[arg-type]  # by name
    except NoReplyError as error:
        return error


async def test_what_is_posted_arrives_with_its_length_its_kind_and_the_key() -> None:
    with stub_server(lambda _: [reply({})]) as stub:
        assert await post(stub.url) == Reply(200, b"{}")
    (head,) = stub.heads
    assert head.startswith("POST /completion HTTP/1.1")
    assert "Content-Length: 8" in head
    assert "Content-Type: application/json" in head
    assert f"Authorization: Bearer {KEY}" in head


async def test_what_is_posted_is_sent_once_even_where_nobody_answers() -> None:
    with stub_server(_hang_up) as stub:
        got = await post(stub.url)
    assert isinstance(got, NoReplyError)
    assert got.failure is Failure.DROPPED
    assert stub.targets == ["/completion"]


async def test_posting_follows_no_redirect_and_takes_no_endless_reply() -> None:
    with stub_server(lambda _: [reply({})]) as elsewhere:
        moved = reply(b"", "307 Temporary Redirect", f"Location: {elsewhere.url}/completion")
        with stub_server(lambda _: [moved]) as stub:
            got = await post(stub.url)
        assert isinstance(got, Reply)
        assert got.status == 307
        assert elsewhere.heads == []
    with stub_server(lambda _: [reply(b"x" * 2000)]) as stub:
        long = await post(stub.url)
    assert isinstance(long, NoReplyError)
    assert long.failure is Failure.FOREIGN


async def test_posting_uses_no_proxy_and_gives_up_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    with stub_server(lambda _: []) as stub:
        got = await post(stub.url, limit_s=0.2)
    assert isinstance(got, NoReplyError)
    assert got.failure is Failure.PENDING


async def test_a_routers_model_is_loaded_by_posting_only_where_that_is_allowed() -> None:
    with stub_server(lambda _: [reply({})]) as stub:
        await post(stub.url, model_id="a b")
        await post(stub.url, model_id="a b", may_load=True)
    assert stub.targets == ["/completion?model=a%20b&autoload=false", "/completion?model=a%20b"]


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
async def test_posting_to_localhost_finds_the_server_on_either_address(host: str) -> None:
    with stub_server(lambda _: [reply({})], host=host) as stub:
        assert await post(f"http://localhost:{stub.port}") == Reply(200, b"{}")
