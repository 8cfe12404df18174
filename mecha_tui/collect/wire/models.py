"""``GET /v1/models`` of a server, and ``GET /models`` of a router."""

from __future__ import annotations

from collections.abc import Mapping

from mecha_tui.collect.wire.fields import integer, mapping, read_json, text
from mecha_tui.core.command_line import preset_arguments
from mecha_tui.core.secrets import masked_arguments
from mecha_tui.core.server import Model
from mecha_tui.core.text import plain_text

_MODEL_LIMIT = 2000
_ARGUMENT_LIMIT = 1000
_PRESET_LIMIT = 100_000


def parse_models(body: bytes) -> tuple[Model, ...] | None:
    """Return the models in the server's order; None for a reply of another shape."""
    payload = read_json(body)
    if not isinstance(payload, dict) or not isinstance(payload.get("data"), list):
        return None
    described = payload.get("models")
    capabilities = {
        entry.get("model") or entry.get("name"): entry.get("capabilities")
        for entry in (described if isinstance(described, list) else [])[:_MODEL_LIMIT]
        if isinstance(entry, dict) and isinstance(entry.get("model") or entry.get("name"), str)
    }
    entries = [entry for entry in payload["data"][:_MODEL_LIMIT] if isinstance(entry, dict)]
    models = (
        _model(entry, capabilities.get(entry.get("id")))
        for entry in entries
        if isinstance(entry.get("id"), str)
    )
    return tuple(model for model in models if model is not None)


def parse_running(body: bytes) -> tuple[Model, ...] | None:
    """Return what ``GET /running`` of llama-swap lists; None for a reply of another shape."""
    payload = read_json(body)
    listed = payload.get("running") if isinstance(payload, dict) else None
    if not isinstance(listed, list):
        return None
    entries = [entry for entry in listed[:_MODEL_LIMIT] if isinstance(entry, dict)]
    named = ((text(entry.get("model")), text(entry.get("state"))) for entry in entries)
    return tuple(Model(model_id=name, status=status) for name, status in named if name)


def _model(entry: Mapping[str, object], capabilities: object) -> Model | None:
    name = text(entry.get("id"))
    if name is None:
        return None
    status, meta = mapping(entry.get("status")), mapping(entry.get("meta"))
    return Model(
        model_id=name,
        status=text(status.get("value")),
        arguments=_arguments(status),
        slot_window_tokens=integer(meta.get("n_ctx"), 1),
        training_window_tokens=integer(meta.get("n_ctx_train"), 1),
        file_bytes=integer(meta.get("size"), 1),
        capabilities=_words(capabilities),
        exit_code=_exit_code(status),
    )


def _arguments(status: Mapping[str, object]) -> tuple[str, ...] | None:
    """Return a model's command line, or what its preset makes of one."""
    value, preset = status.get("args"), status.get("preset")
    if not isinstance(value, list):
        if not isinstance(preset, str):
            return None
        value = list(preset_arguments(preset[:_PRESET_LIMIT]))
    words = [word for word in value[:_ARGUMENT_LIMIT] if isinstance(word, str)]
    return tuple(plain_text(word, 4000) for word in masked_arguments(words))


def _words(value: object) -> tuple[str, ...]:
    words = value if isinstance(value, list) else []
    return tuple(plain_text(word) for word in words[:50] if isinstance(word, str))


def _exit_code(status: Mapping[str, object]) -> int | None:
    if status.get("failed") is not True:
        return None
    return integer(status.get("exit_code"), -(2**31))
