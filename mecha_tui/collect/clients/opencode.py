"""opencode's settings: ``opencode.json``, the user's and the project's, merged.

Of each provider the address stands in ``options.baseURL`` (``settings.baseURL`` in newer
files), of each of its models the promise in ``limit.context`` and ``limit.output``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from mecha_tui.collect.clients.documents import Document, parse_json, read_document
from mecha_tui.collect.clients.endpoint import Endpoint, Settings, Told, promise_of
from mecha_tui.collect.clients.values import as_table
from mecha_tui.core.client import ClientPromise, Promise
from mecha_tui.core.text import plain_text

NAME = "opencode"
_FILES = ("config.json", "opencode.json", "opencode.jsonc")
_VARIABLE = re.compile(r"\{env:(\w+)\}")


def read_opencode(environment: Mapping[str, str], home: Path, folder: Path) -> Settings:
    """Return every model of every provider that opencode's files name."""
    documents = [
        document
        for path in _paths(environment, home, folder)
        if (document := read_document(path, home, parse_json)) is not None
    ]
    merged: dict[tuple[str, str], Endpoint] = {}
    bases: dict[str, str] = {}
    for document in documents:
        for provider, table in _providers(document):
            base = _base_url(table, environment) or bases.get(provider)
            if base is None:
                continue
            bases[provider] = base
            for model, settings in _models(table):
                promise = _promise(document, provider, model, settings)
                merged[provider, model] = Endpoint(base, promise)
    unread = tuple((NAME, one) for one in documents if one.problem is not None)
    return Settings(tuple(merged.values()), unread)


def _paths(environment: Mapping[str, str], home: Path, folder: Path) -> Iterator[Path]:
    """Return where the files may lie, the one that counts most last."""
    shared = environment.get("XDG_CONFIG_HOME")
    user = (Path(shared) if shared else home / ".config") / "opencode"
    yield from (user / name for name in _FILES)
    named = environment.get("OPENCODE_CONFIG")
    if named:
        yield Path(named)
    for place in reversed(_project_folders(folder)):
        yield from (place / name for name in _FILES[1:])


def _project_folders(folder: Path) -> list[Path]:
    """Return the folders from here up to the repository's root; without one only this."""
    upward = [folder, *folder.parents]
    for depth, place in enumerate(upward):
        try:
            is_root = (place / ".git").exists()
        except OSError:
            break
        if is_root:
            return upward[: depth + 1]
    return [folder]


def _providers(document: Document) -> Iterator[tuple[str, Mapping[str, object]]]:
    for key in ("provider", "providers"):
        for name, table in as_table(document.table.get(key)).items():
            yield name, as_table(table)


def _base_url(table: Mapping[str, object], environment: Mapping[str, str]) -> str | None:
    for key in ("options", "settings"):
        url = as_table(table.get(key)).get("baseURL")
        if isinstance(url, str):
            return _VARIABLE.sub(lambda found: environment.get(found[1], ""), url)
    return None


def _models(table: Mapping[str, object]) -> Iterator[tuple[str, Mapping[str, object]]]:
    for name, settings in as_table(table.get("models")).items():
        yield name, as_table(settings)


def _promise(
    document: Document, provider: str, model: str, settings: Mapping[str, object]
) -> ClientPromise:
    place = plain_text(f"{document.shown} provider.{provider}.models.{model}.limit")
    limit = as_table(settings.get("limit"))
    return promise_of(
        f"{NAME} {provider}/{model}",
        f"{NAME} {provider}",
        {
            Promise.CONTEXT_WINDOW: Told(limit.get("context"), place, '"context": {}'),
            Promise.MAX_TOKENS: Told(limit.get("output"), place, '"output": {}'),
            Promise.MODEL: Told(settings.get("id", model), place, '"id": {}'),
        },
    )
