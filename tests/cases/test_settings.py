"""Settings files of every wrong kind, through ``mecha-tui check``: one sentence, or a reason."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mecha_tui import cli
from tests.cases.reports import AWAKE, answering, check_of, facts
from tests.stub_server import StubServer, reply, stub_server

IDLE = {"id": 0, "n_ctx": 8192, "speculative": False, "is_processing": False}


@pytest.fixture
def server() -> Iterator[StubServer]:
    with stub_server(answering({"/props": reply(AWAKE), "/slots": reply([IDLE])})) as stub:
        yield stub


def put(file: Path, content: bytes | None) -> None:
    """Write a file, or a directory in its place."""
    file.parent.mkdir(parents=True)
    if content is None:
        file.mkdir()
    else:
        file.write_bytes(content)


BROKEN = {
    "invalid": (b"a = \n[x", "is not valid TOML: Invalid value (at line 1, column 5)"),
    "binary": (b"\xff\x00\x01", "is not UTF-8 text (byte 0)"),
    "50-megabytes": (b"#" * 50_000_000, "is larger than 1,000,000 bytes"),
    "directory": (None, "is a directory: give a TOML file"),
}


@pytest.mark.parametrize(("content", "words"), BROKEN.values(), ids=BROKEN)
def test_a_broken_file_of_mecha_makes_its_numbers_unknown(
    server: StubServer, home: Path, content: bytes | None, words: str
) -> None:
    put(home / ".mecha" / "config.toml", content)
    status, report = check_of(server.url)
    assert status == 2
    assert report["agreement"] == "unknown"
    assert set(facts(report)) == set()
    assert report["numbers"]["context_window"]["value"] is None
    assert f"~/.mecha/config.toml {words}" in report["numbers"]["context_window"]["reason"]


@pytest.mark.parametrize(
    "content", [b"", b"providers = 3\nagent = 'x'\n", b"zzz = 1\n[agent]\nf=2\n"]
)
def test_a_file_of_mecha_without_this_server_names_no_client(
    server: StubServer, home: Path, content: bytes
) -> None:
    put(home / ".mecha" / "config.toml", content)
    status, report = check_of(server.url)
    assert (status, report["clients"]) == (2, [])


def test_two_providers_are_judged_each_and_one_elsewhere_is_not(
    server: StubServer, home: Path
) -> None:
    def provider(name: str, url: str, window: int) -> str:
        return (
            f'[providers.{name}]\nkind = "local"\nbase_url = "{url}"\ncontext_window = {window}\n'
        )

    settings = provider("a", f"{server.url}/v1", 8192)
    settings += provider("b", f"http://localhost:{server.port}/", 9000)
    settings += provider("c", f"http://192.0.2.5:{server.port}", 1)
    put(home / ".mecha" / "config.toml", f"{settings}[agent]\nmax_tokens = 'no'".encode())
    status, report = check_of(server.url)
    assert status == 1
    assert [client["name"] for client in report["clients"]] == ["a", "b"]
    assert facts(report)["window-over-slot"]["client"] == "b"
    assert "max_tokens is not a whole number" in report["numbers"]["max_tokens"]["reason"]


WRONG = {
    "url": (b'urls = ["ftp://x\\u001b[31m"]', "config.toml: urls: the address"),
    "base-url": (
        b'[clients.a]\nbase_url = "no url"\ncontext_window = 5',
        "config.toml [clients.a] base_url: the address 'no url' cannot be used",
    ),
    "name": (
        b'[clients."x\\u001b[31m\\nb"]\ncontext_window = 0',
        "[clients.x b] context_window is 0: it must be above 0",
    ),
    **{name: BROKEN[name] for name in BROKEN},
}


@pytest.mark.parametrize(("content", "words"), WRONG.values(), ids=WRONG)
def test_wrong_settings_are_one_sentence_with_file_key_and_cure(
    home: Path, capsys: pytest.CaptureFixture[str], content: bytes | None, words: str
) -> None:
    put(home / ".config" / "mecha-tui" / "config.toml", content)
    assert cli.main(["status"]) == 3
    captured = capsys.readouterr()
    assert words in captured.err
    assert "config.toml" in captured.err
    assert captured.err.count("\n") == 1
    assert captured.err.replace("\n", "").isprintable()
    assert captured.out == ""
