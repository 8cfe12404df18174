"""Other clients' files are read as their makers document them, and patiently."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mecha_tui.collect.clients.documents import Parse, parse_json, parse_yaml
from mecha_tui.collect.clients.finder import client_finder
from mecha_tui.core.agreement import judge
from mecha_tui.core.client import ClientPromise, Promise, is_silent
from tests.configuration import Configuration

URL = "http://127.0.0.1:8080"


def write(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def found(tmp_path: Path, url: str = URL, **environment: str) -> tuple[ClientPromise, ...]:
    return client_finder((), environment, tmp_path / "home", tmp_path / "work")(url)


def test_opencodes_limits_are_read_from_its_merged_files(tmp_path: Path) -> None:
    write(
        tmp_path,
        "home/.config/opencode/opencode.json",
        """{ // mine
          "provider": {"box": {
            "options": {"baseURL": "http://localhost:8080/v1", "apiKey": "sk-7"},
            "models": {"qwen": {"limit": {"context": 65536, "output": 8192,}},},
          }, "far": {"options": {"baseURL": "https://example.com/v1"}, "models": {"x": {}}}}
        }""",
    )
    (client,) = found(tmp_path)
    assert client.name == "opencode box/qwen"
    assert client.context_window.value == 65536
    assert client.max_tokens.value == 8192
    place = "~/.config/opencode/opencode.json provider.box.models.qwen.limit"
    assert client.context_window.source == place
    assert client.setting(Promise.CONTEXT_WINDOW).line == '"context": {}'
    assert "sk-7" not in repr(client)
    write(
        tmp_path,
        "work/opencode.jsonc",
        '{"provider": {"box": {"models": {"qwen": {"limit": {"context": 4096}}}}}} /* here */',
    )
    (client,) = found(tmp_path)
    assert client.context_window.value == 4096
    assert is_silent(client.max_tokens)


def test_opencodes_newer_form_and_its_variables_are_read(tmp_path: Path) -> None:
    write(
        tmp_path,
        "x/opencode.json",
        '{"providers": {"llamacpp": {"settings": {"baseURL": "{env:BOX}/v1"},'
        ' "models": {"m": {}}}}}',
    )
    (client,) = found(tmp_path, BOX=URL, OPENCODE_CONFIG=str(tmp_path / "x" / "opencode.json"))
    assert client.name == "opencode llamacpp/m"
    assert is_silent(client.context_window)


def test_codex_promises_what_its_chosen_provider_is_given(tmp_path: Path) -> None:
    write(
        tmp_path,
        "home/.codex/config.toml",
        'model = "m"\nmodel_provider = "box"\nmodel_context_window = 32768\n'
        "model_auto_compact_token_limit = 30000\n"
        '[model_providers.box]\nbase_url = "http://127.0.0.1:8080/v1"\n'
        '[model_providers.unused]\nbase_url = "http://127.0.0.1:8080/v1"\n'
        "[profiles.small]\nmodel_context_window = 8192\n",
    )
    main, small = found(tmp_path)
    assert (main.name, main.context_window.value) == ("codex", 32768)
    assert main.compact_at_tokens.value == 30000
    assert main.context_window.source == "~/.codex/config.toml"
    assert (small.name, small.context_window.value) == ("codex small", 8192)
    assert small.context_window.source == "~/.codex/config.toml [profiles.small]"
    assert main.setting(Promise.CONTEXT_WINDOW).line == "model_context_window = {}"


def test_continues_models_that_write_are_read(tmp_path: Path) -> None:
    write(
        tmp_path,
        "home/.continue/config.yaml",
        "models:\n"
        "  - {name: Box, provider: llama.cpp, model: m, apiBase: 'http://localhost:8080',\n"
        "     defaultCompletionOptions: {contextLength: 16384, maxTokens: 2048}}\n"
        "  - {name: Vectors, provider: llama.cpp, model: e, apiBase: 'http://localhost:8080',\n"
        "     roles: [embed]}\n",
    )
    (client,) = found(tmp_path)
    assert client.name == "continue Box"
    assert (client.context_window.value, client.max_tokens.value) == (16384, 2048)
    assert client.context_window.source == "~/.continue/config.yaml models Box"


def test_continues_older_file_counts_where_there_is_no_newer(tmp_path: Path) -> None:
    write(
        tmp_path,
        "home/.continue/config.json",
        '{"models": [{"title": "Old", "apiBase": "http://localhost:8080/", "contextLength": 4096,'
        ' "completionOptions": {"maxTokens": 99}}]}',
    )
    (client,) = found(tmp_path)
    assert (client.context_window.value, client.max_tokens.value) == (4096, 99)


def test_aiders_sizes_stand_beside_its_address(tmp_path: Path) -> None:
    write(
        tmp_path,
        "home/.aider.conf.yml",
        "openai-api-base: http://127.0.0.1:8080/v1\nopenai-api-key: sk-7\nmodel: openai/qwen\n",
    )
    write(
        tmp_path,
        "work/.aider.model.metadata.json",
        '{"openai/qwen": {"max_input_tokens": 8192, "max_output_tokens": 1024}}',
    )
    (client,) = found(tmp_path)
    assert (client.context_window.value, client.max_tokens.value) == (8192, 1024)
    assert client.model.value == "qwen"
    assert client.requests_at_once.value == 1
    assert "sk-7" not in repr(client)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("home/.config/opencode/opencode.json", '{"provider": {"x": "http://localhost:8080"'),
        ("home/.codex/config.toml", 'base_url = "http://localhost:8080"\nx ='),
        ("home/.continue/config.yaml", "models: [http://localhost:8080\n  : x"),
        ("home/.aider.conf.yml", "openai-api-base: http://localhost:8080\n\tx: 1"),
    ],
)
def test_a_broken_file_that_names_the_port_is_unknown_with_its_reason(
    tmp_path: Path, file: str, text: str
) -> None:
    write(tmp_path, file, text)
    (client,) = found(tmp_path)
    assert "cannot be understood" in str(client.context_window.reason)
    assert not is_silent(client.context_window)
    assert found(tmp_path, "http://127.0.0.1:9999") == ()


@pytest.mark.parametrize(
    "text", ["", "[]", "7", '"text"', "{}", "null", '{"models": 3}', '{"provider": {"a": []}}']
)
def test_files_of_another_shape_name_no_client(tmp_path: Path, text: str) -> None:
    for file in (
        "home/.config/opencode/opencode.json",
        "home/.continue/config.json",
        "home/.aider.conf.yml",
    ):
        write(tmp_path, file, text)
    assert found(tmp_path) == ()


def test_of_a_clients_models_only_the_served_one_is_judged() -> None:
    numbers = Configuration().numbers
    base = replace(Configuration(settings={"context_window": 8192}).client, group="opencode box")
    served = replace(
        base, name="served", model=Configuration(settings={"model": "tiny"}).client.model
    )
    other = replace(
        Configuration(settings={"context_window": 99999, "model": "other"}).client, group=base.group
    )
    assert [one.code for one in judge(numbers, (served, other)).findings] == ["metrics-off"]
    alone = [one.code for one in judge(numbers, (other,)).findings]
    assert "window-over-slot" in alone
    assert "model-mismatch" not in alone


def test_comments_are_no_comments_within_a_text() -> None:
    assert parse_json('{"a": "http://x//y /* z */", /* b */ "c": [1, 2,], // d\n}') == {
        "a": "http://x//y /* z */",
        "c": [1, 2],
    }
    assert parse_json('{"a": "x,]"}') == {"a": "x,]"}


@pytest.mark.parametrize("parse", [parse_json, parse_yaml])
@given(text=st.text(max_size=60))
def test_no_text_does_more_than_refuse(parse: Parse, text: str) -> None:
    with contextlib.suppress(ValueError):
        parse(text)
