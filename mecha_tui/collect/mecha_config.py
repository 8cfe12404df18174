"""mecha's settings in their layers: which providers it has, and what it promises each."""

from __future__ import annotations

import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mecha_tui.collect.clients.reach import is_private, is_same_place
from mecha_tui.collect.clients.values import Found, Table, as_table, read_value
from mecha_tui.core.client import (
    COMPACTION_DERIVED,
    SILENT,
    ClientPromise,
    ConfigKey,
    Promise,
    Setting,
)
from mecha_tui.core.reading import Reading, known, unknown
from mecha_tui.core.text import plain_text
from mecha_tui.errors import UsageError
from mecha_tui.toml_file import read_toml

DEFAULTS_PLACE = "mecha's default"
MAX_TOKENS_DEFAULT = 64_000
REQUESTS_AT_ONCE_DEFAULT = 4
"""How many requests ``mecha batch`` and ``mecha eval`` send at once."""
OWN_KIND = "local"
LOCAL_KINDS = ("openai-compatible", OWN_KIND)
"""Kinds of provider that speak to a server of one's own."""

_FILE, _PROJECT_FILE = "config.toml", "mecha.toml"


@dataclass(frozen=True, slots=True)
class Provider:
    """One ``[providers.NAME]``, merged over all layers."""

    name: str
    table: Table

    @property
    def base_url(self) -> str | None:
        """Where it speaks to; None when it does not say."""
        return read_value(self.table, "base_url", str).value

    @property
    def kind(self) -> str | None:
        """What it speaks; None when it does not say."""
        return read_value(self.table, "kind", str).value

    @property
    def is_local(self) -> bool:
        """Whether its kind speaks to a server of one's own."""
        return self.kind in LOCAL_KINDS


@dataclass(frozen=True, slots=True)
class MechaConfig:
    """mecha's settings as its layers add up."""

    providers: tuple[Provider, ...] = ()
    agent: Table | None = None
    active_provider: str | None = None
    model_override: Found | None = None
    """``MECHA_MODEL``, which replaces the model of the active provider."""
    home_file: str = ""
    """The user's own file, where a value that no layer holds would be written."""
    home_shown: str = ""
    """The same as the user writes it."""
    problems: tuple[str, ...] = ()
    """What is wrong with a file, each as a sentence; the values of such a file are unknown."""


def read_mecha_config(environment: Mapping[str, str], home: Path, folder: Path) -> MechaConfig:
    """Return mecha's settings.

    Args:
        environment: For ``MECHA_HOME``, ``MECHA_PROVIDER`` and ``MECHA_MODEL``.
        home: The user's home folder.
        folder: The working directory, whose ``mecha.toml`` wins over the user's file.
    """
    own = environment.get("MECHA_HOME")
    paths = ((Path(own) if own else home / ".mecha") / _FILE, folder / _PROJECT_FILE)
    shown = (_shown(paths[0], home), _PROJECT_FILE)
    providers: dict[str, dict[str, Found]] = {}
    agent: dict[str, Found] = {}
    active, problems = None, []
    for path, name in zip(paths, shown, strict=True):
        try:
            layer = {} if _is_absent(path) else read_toml(path)
        except UsageError as error:
            problems.append(plain_text(str(error).replace(str(path), name)))
            continue
        active = layer.get("default_provider", active)
        agent |= _found(layer.get("agent"), f"{name} [agent]", path)
        for key, table in as_table(layer.get("providers")).items():
            place = f"{name} [providers.{plain_text(key)}]"
            providers.setdefault(key, {}).update(_found(table, place, path))
    active = environment.get("MECHA_PROVIDER") or active
    model = environment.get("MECHA_MODEL")
    return MechaConfig(
        tuple(Provider(name, table) for name, table in providers.items()),
        agent,
        active if isinstance(active, str) else None,
        Found(model, "environment MECHA_MODEL") if model else None,
        str(paths[0]),
        shown[0],
        tuple(problems),
    )


def local_providers(environment: Mapping[str, str], home: Path, folder: Path) -> tuple[str, ...]:
    """Return the addresses of mecha's providers that are servers of one's own.

    A provider that is merely compatible may be a service on the internet, which nobody
    asked to have watched; it counts only at an address of this machine or network.
    """
    config = read_mecha_config(environment, home, folder)
    return tuple(
        provider.base_url
        for provider in config.providers
        if provider.base_url is not None
        and provider.is_local
        and (provider.kind == OWN_KIND or is_private(provider.base_url))
    )


def mecha_clients(config: MechaConfig, url: str) -> tuple[ClientPromise, ...]:
    """Return what mecha promises itself of one server, for each provider that reaches it."""
    if config.problems:
        return (_unreadable(config.problems),)
    return tuple(
        _promise(config, provider)
        for provider in config.providers
        if provider.base_url is not None and is_same_place(provider.base_url, url)
    )


def _promise(config: MechaConfig, provider: Provider) -> ClientPromise:
    agent = config.agent or {}
    window = read_value(provider.table, "context_window", int)
    limit = read_value(agent, "max_tokens", int)
    if limit.reason == SILENT:
        limit = known(MAX_TOKENS_DEFAULT, DEFAULTS_PLACE)
    thinking = read_value(agent, "thinking", bool)
    if thinking.reason == SILENT:
        thinking = known(True, DEFAULTS_PLACE)
    table = _with_override(config, provider)
    return ClientPromise(
        name=plain_text(provider.name),
        context_window=window,
        max_tokens=limit,
        compact_at_tokens=_compaction(read_value(agent, "compact_at_tokens", int), window),
        model=read_value(table, "model", str),
        vision=read_value(table, "vision", bool),
        thinking=thinking,
        requests_at_once=known(REQUESTS_AT_ONCE_DEFAULT, DEFAULTS_PLACE),
        settings=_settings(config, provider),
    )


def _with_override(config: MechaConfig, provider: Provider) -> Table:
    """Return a provider's values with the model that the environment puts in place of its own."""
    if config.model_override is None or config.active_provider != provider.name:
        return provider.table
    return {**provider.table, "model": config.model_override}


def _compaction(told: Reading[int], window: Reading[int]) -> Reading[int]:
    if told.reason == SILENT and window.value is not None:
        return known(window.value * 2 // 3, COMPACTION_DERIVED)
    return told


def _settings(config: MechaConfig, provider: Provider) -> Mapping[Promise, Setting]:
    agent = config.agent or {}
    in_provider = (Promise.CONTEXT_WINDOW, Promise.MODEL, Promise.VISION)
    table = _with_override(config, provider)
    in_agent = (Promise.MAX_TOKENS, Promise.COMPACT_AT, Promise.THINKING)
    settings = {
        promise: _setting(config, table, ("providers", provider.name), promise)
        for promise in in_provider
    }
    for promise in in_agent:
        settings[promise] = _setting(config, agent, ("agent",), promise)
    settings[Promise.REQUESTS_AT_ONCE] = Setting("--concurrency {}", "mecha batch and mecha eval")
    return settings


def _setting(config: MechaConfig, table: Table, path: tuple[str, ...], promise: Promise) -> Setting:
    """Return where a value stands; one that is absent goes into the user's own file."""
    key = promise.value
    found = table.get(key)
    if found is None:
        place = f"{config.home_shown} [{plain_text('.'.join(path))}]"
        return Setting(f"{key} = {{}}", place, ConfigKey(config.home_file, path, key))
    if not found.file:
        return Setting("MECHA_MODEL={}", found.place)
    return Setting(f"{key} = {{}}", found.place, ConfigKey(found.file, path, key))


def _unreadable(problems: tuple[str, ...]) -> ClientPromise:
    number: Reading[int] = unknown("; ".join(problems))
    text: Reading[str] = unknown("; ".join(problems))
    switch: Reading[bool] = unknown("; ".join(problems))
    return ClientPromise("mecha", number, number, number, text, switch, switch, number)


def _is_absent(path: Path) -> bool:
    """Whether there is no file, as against one that may not be seen.

    Raises:
        UsageError: It is a pipe or a device, which might never end.
    """
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise UsageError(f"{path} is no plain file")
    return False


def _found(value: object, place: str, path: Path) -> dict[str, Found]:
    return {key: Found(one, place, str(path)) for key, one in as_table(value).items()}


def _shown(path: Path, home: Path) -> str:
    """Return a path as the user writes it."""
    try:
        return plain_text(f"~/{path.relative_to(home)}")
    except ValueError:
        return plain_text(str(path))
