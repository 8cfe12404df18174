"""Settings: the file is strict, and every refusal names file, key and cure in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from mecha_tui.config import ClientSetting, load_settings
from mecha_tui.errors import UsageError
from mecha_tui.toml_file import LIMIT_BYTES, read_toml

VALID = """
urls = ["http://127.0.0.1:8080"]
api_key_file = "key"
interval_s = 2
theme = "light"
[clients.aider]
base_url = "http://127.0.0.1:8080"
context_window = 8192
max_tokens = 2048
thinking = false
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "config.toml"
    path.write_text(text, "utf-8")
    return path


def test_a_byte_order_mark_is_no_content(tmp_path: Path) -> None:
    assert load_settings(written(tmp_path, "\ufeff" + VALID), {}).interval_s == 2.0


def test_every_setting_is_read(tmp_path: Path) -> None:
    path = written(tmp_path, VALID)
    settings = load_settings(path, {})
    assert settings.urls == ("http://127.0.0.1:8080",)
    assert settings.api_key_file == tmp_path / "key"
    assert settings.interval_s == 2.0
    assert settings.theme == "light"
    place = f"{path} [clients.aider]"
    assert settings.clients == (
        ClientSetting("aider", "http://127.0.0.1:8080", 8192, 2048, False, place),
    )


def test_a_file_in_the_home_folder_is_named_as_the_user_writes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (client,) = load_settings(written(tmp_path, VALID), {}).clients
    assert client.source == "~/config.toml [clients.aider]"
    monkeypatch.setenv("HOME", str(tmp_path)[:-1])
    (client,) = load_settings(written(tmp_path, VALID), {}).clients
    assert client.source == f"{tmp_path}/config.toml [clients.aider]"


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    environment = {"MECHA_TUI_URL": "http://a:1 http://b:2", "MECHA_TUI_THEME": "dark"}
    settings = load_settings(written(tmp_path, VALID), environment)
    assert settings.urls == ("http://a:1", "http://b:2")
    assert settings.theme == "dark"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("url = 1", "url is not a setting: did you mean urls?"),
        ("qqqq = 1", "known are urls"),
        ("urls = 'x'", "urls must be a list"),
        ("urls = [1]", "urls must be a list"),
        ("api_key_file = 1", "api_key_file must be a path"),
        ("interval_s = 'a'", "interval_s must be a number"),
        ("interval_s = true", "interval_s must be a number"),
        ("interval_s = 0", "interval_s is 0: use 0.2 to 3600 seconds"),
        ("interval_s = nan", "use 0.2 to 3600 seconds"),
        ("theme = 'blue'", "theme is 'blue': use 'dark' or 'light'"),
        ("clients = 1", "clients must be tables"),
        ("[clients]\na = 1", "[clients.a] must be a table"),
        ("[clients.a]\ncontext_windw = 1", "did you mean context_window?"),
        ("[clients.a]\ncontext_window = '1'", "context_window must be a whole number"),
        ("[clients.a]\ncontext_window = true", "context_window must be a whole number"),
        ("[clients.a]\nmax_tokens = 0", "max_tokens is 0: it must be above 0"),
        ("[clients.a]\nthinking = 1", "thinking must be true or false"),
        ("urls = [", "is not valid TOML"),
        ("a = 1\na = 2", "Cannot overwrite a value"),
    ],
)
def test_a_wrong_file_is_refused_in_one_sentence(tmp_path: Path, text: str, words: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(UsageError) as caught:
        load_settings(path, {})
    message = str(caught.value)
    assert words in message
    assert str(path) in message
    assert "\n" not in message


def test_a_file_that_is_no_settings_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a directory"):
        read_toml(tmp_path)
    with pytest.raises(UsageError, match="cannot be read"):
        read_toml(tmp_path / "missing.toml")
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"a = '\xff'")
    with pytest.raises(UsageError, match="not UTF-8"):
        read_toml(binary)
    large = tmp_path / "large.toml"
    large.write_bytes(b"#" * (LIMIT_BYTES + 1))
    with pytest.raises(UsageError, match="no settings file"):
        read_toml(large)
    deep = tmp_path / "deep.toml"
    deep.write_text(f"a = {'[' * 5000}", "utf-8")
    with pytest.raises(UsageError):
        read_toml(deep)


def test_without_a_file_the_defaults_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert load_settings(None, {}).interval_s == 1.0
