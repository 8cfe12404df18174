"""What every command needs before it can look: settings, servers, sources, a sampler."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from mecha_tui.config import ClientSetting, Settings, checked_interval, load_settings
from mecha_tui.core.sample import Sampler
from mecha_tui.errors import UsageError

if TYPE_CHECKING:
    from mecha_tui.collect.manners import Manners
    from mecha_tui.collect.target import Target
    from mecha_tui.core.restart import Method, Restarter

T = TypeVar("T")

KEY_LIMIT_BYTES = 10_000


def settings_of(options: argparse.Namespace) -> Settings:
    """Return the settings, flags over environment over file.

    Raises:
        UsageError: With flag, variable or file, reason and cure.
    """
    settings = load_settings(options.config, os.environ)
    if options.url:
        settings = replace(settings, urls=tuple(options.url), urls_source="--url")
    if options.api_key_file:
        settings = replace(settings, api_key_file=options.api_key_file)
    if options.interval is not None:
        settings = replace(settings, interval_s=checked_interval(options.interval, "--interval"))
    if options.gentle is not None:
        settings = replace(settings, gentle=options.gentle)
    if options.theme:
        settings = replace(settings, theme=options.theme)
    if options.read_only:
        settings = replace(settings, is_read_only=True)
    if options.context_window or options.max_tokens:
        by_hand = ClientSetting(
            name="your client",
            context_window=options.context_window,
            max_tokens=options.max_tokens,
            source="the command line",
        )
        settings = replace(settings, clients=(by_hand, *settings.clients))
    return settings


def api_key(settings: Settings) -> str | None:
    """Return the API key of file or environment; None when there is none.

    Raises:
        UsageError: The key file cannot be read, or holds no single line of plain text.
    """
    if settings.api_key_file is None:
        return _checked_key(os.environ.get("LLAMA_API_KEY", ""), "LLAMA_API_KEY")
    try:
        with settings.api_key_file.open("rb") as file:
            raw = file.read(KEY_LIMIT_BYTES)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UsageError(
            f"the API key file {settings.api_key_file} cannot be read ({reason}): check its path"
        ) from None
    return _checked_key(raw.decode("utf-8", "replace"), str(settings.api_key_file))


def _checked_key(text: str, place: str) -> str | None:
    """Return a key that fits in one HTTP header; its text never enters a message."""
    key = text.strip()
    if key and not (key.isascii() and key.isprintable()):
        raise UsageError(f"{place} does not hold one line of plain ASCII text: write only the key")
    return key or None


def _from(place: str, parse: Callable[[str], T], text: str) -> T:
    """Return what a text means, or say where the one stands that means nothing."""
    try:
        return parse(text)
    except UsageError as error:
        raise UsageError(f"{place}: {error}") from None


def _folders() -> tuple[Path, Path]:
    """Return the home and the working folder; either may be gone, and then holds no file."""
    try:
        home = Path.home()
    except RuntimeError:
        home = Path(os.devnull)
    try:
        here = Path.cwd()
    except OSError:
        here = Path(os.devnull)
    return home, here


def targets_of(settings: Settings, manners: Manners | None = None) -> list[Target]:
    """Return the servers that the settings name, or which are found, each with its key.

    Raises:
        UsageError: An address or the key cannot be used.
    """
    from mecha_tui.collect.address import parse_address
    from mecha_tui.collect.discovery import find_servers
    from mecha_tui.collect.http import ApiKey
    from mecha_tui.collect.manners import USUAL
    from mecha_tui.collect.mecha_config import local_providers
    from mecha_tui.collect.target import Target

    told = api_key(settings)
    key = ApiKey(told) if told else None
    urls = settings.urls or find_servers(local_providers(os.environ, *_folders()))
    addresses = [_from(settings.urls_source, parse_address, url) for url in urls]
    return [
        Target(one, key if settings.urls or one.is_loopback else None, manners or USUAL)
        for one in addresses
    ]


def _newcomers(settings: Settings, manners: Manners) -> Callable[[], list[Target]] | None:
    """Return what finds servers that start later; None where the user has named all."""
    from mecha_tui.collect.discovery import running_servers
    from mecha_tui.collect.mecha_config import local_providers

    if settings.urls or manners.is_once or local_providers(os.environ, *_folders()):
        return None

    def find() -> list[Target]:
        running = tuple(running_servers())
        return targets_of(replace(settings, urls=running), manners) if running else []

    return find


def restart_keys(settings: Settings) -> list[str]:
    """Return the keys of the servers that are watched, in their order.

    Raises:
        UsageError: An address or the key cannot be used.
    """
    return [target.address.url for target in targets_of(settings)]


def make_restarter(settings: Settings, wanted: Method | None = None) -> Restarter:
    """Return what restarts the servers that are watched.

    Args:
        settings: What is watched, and how it is restarted.
        wanted: The way the user asks for; None for that of the server's owner.
    """
    from mecha_tui.collect.address import parse_address
    from mecha_tui.collect.target import Target
    from mecha_tui.control.restart.facts import Configured
    from mecha_tui.control.restart.journal import state_folder
    from mecha_tui.control.restart.restarter import LocalRestarter

    by_url = {target.address.url: target for target in targets_of(settings)}

    def target_of(url: str) -> Target:
        return by_url.get(url) or Target(parse_address(url))

    def configured_for(url: str) -> Configured:
        return Configured(*settings.restart_command_for(url))

    return LocalRestarter(
        target_of,
        configured_for,
        state_folder(),
        wanted=wanted,
        is_read_only=settings.is_read_only,
    )


def make_sampler(
    settings: Settings, *, client: str | None = None, is_once: bool = False
) -> Sampler:
    """Return the sampler that looks at the servers which the settings name, or which are found.

    The key goes to the servers that the user named, and else only to this machine's own.

    Args:
        settings: What to watch, and with which key.
        client: The name of the one client to judge; None for all.
        is_once: Whether it is for a single report, which may be one of many in a loop.

    Raises:
        UsageError: An address or the key cannot be used.
    """
    # The collectors import httpx, psutil and pynvml: slow, and not needed for --help.
    from mecha_tui.collect.address import parse_address
    from mecha_tui.collect.clients.finder import client_finder
    from mecha_tui.collect.computing import cpu_s
    from mecha_tui.collect.manners import Manners
    from mecha_tui.collect.memory.reader import MemoryReader
    from mecha_tui.collect.process import LocalProcesses
    from mecha_tui.collect.router_models import RouterModels
    from mecha_tui.collect.sampler import HttpSampler

    manners = Manners(settings.gentle, is_once, settings.metrics)
    home, here = _folders()
    targets = targets_of(settings, manners)
    for one in settings.clients:
        if one.base_url is not None:
            _from(f"{one.source} base_url", parse_address, one.base_url)
    return HttpSampler(
        targets,
        processes=LocalProcesses(),
        clients=client_finder(settings.clients, os.environ, home, here, client),
        memory=MemoryReader().read,
        launch=RouterModels(),
        cpu=cpu_s,
        discover=_newcomers(settings, manners),
    )
