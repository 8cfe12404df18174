"""A settings file is changed in the one value that cures, and in nothing else."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mecha_tui.control.settings_edit import Change, changed_text, read_settings, write_settings
from mecha_tui.core.agreement import Edit
from mecha_tui.core.client import ConfigKey
from mecha_tui.errors import MechaTuiError
from mecha_tui.present.diff import diff_lines

FILE = "config.toml"
WINDOW = ConfigKey(FILE, ("providers", "local"), "context_window")
LIMIT = ConfigKey(FILE, ("agent",), "max_tokens")


def changed(text: str, *edits: tuple[ConfigKey, int]) -> str:
    return changed_text(text, [Edit(key, value) for key, value in edits], FILE)


def test_comments_order_and_formatting_stay() -> None:
    text = (
        "# mine\n\n[providers.local]   # the box\n  base_url='http://x'\n"
        "context_window   =  32_768   # told\nvision = true\n\n\n[agent]\nmax_tokens=1 #\n"
    )
    assert changed(text, (WINDOW, 8192), (LIMIT, 5120)) == text.replace("32_768", "8192").replace(
        "max_tokens=1", "max_tokens=5120"
    )


def test_a_byte_order_mark_is_kept() -> None:
    text = "\ufeff[agent]\nmax_tokens = 1\n"
    assert changed(text, (LIMIT, 5120)) == "\ufeff[agent]\nmax_tokens = 5120\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[providers]\nlocal = {a = 1, context_window = 2}\n", "context_window = 8192}"),
        ("providers.local.context_window = 2\n", "providers.local.context_window = 8192\n"),
        ('[providers."local"]\ncontext_window = 2\n', "context_window = 8192\n"),
        ("[providers.local]\nkind = 'x'\n", "kind = 'x'\ncontext_window = 8192\n"),
        ("[providers.local]\nkind = 'x'\r\n", "context_window = 8192"),
        ("", "[providers.local]\ncontext_window = 8192\n"),
        ("x = 1\n[agent]\n[providers.other]\n[agent.more]\n", "context_window = 8192"),
    ],
)
def test_every_way_to_write_a_table_is_understood(text: str, expected: str) -> None:
    assert expected in changed(text, (WINDOW, 8192))


@pytest.mark.parametrize(
    "text", ["[providers", "providers = 3\n", "[[providers]]\n", "a = 1\na = 2"]
)
def test_what_cannot_be_changed_safely_is_left_to_a_person(text: str) -> None:
    with pytest.raises(MechaTuiError, match="by hand"):
        changed(text, (WINDOW, 8192))


def change_of(file: Path, after: str) -> Change:
    found = read_settings(str(file))
    return Change(found.path, found.text, after, found.exists)


def test_the_old_content_is_kept_beside_the_file_with_the_same_rights(tmp_path: Path) -> None:
    file = tmp_path / FILE
    file.write_text("a = 1\n")
    file.chmod(0o600)
    first = write_settings(change_of(file, "a = 2\n"))
    second = write_settings(change_of(file, "a = 3\n"))
    assert file.read_text() == "a = 3\n"
    assert first is not None
    assert second is not None
    assert (first.read_text(), second.read_text()) == ("a = 1\n", "a = 2\n")
    assert [one.stat().st_mode & 0o777 for one in (file, first, second)] == [0o600] * 3
    assert sorted(os.listdir(tmp_path)) == ["config.toml", "config.toml.bak", "config.toml.bak2"]


def test_a_link_stays_a_link_and_what_it_names_is_changed(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "mecha.toml"
    real.parent.mkdir()
    real.write_text("a = 1\n")
    link = tmp_path / FILE
    link.symlink_to("dotfiles/mecha.toml")
    backup = write_settings(change_of(link, "a = 2\n"))
    assert link.is_symlink()
    assert real.read_text() == "a = 2\n"
    assert backup == real.with_name("mecha.toml.bak")


def test_a_file_that_was_not_there_is_made_with_its_folder(tmp_path: Path) -> None:
    file = tmp_path / "new" / FILE
    assert write_settings(change_of(file, "a = 2\n")) is None
    assert file.read_text() == "a = 2\n"


def test_a_file_changed_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / FILE
    file.write_text("a = 1\n")
    change = change_of(file, "a = 2\n")
    file.write_text("a = 7\n")
    with pytest.raises(MechaTuiError, match="changed meanwhile"):
        write_settings(change)
    assert file.read_text() == "a = 7\n"
    assert os.listdir(tmp_path) == [FILE]


@pytest.mark.parametrize("content", [b"\xff", b"a = 1\n" * 200_000])
def test_a_file_that_is_no_settings_file_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(MechaTuiError, match="by hand"):
        read_settings(str(tmp_path / FILE))
    with pytest.raises(MechaTuiError, match="cannot be read"):
        read_settings(str(tmp_path))


def test_line_ends_of_another_system_stay(tmp_path: Path) -> None:
    file = tmp_path / FILE
    file.write_bytes(b"[agent]\r\nmax_tokens = 1\r\n")
    text = changed(read_settings(str(file)).text, (LIMIT, 2))
    write_settings(change_of(file, text))
    assert file.read_bytes() == b"[agent]\r\nmax_tokens = 2\r\n"


@pytest.mark.parametrize(
    "line",
    [
        'api_key = "sk-7"',
        "api_key='sk-7'",
        '"api_key" = "sk-7"',
        'local = { kind = "local", api_key = "sk-7", context_window = 1 }',
        'providers.local.api_key = "sk-7" # sk is secret',
        'hf_token = "sk-7"',
        'password = "sk-7 \\" sk-7"',
    ],
)
def test_a_diff_never_shows_a_key(line: str) -> None:
    shown = "\n".join(diff_lines(f"{line}\na = 1\n", f"{line}\na = 2\n", FILE))
    assert "sk-7" not in shown
    assert "***" in shown
    assert "+a = 2" in shown


def test_a_diff_carries_no_escape_sequence() -> None:
    shown = diff_lines("# \x1b[31m\na = 1\n", "# \x1b[31m\na = 2\n", "\x1b[2J.toml")
    assert not any("\x1b" in line for line in shown)


names = st.text("abcxyz", min_size=1, max_size=3)


@given(
    st.dictionaries(names, st.dictionaries(names, st.integers(), max_size=3), max_size=3),
    names,
    names,
    st.integers(1, 2**31),
)
def test_only_the_one_value_changes(
    tables: dict[str, dict[str, int]], table: str, key: str, value: int
) -> None:
    text = "".join(
        f"[{name}]\n" + "".join(f"{one} = {number}\n" for one, number in values.items())
        for name, values in tables.items()
    )
    after = changed(text, (ConfigKey(FILE, (table,), key), value))
    kept = [line for line in text.splitlines() if not line.startswith(f"{key} = ")]
    assert set(kept) <= set(after.splitlines())


def test_a_backups_name_that_is_a_link_to_nowhere_is_not_free(tmp_path: Path) -> None:
    file = tmp_path / FILE
    file.write_text("a = 1\n", "utf-8")
    (tmp_path / "config.toml.bak").symlink_to(tmp_path / "nowhere")
    assert write_settings(change_of(file, "a = 2\n")) == tmp_path / "config.toml.bak2"
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="has no such limit")
def test_a_write_that_fails_leaves_the_file_and_nothing_else(tmp_path: Path) -> None:
    import resource

    file = tmp_path / FILE
    file.write_text("a = 1\n", "utf-8")
    change = change_of(file, "a = 2\n" * 10)
    for bytes_left in (0, 20):
        before, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_left, hard))
        try:
            with pytest.raises(MechaTuiError, match="cannot be written"):
                write_settings(change)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (before, hard))
        assert os.listdir(tmp_path) == [FILE]
        assert file.read_text("utf-8") == "a = 1\n"
