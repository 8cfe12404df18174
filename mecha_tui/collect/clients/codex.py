"""Codex's settings: ``config.toml`` in ``$CODEX_HOME``, and the project's, merged.

The address is the chosen provider's ``base_url``, the promise ``model_context_window``
and ``model_max_output_tokens``; a profile may replace any of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from mecha_tui.collect.clients.documents import parse_toml, read_document
from mecha_tui.collect.clients.endpoint import Endpoint, Settings, Told, promise_of
from mecha_tui.collect.clients.values import as_table
from mecha_tui.core.client import ClientPromise, Promise
from mecha_tui.core.text import plain_text

NAME = "codex"
_KEYS = {
    Promise.CONTEXT_WINDOW: "model_context_window",
    Promise.MAX_TOKENS: "model_max_output_tokens",
    Promise.COMPACT_AT: "model_auto_compact_token_limit",
    Promise.MODEL: "model",
}

_Placed = dict[str, tuple[object, str]]
"""Values by key, each with its place."""


def read_codex(environment: Mapping[str, str], home: Path, folder: Path) -> Settings:
    """Return the provider that Codex uses, and those that its profiles use."""
    own = environment.get("CODEX_HOME")
    user = (Path(own) if own else home / ".codex") / "config.toml"
    documents = [
        document
        for path in (user, folder / ".codex" / "config.toml")
        if (document := read_document(path, home, parse_toml)) is not None
    ]
    main: _Placed = {}
    profiles: dict[str, _Placed] = {}
    bases: dict[str, str] = {}
    for document in documents:
        main |= {key: (value, document.shown) for key, value in document.table.items()}
        for name, table in as_table(document.table.get("model_providers")).items():
            url = as_table(table).get("base_url")
            if isinstance(url, str):
                bases[name] = url
        for name, table in as_table(document.table.get("profiles")).items():
            place = plain_text(f"{document.shown} [profiles.{name}]")
            told = {key: (value, place) for key, value in as_table(table).items()}
            profiles.setdefault(name, {}).update(told)
    chosen = {NAME: main, **{f"{NAME} {name}": main | own for name, own in profiles.items()}}
    unread = tuple((NAME, one) for one in documents if one.problem is not None)
    return Settings(tuple(_endpoints(chosen, bases)), unread)


def _endpoints(chosen: Mapping[str, _Placed], bases: Mapping[str, str]) -> Iterator[Endpoint]:
    for name, values in chosen.items():
        provider, _ = values.get("model_provider", (None, ""))
        if isinstance(provider, str) and provider in bases:
            yield Endpoint(bases[provider], _promise(name, values))


def _promise(name: str, values: _Placed) -> ClientPromise:
    home_place = values["model_provider"][1]
    told = {}
    for promise, key in _KEYS.items():
        value, place = values.get(key, (None, home_place))
        told[promise] = Told(value, place, f"{key} = {{}}")
    return promise_of(name, NAME, told)
