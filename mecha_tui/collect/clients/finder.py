"""Every client that speaks to a server, from all the places that are known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from mecha_tui.collect.clients.aider import read_aider
from mecha_tui.collect.clients.by_hand import ToldByHand, hand_clients
from mecha_tui.collect.clients.codex import read_codex
from mecha_tui.collect.clients.continue_dev import read_continue
from mecha_tui.collect.clients.endpoint import unread_promise
from mecha_tui.collect.clients.opencode import read_opencode
from mecha_tui.collect.clients.reach import is_same_place, place_of
from mecha_tui.collect.mecha_config import mecha_clients, read_mecha_config
from mecha_tui.core.client import ClientPromise

_READERS = (read_opencode, read_codex, read_continue, read_aider)


def client_finder(
    told: Sequence[ToldByHand],
    environment: Mapping[str, str],
    home: Path,
    folder: Path,
    only: str | None = None,
) -> Callable[[str], tuple[ClientPromise, ...]]:
    """Return what finds the clients of a server: told by hand, then mecha's, then others'.

    Args:
        told: Clients told by hand.
        environment: Where clients look for their own settings.
        home: The user's home folder.
        folder: The working directory.
        only: The name of the one client to find; None for all.
    """

    def find(url: str) -> tuple[ClientPromise, ...]:
        config = read_mecha_config(environment, home, folder)
        found = (
            *hand_clients(told, url),
            *mecha_clients(config, url),
            *_others(url, environment, home, folder),
        )
        return tuple(one for one in found if only is None or one.name == only)

    return find


def _others(
    url: str, environment: Mapping[str, str], home: Path, folder: Path
) -> Iterator[ClientPromise]:
    """Return clients that are not mecha; a broken file counts where it names the port."""
    place = place_of(url)
    for read in _READERS:
        settings = read(environment, home, folder)
        for endpoint in settings.endpoints:
            if is_same_place(endpoint.base_url, url):
                yield endpoint.promise
        for name, document in settings.unread:
            if place is not None and f":{place[1]}" in document.text:
                yield unread_promise(name, document)
