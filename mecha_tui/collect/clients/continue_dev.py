"""Continue's settings: ``config.yaml``, or the older ``config.json``, in ``~/.continue``.

Each of its models has an address (``apiBase``) and a promise: ``contextLength`` and
``maxTokens`` among its completion options.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from mecha_tui.collect.clients.documents import Document, parse_json, parse_yaml, read_document
from mecha_tui.collect.clients.endpoint import Endpoint, Settings, Told, promise_of
from mecha_tui.collect.clients.values import as_table
from mecha_tui.core.client import Promise
from mecha_tui.core.text import plain_text

NAME = "continue"
_WRITING_ROLES = {"chat", "edit", "apply", "summarize", "autocomplete"}


def read_continue(environment: Mapping[str, str], home: Path, folder: Path) -> Settings:
    """Return every model that writes; models for embeddings and ranking promise nothing."""
    del folder
    own = environment.get("CONTINUE_GLOBAL_DIR")
    place = Path(own) if own else home / ".continue"
    document = read_document(place / "config.yaml", home, parse_yaml) or read_document(
        place / "config.json", home, parse_json
    )
    if document is None:
        return Settings()
    if document.problem is not None:
        return Settings((), ((NAME, document),))
    return Settings(tuple(_endpoints(document)))


def _endpoints(document: Document) -> Iterator[Endpoint]:
    models = document.table.get("models")
    for model in models if isinstance(models, list) else []:
        table = as_table(model)
        base, roles = table.get("apiBase"), table.get("roles")
        if isinstance(roles, list) and not _WRITING_ROLES & {str(role) for role in roles}:
            continue
        if isinstance(base, str):
            yield Endpoint(base, promise_of(*_told(document, table)))


def _told(document: Document, table: Mapping[str, object]) -> tuple[str, str, dict[Promise, Told]]:
    name = plain_text(str(table.get("name", table.get("title", "model"))))
    place = f"{document.shown} models {name}"
    options = {
        **as_table(table.get("completionOptions")),
        **as_table(table.get("defaultCompletionOptions")),
    }
    window = options.get("contextLength", table.get("contextLength"))
    is_json = document.path.suffix == ".json"
    line = '"{}": {{}}' if is_json else "{}: {{}}"
    return (
        f"{NAME} {name}",
        NAME,
        {
            Promise.MODEL: Told(table.get("model"), place, line.format("model")),
            Promise.CONTEXT_WINDOW: Told(window, place, line.format("contextLength")),
            Promise.MAX_TOKENS: Told(options.get("maxTokens"), place, line.format("maxTokens")),
        },
    )
