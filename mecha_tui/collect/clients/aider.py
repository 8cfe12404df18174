"""Aider's settings: ``.aider.conf.yml`` for the address, and a file of model sizes beside it.

Sizes stand in ``.aider.model.metadata.json``, by the model's full name.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from mecha_tui.collect.clients.documents import Document, parse_json, parse_yaml, read_document
from mecha_tui.collect.clients.endpoint import Endpoint, Settings, Told, promise_of
from mecha_tui.collect.clients.values import as_table
from mecha_tui.core.client import Promise

NAME = "aider"
_CONFIG, _SIZES = ".aider.conf.yml", ".aider.model.metadata.json"
_VARIABLES = ("AIDER_OPENAI_API_BASE", "OPENAI_API_BASE")


def read_aider(environment: Mapping[str, str], home: Path, folder: Path) -> Settings:
    """Return the one server that Aider is set up for."""
    places = (home, folder)
    configs = _documents(places, _CONFIG, home)
    sizes = _documents(places, _SIZES, home)
    unread = tuple((NAME, one) for one in (*configs, *sizes) if one.problem is not None)
    base = next((environment[name] for name in _VARIABLES if environment.get(name)), None)
    model: object = environment.get("AIDER_MODEL")
    for document in configs:
        if base is None or "openai-api-base" in document.table:
            told = document.table.get("openai-api-base", base)
            base = told if isinstance(told, str) else base
        model = document.table.get("model", model)
    if base is None or not isinstance(model, str):
        return Settings((), unread)
    return Settings((Endpoint(base, promise_of(NAME, NAME, _told(model, sizes, configs))),), unread)


def _documents(places: tuple[Path, ...], name: str, home: Path) -> list[Document]:
    parse = parse_json if name.endswith(".json") else parse_yaml
    paths = dict.fromkeys(place / name for place in places)
    return [one for path in paths if (one := read_document(path, home, parse)) is not None]


def _told(model: str, sizes: list[Document], configs: list[Document]) -> dict[Promise, Told]:
    table: Mapping[str, object] = {}
    place = f"~/{_SIZES}"
    for document in sizes:
        if model in document.table:
            table, place = as_table(document.table[model]), document.shown
    output = table.get("max_output_tokens", table.get("max_tokens"))
    config = configs[-1].shown if configs else "the environment"
    return {
        Promise.CONTEXT_WINDOW: Told(
            table.get("max_input_tokens"), place, '"max_input_tokens": {}'
        ),
        Promise.MAX_TOKENS: Told(output, place, '"max_output_tokens": {}'),
        Promise.MODEL: Told(model.removeprefix("openai/"), config, "model: openai/{}"),
        Promise.REQUESTS_AT_ONCE: Told(1, "one conversation at a time", "{}"),
    }
