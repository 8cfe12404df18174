"""The command line refuses what it cannot use with one sentence and exit status 3."""

from __future__ import annotations

from pathlib import Path

import pytest

from mecha_tui import __version__
from mecha_tui.cli import main
from mecha_tui.collect import sampler
from mecha_tui.collect.target import Target
from mecha_tui.commands.setup import api_key, make_sampler
from mecha_tui.config import Settings
from mecha_tui.errors import UsageError


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--nonsense"], "unrecognized arguments: --nonsense"),
        (["--urll", "x", "status"], "unrecognized arguments: --urll; did you mean --url?"),
        (
            ["--intervall=2", "status"],
            "unrecognized arguments: --intervall; did you mean --interval?",
        ),
        (["--read-only", "check", "--fix"], "--fix changes a file, and mecha-tui is read-only"),
        (["sttus"], "invalid choice: 'sttus'"),
        (["--interval", "x", "status"], "argument --interval: invalid float value"),
        (["--interval", "0", "status"], "--interval is 0: use 0.2 to 3600 seconds"),
        (["--context-window", "-4", "status"], "'-4' is not a number of tokens above 0"),
        (["status", "--max-tokens", "many"], "'many' is not a number of tokens above 0"),
        (["status", "--format", "xml"], "invalid choice: 'xml'"),
        (["status", "--sample", "-1"], "--sample is '-1'"),
        (["status", "--config", "/nonexistent.toml"], "/nonexistent.toml cannot be read"),
    ],
)
def test_a_wrong_argument_costs_one_sentence_and_status_3(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 3
    captured = capsys.readouterr()
    assert words in captured.err
    assert captured.err.count("\n") == 1
    assert captured.out == ""


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"mecha-tui {__version__}\n"


def test_the_key_comes_from_the_file_before_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLAMA_API_KEY", "from-environment")
    assert api_key(Settings()) == "from-environment"
    file = tmp_path / "key"
    file.write_text("from-file\n", "utf-8")
    assert api_key(Settings(api_key_file=file)) == "from-file"
    monkeypatch.delenv("LLAMA_API_KEY")
    assert api_key(Settings()) is None


@pytest.mark.parametrize("text", ["two\nlines", "naïve", "a\x1b[31m"])
def test_an_unusable_key_is_refused_without_being_shown(tmp_path: Path, text: str) -> None:
    file = tmp_path / "key"
    file.write_text(text, "utf-8")
    with pytest.raises(UsageError) as caught:
        api_key(Settings(api_key_file=file))
    assert text not in str(caught.value)
    with pytest.raises(UsageError, match="cannot be read"):
        api_key(Settings(api_key_file=tmp_path / "missing"))


@pytest.mark.parametrize(("is_named", "keys"), [(True, [True, True]), (False, [True, False])])
def test_the_key_goes_to_no_machine_that_was_merely_found(
    is_named: bool, keys: list[bool], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    urls = ("http://127.0.0.1:8080", "http://192.168.1.7:8080")
    tables = (f'[providers.p{n}]\nkind = "local"\nbase_url = "{url}"' for n, url in enumerate(urls))
    (tmp_path / "config.toml").write_text("\n".join(tables), "utf-8")
    monkeypatch.setenv("MECHA_HOME", str(tmp_path))
    monkeypatch.setenv("LLAMA_API_KEY", "secret")
    given: list[Target] = []

    def sampler_of(targets: list[Target], **sources: object) -> None:
        del sources
        given.extend(targets)

    monkeypatch.setattr(sampler, "HttpSampler", sampler_of)
    make_sampler(Settings(urls=urls if is_named else ()))
    assert [target.address.url for target in given] == list(urls)
    assert [target.key is not None for target in given] == keys
