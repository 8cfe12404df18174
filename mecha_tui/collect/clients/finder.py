"""Every client that speaks to a server, from all the places that are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from mecha_tui.collect.clients.by_hand import ToldByHand, hand_clients
from mecha_tui.collect.mecha_config import mecha_clients, read_mecha_config
from mecha_tui.core.client import ClientPromise


def client_finder(
    told: Sequence[ToldByHand],
    environment: Mapping[str, str],
    home: Path,
    folder: Path,
    only: str | None = None,
) -> Callable[[str], tuple[ClientPromise, ...]]:
    """Return what finds the clients of a server: those told by hand first, then mecha's.

    Args:
        told: Clients told by hand.
        environment: Where clients look for their own settings.
        home: The user's home folder.
        folder: The working directory.
        only: The name of the one client to find; None for all.
    """

    def find(url: str) -> tuple[ClientPromise, ...]:
        config = read_mecha_config(environment, home, folder)
        found = (*hand_clients(told, url), *mecha_clients(config, url))
        return tuple(one for one in found if only is None or one.name == only)

    return find
