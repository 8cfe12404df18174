"""An address is understood as users and clients write it, and a bad one is one clear sentence."""

from __future__ import annotations

import pytest

from mecha_tui.collect.address import parse_address
from mecha_tui.errors import UsageError


@pytest.mark.parametrize(
    ("text", "url", "origin", "prefix"),
    [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080", "http://127.0.0.1:8080", ""),
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080", "http://127.0.0.1:8080", ""),
        ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080", "http://127.0.0.1:8080", ""),
        ("http://127.0.0.1:8080/v1/", "http://127.0.0.1:8080", "http://127.0.0.1:8080", ""),
        ("http://h:1/v1/chat/completions", "http://h:1", "http://h:1", ""),
        ("http://h:1/llama/v1/", "http://h:1/llama", "http://h:1", "/llama"),
        ("http://h:1/a/b", "http://h:1/a/b", "http://h:1", "/a/b"),
        ("http://h:1/v1x", "http://h:1/v1x", "http://h:1", "/v1x"),
        ("https://Example.org", "https://example.org", "https://example.org:443", ""),
        ("http://example.org", "http://example.org", "http://example.org:80", ""),
        ("localhost:9931", "http://localhost:9931", "http://localhost:9931", ""),
        ("192.168.1.5", "http://192.168.1.5:8080", "http://192.168.1.5:8080", ""),
        ("http://[::1]:8080/v1", "http://[::1]:8080", "http://[::1]:8080", ""),
        ("[::1]:8080", "http://[::1]:8080", "http://[::1]:8080", ""),
        ("  http://h:1\n", "http://h:1", "http://h:1", ""),
        ("http://é.example:1", "http://xn--9ca.example:1", "http://xn--9ca.example:1", ""),
        ("http://me:s3cret@h:1/x", "http://h:1/x", "http://h:1", "/x"),
    ],
)
def test_an_address_is_brought_to_the_servers_root(
    text: str, url: str, origin: str, prefix: str
) -> None:
    address = parse_address(text)
    assert (address.url, address.origin, address.prefix) == (url, origin, prefix)
    assert "s3cret" not in repr(address)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("unix:/run/llama.sock", "/run/llama.sock"),
        ("unix:///run/llama.sock", "/run/llama.sock"),
        ("unix:llama.sock", "llama.sock"),
        ("unix://llama.sock", "llama.sock"),
        ("/run/llama.sock", "/run/llama.sock"),
        ("/run/llama", "/run/llama"),
        ("./llama", "./llama"),
        ("llama.sock", "llama.sock"),
        ("http+unix://%2Frun%2Fllama.sock", "/run/llama.sock"),
        ("http+unix://%2Frun%2Fllama.sock/v1/chat/completions", "/run/llama.sock"),
        ("http+unix:///run/llama.sock/v1", "/run/llama.sock"),
        ("unix:/run/llama.sock/v1/", "/run/llama.sock"),
        ("unix:/run/v1", "/run/v1"),
    ],
)
def test_a_unix_socket_is_an_address(text: str, path: str) -> None:
    address = parse_address(text)
    assert address.socket_path == path
    assert address.url == f"unix:{path}"
    assert address.is_loopback


def test_a_path_below_a_socket_is_the_servers_prefix() -> None:
    address = parse_address("http+unix://%2Frun%2Fllama.sock/llama/v1")
    assert (address.url, address.prefix) == ("unix:/run/llama.sock/llama", "/llama")
    assert parse_address(address.url) == address


@pytest.mark.parametrize(
    "text",
    [
        "",
        "http://",
        "http:///v1",
        "ftp://h:1",
        "h:notaport",
        "http://h:99999",
        "http://h:0",
        "http://[::1",
        "http://a b:1",
        "http://h:1/?model=a",
        "http://h:1/#x",
        "unix:",
        "unix://",
        "http://me:s3cret@h:99999",
        "ftp://me:s3cret@h:1",
        "http://h\x00:1",
        "http://h:1/\u202e",
        "http://h:1/a\nb",
        "http://a..b:1",
        "http://*:1",
        "http://-:1",
        "http://256.1.1.1:1",
        "http://127.1:1",
        "http://h%20x:1",
        "http://\ud800:1",
        "http://" + "a" * 300,
        "http://me:s3@cret@h:99999",
        "http://me:a/s3cret@h:1",
        "http://h:1/?api_key=s3cret",
        "http://h:1/#s3cret",
        "me:s3cret@h:1:2",
        "http:127.0.0.1",
        "unix:/a\nb",
        "http+unix://",
        "http+unix://%2Fa%0Ab",
        "/",
    ],
)
def test_a_bad_address_is_refused_in_one_sentence_without_secrets(text: str) -> None:
    with pytest.raises(UsageError) as refusal:
        parse_address(text)
    message = str(refusal.value)
    assert message.startswith("the address ")
    assert "\n" not in message
    assert "\x00" not in message
    assert "s3cret" not in message
    assert "s3@" not in message
    assert len(message) < 300


@pytest.mark.parametrize(
    ("text", "is_loopback"),
    [
        ("http://127.0.0.1:1", True),
        ("http://127.9.9.9:1", True),
        ("http://localhost:1", True),
        ("http://[::1]:1", True),
        ("http://192.168.1.5:1", False),
        ("http://127.0.0.1.example.org:1", False),
    ],
)
def test_loopback_is_told_from_other_machines(text: str, is_loopback: bool) -> None:
    assert parse_address(text).is_loopback is is_loopback
