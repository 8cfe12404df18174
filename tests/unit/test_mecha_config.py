"""mecha's settings are merged layer by layer and field by field, as mecha merges them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mecha_tui.collect.clients.by_hand import hand_clients
from mecha_tui.collect.clients.reach import is_same_place, place_of
from mecha_tui.collect.mecha_config import local_providers, mecha_clients, read_mecha_config
from mecha_tui.config import ClientSetting
from mecha_tui.core.client import ClientPromise, Promise, is_silent

URL = "http://127.0.0.1:8080"


def clients(
    tmp_path: Path,
    user: str | None = None,
    project: str | None = None,
    url: str = URL,
    **environment: str,
) -> tuple[ClientPromise, ...]:
    home, folder = tmp_path / "home", tmp_path / "work"
    (home / ".mecha").mkdir(parents=True, exist_ok=True)
    folder.mkdir(exist_ok=True)
    if user is not None:
        (home / ".mecha" / "config.toml").write_text(user)
    if project is not None:
        (folder / "mecha.toml").write_text(project)
    return mecha_clients(read_mecha_config(environment, home, folder), url)


def test_each_field_comes_from_the_last_layer_that_has_it(tmp_path: Path) -> None:
    user = (
        '[providers.local]\nkind = "local"\nbase_url = "http://127.0.0.1:8080"\n'
        "context_window = 8192\nvision = true\n[agent]\nmax_tokens = 6000\nthinking = false\n"
    )
    project = "[providers.local]\ncontext_window = 4096\n[agent]\nmax_tokens = 5000\n"
    (client,) = clients(tmp_path, user, project)
    assert client.name == "local"
    assert client.context_window.value == 4096
    assert client.context_window.source == "mecha.toml [providers.local]"
    assert client.vision.value is True
    assert client.vision.source == "~/.mecha/config.toml [providers.local]"
    assert client.max_tokens.source == "mecha.toml [agent]"
    assert client.thinking.value is False
    assert client.compact_at_tokens.value == 2730
    window = client.setting(Promise.CONTEXT_WINDOW)
    assert window.key is not None
    assert window.key.file == str(tmp_path / "work" / "mecha.toml")
    thinking = client.setting(Promise.THINKING)
    assert thinking.place == "~/.mecha/config.toml [agent]"


def test_defaults_are_mechas_own(tmp_path: Path) -> None:
    (client,) = clients(tmp_path, f'[providers.x]\nbase_url = "{URL}"\n')
    assert is_silent(client.context_window)
    assert is_silent(client.compact_at_tokens)
    assert (client.max_tokens.value, client.max_tokens.source) == (64_000, "mecha's default")
    assert client.thinking.value is True
    assert client.requests_at_once.value == 4
    setting = client.setting(Promise.MAX_TOKENS)
    assert setting.place == "~/.mecha/config.toml [agent]"
    assert setting.key is not None
    assert setting.key.table == ("agent",)


def test_a_value_that_stands_nowhere_belongs_in_the_users_own_file(tmp_path: Path) -> None:
    (client,) = clients(tmp_path, None, f'[providers.x]\nbase_url = "{URL}"\n')
    for promise in (Promise.CONTEXT_WINDOW, Promise.MAX_TOKENS):
        key = client.setting(promise).key
        assert key is not None
        assert key.file == str(tmp_path / "home" / ".mecha" / "config.toml")
        assert client.setting(promise).place.startswith("~/.mecha/config.toml [")


def test_a_model_from_the_environment_is_cured_there(tmp_path: Path) -> None:
    user = f'default_provider = "x"\n[providers.x]\nbase_url = "{URL}"\nmodel = "m"\n'
    (client,) = clients(tmp_path, user, MECHA_MODEL="other")
    setting = client.setting(Promise.MODEL)
    assert (setting.line, setting.key) == ("MECHA_MODEL={}", None)


def test_mecha_home_replaces_the_users_folder(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "config.toml").write_text(
        f'[providers.there]\nbase_url = "{URL}"\ncontext_window = 1024\n'
    )
    user = f'[providers.here]\nbase_url = "{URL}"\n'
    found = clients(tmp_path, user, MECHA_HOME=str(tmp_path / "own"))
    assert [one.name for one in found] == ["there"]
    assert found[0].context_window.source == f"{tmp_path}/own/config.toml [providers.there]"


def test_the_environments_model_goes_to_the_active_provider_only(tmp_path: Path) -> None:
    user = (
        'default_provider = "a"\n'
        f'[providers.a]\nbase_url = "{URL}"\nmodel = "m"\n'
        f'[providers.b]\nbase_url = "{URL}/v1/"\nmodel = "n"\n'
    )
    a, b = clients(tmp_path, user, MECHA_MODEL="other")
    assert (a.model.value, a.model.source) == ("other", "environment MECHA_MODEL")
    assert b.model.value == "n"
    a, b = clients(tmp_path, user, MECHA_MODEL="other", MECHA_PROVIDER="b")
    assert (a.model.value, b.model.value) == ("m", "other")


def test_every_provider_that_reaches_the_server_is_judged_and_no_other(tmp_path: Path) -> None:
    user = "".join(
        f'[providers.{name}]\nbase_url = "{url}"\n'
        for name, url in {
            "plain": "http://localhost:8080",
            "slash": "http://[::1]:8080/",
            "versioned": "http://127.0.0.1:8080/v1",
            "port": "http://127.0.0.1:8081",
            "host": "http://192.0.2.1:8080",
            "prefix": "http://127.0.0.1:8080/llama",
            "nonsense": "http://[",
        }.items()
    )
    assert [one.name for one in clients(tmp_path, user)] == ["plain", "slash", "versioned"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"[agent\nmax_tokens = 1", "line 1"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b"x = 1\n" * 200_000, "larger than"),
    ],
)
def test_an_unusable_file_makes_everything_unknown_with_its_reason(
    tmp_path: Path, content: bytes, words: str
) -> None:
    (tmp_path / "home" / ".mecha").mkdir(parents=True)
    (tmp_path / "home" / ".mecha" / "config.toml").write_bytes(content)
    (client,) = clients(tmp_path)
    for reading in (client.context_window, client.max_tokens, client.thinking):
        assert reading.value is None
        assert not is_silent(reading)
        assert "~/.mecha/config.toml" in str(reading.reason)
        assert words in str(reading.reason)


def test_a_directory_in_place_of_the_file_is_a_reason_too(tmp_path: Path) -> None:
    (tmp_path / "home" / ".mecha" / "config.toml").mkdir(parents=True)
    (client,) = clients(tmp_path)
    assert "is a directory" in str(client.context_window.reason)


def test_a_pipe_in_place_of_the_file_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "home" / ".mecha").mkdir(parents=True)
    os.mkfifo(tmp_path / "home" / ".mecha" / "config.toml")
    (client,) = clients(tmp_path)
    assert "~/.mecha/config.toml is no plain file" in str(client.context_window.reason)


@pytest.mark.parametrize("content", ["", "# nothing\n", "providers = 3\nagent = []\n", "x = 1\n"])
def test_files_without_providers_name_no_client(tmp_path: Path, content: str) -> None:
    assert clients(tmp_path, content) == ()
    assert clients(tmp_path) == ()


@pytest.mark.parametrize("value", ['"8k"', "true", "-1", "0", "1.5", "[]"])
def test_a_value_of_the_wrong_type_is_unknown_and_not_silence(tmp_path: Path, value: str) -> None:
    user = f'[providers.x]\nbase_url = "{URL}"\ncontext_window = {value}\nunheard_of = 1\n'
    (client,) = clients(tmp_path, user)
    assert client.context_window.value is None
    assert "context_window is not a whole number" in str(client.context_window.reason)


def test_a_key_in_the_file_is_never_in_what_is_read_of_it(tmp_path: Path) -> None:
    user = f'[providers.x]\nbase_url = "{URL}"\napi_key = "sk-secret-7"\n'
    assert "sk-secret-7" not in repr(clients(tmp_path, user))


def test_a_client_told_by_hand_is_known_by_what_was_told() -> None:
    told = ClientSetting("aider", context_window=8192, source="the settings [clients.aider]")
    (client,) = hand_clients((told,), URL)
    assert client.context_window.value == 8192
    assert client.max_tokens.value is None
    assert not is_silent(client.max_tokens)
    elsewhere = ClientSetting("other", base_url="http://127.0.0.1:1/v1", context_window=1)
    assert hand_clients((elsewhere,), URL) == ()


@pytest.mark.parametrize("url", ["", "http://", "ftp://x", "http://a:b", "http://["])
def test_what_is_no_url_is_no_place(url: str) -> None:
    assert place_of(url) is None
    assert not is_same_place(url, url)


def test_only_servers_of_ones_own_are_watched_unasked(tmp_path: Path) -> None:
    providers = {
        "loopback": ("openai-compatible", "http://127.0.0.1:8080"),
        "network": ("openai-compatible", "http://192.168.1.7:8080"),
        "service": ("openai-compatible", "https://api.example.com/v1"),
        "public": ("openai-compatible", "http://8.8.8.8:8080"),
        "named": ("local", "http://gb10:8080"),
        "cloud": ("openai", "http://127.0.0.1:1"),
    }
    tables = (
        f'[providers.{name}]\nkind = "{kind}"\nbase_url = "{url}"'
        for name, (kind, url) in providers.items()
    )
    (tmp_path / ".mecha").mkdir()
    (tmp_path / ".mecha" / "config.toml").write_text("\n".join(tables))
    assert local_providers({}, tmp_path, tmp_path) == tuple(
        providers[name][1] for name in ("loopback", "network", "named")
    )
