"""Settings: flags over environment over the file in the platform's config folder."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from mecha_tui.core.text import plain_text
from mecha_tui.errors import UsageError
from mecha_tui.toml_file import read_toml

RESTART_KEYS = ("restart_command", "restart_shell")
THEMES = ("dark", "light")
PLACE_LIMIT = 1000
MIN_INTERVAL_S, MAX_INTERVAL_S = 0.2, 3600.0


@dataclass(frozen=True, slots=True)
class ClientSetting:
    """``[clients.NAME]``: what a client that is not mecha was promised, told by hand."""

    name: str
    base_url: str | None = None
    """The server it talks to; None stands for every server watched."""
    context_window: int | None = None
    max_tokens: int | None = None
    thinking: bool | None = None
    source: str = ""
    """Where it stands, for the user."""
    compact_at_tokens: int | None = None
    vision: bool | None = None
    requests_at_once: int | None = None


@dataclass(frozen=True, slots=True)
class RestartSetting:
    """``restart_command``, for one server or for all."""

    url: str | None
    """The server's address as the user wrote it, without a slash at its end; None for all."""
    command: tuple[str, ...]
    """The argument list; one text for a shell."""
    has_shell: bool = False


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a run is told. Unset values are None, and the place that uses them decides."""

    urls: tuple[str, ...] = ()
    urls_source: str = "--url"
    """Where ``urls`` stand, for the user."""
    api_key_file: Path | None = None
    interval_s: float = 1.0
    theme: str = "dark"
    gentle: bool = False
    """Whether a server of which nobody knows if it sleeps is treated as if it did."""
    metrics: bool = True
    """Whether ``/metrics`` may be read."""
    clients: tuple[ClientSetting, ...] = ()
    is_read_only: bool = False
    """Whether nothing outside mecha-tui may be changed."""
    restarts: tuple[RestartSetting, ...] = ()

    def restart_command_for(self, url: str) -> tuple[tuple[str, ...], bool]:
        """Return the command that restarts a server, and whether a shell reads it.

        A server's own command goes before the one for all.
        """
        for wanted in (url, None):
            for one in self.restarts:
                if one.url == wanted:
                    return one.command, one.has_shell
        return (), False


def default_path() -> Path:
    """Return where the settings file lies on this platform."""
    import platformdirs  # not needed for --help

    return Path(platformdirs.user_config_dir("mecha-tui")) / "config.toml"


def load_settings(path: Path | None, environment: Mapping[str, str]) -> Settings:
    """Return the settings of file and environment.

    Args:
        path: A file the user named, which must exist; None for the usual place.
        environment: ``MECHA_TUI_URL`` (several apart by spaces) and ``MECHA_TUI_THEME``
            win over the file.

    Raises:
        UsageError: With file, key, reason and cure.
    """
    settings = Settings()
    place = path or default_path()
    if path is not None or os.path.exists(place):
        settings = parse_settings(read_toml(place), _shown(place), place.parent)
    urls = tuple(environment.get("MECHA_TUI_URL", "").split())
    if urls:
        settings = replace(settings, urls=urls, urls_source="MECHA_TUI_URL")
    theme = environment.get("MECHA_TUI_THEME") or settings.theme
    if theme not in THEMES:
        raise UsageError(f"MECHA_TUI_THEME is {theme!r}: set it to {' or '.join(THEMES)}")
    return replace(settings, theme=theme)


def parse_settings(table: Mapping[str, object], source: str, folder: Path) -> Settings:
    """Return the settings of one parsed file.

    Args:
        table: The file's content.
        source: The file's name for messages.
        folder: What relative paths in it start from.

    Raises:
        UsageError: A key is unknown or a value unusable.
    """
    known_keys = (
        "urls",
        "api_key_file",
        "interval_s",
        "theme",
        "gentle",
        "metrics",
        "clients",
        "read_only",
        *RESTART_KEYS,
        "servers",
    )
    _refuse_unknown(table, known_keys, source, "")
    urls = table.get("urls", [])
    if not isinstance(urls, list) or not all(isinstance(url, str) for url in urls):
        raise UsageError(
            f'{source}: urls must be a list of texts, such as ["http://127.0.0.1:8080"]'
        )
    key_file = table.get("api_key_file")
    if key_file is not None and not isinstance(key_file, str):
        raise UsageError(f"{source}: api_key_file must be a path in quotes")
    interval_s = table.get("interval_s", Settings().interval_s)
    if type(interval_s) not in (int, float):
        raise UsageError(f"{source}: interval_s must be a number of seconds")
    theme = table.get("theme", Settings().theme)
    if theme not in THEMES:
        raise UsageError(f"{source}: theme is {theme!r}: use {' or '.join(map(repr, THEMES))}")
    for name in ("gentle", "metrics"):
        if not isinstance(table.get(name, True), bool):
            raise UsageError(f"{source}: {name} must be true or false")
    clients = table.get("clients", {})
    if not isinstance(clients, dict):
        raise UsageError(f"{source}: clients must be tables such as [clients.aider]")
    is_read_only = table.get("read_only", False)
    if type(is_read_only) is not bool:
        raise UsageError(f"{source}: read_only must be true or false")
    return Settings(
        is_read_only=is_read_only,
        restarts=tuple(_restarts(table, source)),
        urls=tuple(urls),
        urls_source=f"{source}: urls",
        api_key_file=folder / Path(key_file).expanduser() if key_file else None,
        interval_s=checked_interval(float(str(interval_s)), f"{source}: interval_s"),
        theme=str(theme),
        gentle=table.get("gentle", Settings().gentle) is True,
        metrics=table.get("metrics", Settings().metrics) is True,
        clients=tuple(_client(name, value, source) for name, value in clients.items()),
    )


def _restarts(table: Mapping[str, object], source: str) -> Iterator[RestartSetting]:
    """Return the commands that restart servers: for all, and each ``[servers."URL"]``'s own."""
    if "restart_command" in table:
        yield _restart(table, None, source)
    servers = table.get("servers", {})
    if not isinstance(servers, dict):
        raise UsageError(f'{source}: servers must be tables such as [servers."http://…:8080"]')
    for url, value in servers.items():
        place = plain_text(f"{source} [servers.{url}]", PLACE_LIMIT)
        if not isinstance(value, dict):
            raise UsageError(f"{place} must be a table with restart_command")
        _refuse_unknown(value, RESTART_KEYS, source, f"[servers.{plain_text(url)}] ")
        if "restart_command" in value:
            yield _restart(value, url.rstrip("/"), place)


def _restart(table: Mapping[str, object], url: str | None, place: str) -> RestartSetting:
    command, has_shell = table["restart_command"], table.get("restart_shell", False)
    if type(has_shell) is not bool:
        raise UsageError(f"{place}: restart_shell must be true or false")
    if has_shell:
        if not isinstance(command, str) or not command.strip():
            raise UsageError(f"{place}: restart_command must be a text when restart_shell is true")
        return RestartSetting(url, (command,), has_shell=True)
    is_list = isinstance(command, list) and command and command[0]
    if not (isinstance(command, list) and is_list and all(isinstance(one, str) for one in command)):
        raise UsageError(
            f'{place}: restart_command must be a list of texts, such as ["systemctl", "restart", '
            '"llama.service"]'
        )
    return RestartSetting(url, tuple(command))


def _shown(path: Path) -> str:
    """Return a path as the user writes it."""
    home, text = os.path.expanduser("~"), str(path)
    return f"~{text[len(home) :]}" if text.startswith(home + os.sep) else text


def checked_interval(seconds: float, what: str) -> float:
    """Return an interval that is neither a strain on the server nor an eternity.

    Raises:
        UsageError: It is outside the bounds.
    """
    if not MIN_INTERVAL_S <= seconds <= MAX_INTERVAL_S:
        raise UsageError(
            f"{what} is {seconds:g}: use {MIN_INTERVAL_S:g} to {MAX_INTERVAL_S:g} seconds"
        )
    return seconds


def _client(name: str, value: object, source: str) -> ClientSetting:
    place = plain_text(f"{source} [clients.{name}]", PLACE_LIMIT)
    if not isinstance(value, dict):
        raise UsageError(f"{place} must be a table with context_window, max_tokens and the like")
    kinds = {
        "base_url": str,
        "context_window": int,
        "max_tokens": int,
        "thinking": bool,
        "compact_at_tokens": int,
        "vision": bool,
        "requests_at_once": int,
    }
    _refuse_unknown(value, tuple(kinds), source, f"[clients.{name}] ")
    for key, kind in kinds.items():
        if key in value and type(value[key]) is not kind:
            words = {str: "a text in quotes", int: "a whole number", bool: "true or false"}
            raise UsageError(f"{place} {key} must be {words[kind]}")
        if kind is int and key in value and value[key] <= 0:
            raise UsageError(f"{place} {key} is {value[key]}: it must be above 0")
    return ClientSetting(name, source=place, **value)


def _refuse_unknown(
    table: Mapping[str, object], known_keys: tuple[str, ...], source: str, place: str
) -> None:
    for key in table:
        if key not in known_keys:
            near = difflib.get_close_matches(key, known_keys, 1)
            hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(known_keys)}"
            raise UsageError(f"{source}: {place}{key} is not a setting: {hint}")
