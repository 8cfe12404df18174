"""``GET /props``: which model answers, with how many slots of which size."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mecha_tui.collect.wire.fields import boolean, integer, mapping, parameters, read_json, text
from mecha_tui.core.server import Props, Role

_MARKS = frozenset({"total_slots", "default_generation_settings", "build_info", "model_path"})
_THINKING_MARKS = ("<think>", "enable_thinking", "reasoning_content", "[THINK]", "<|channel|>")
_THINKING_HINT = re.compile("think|thought|reason|channel", re.I)
_UNKNOWN_BUILD = re.compile(r"(b0-)?unknown|b0-?", re.I)
"""What is compiled in where neither a number nor a commit was at hand."""
_SLOT_FIELDS = frozenset({"id", "id_task", "is_processing", "n_ctx", "next_token", "params"})


def parse_props(body: bytes) -> Props | None:
    """Return what the server says about itself; None for a reply of another shape."""
    payload = read_json(body)
    if not isinstance(payload, dict) or _MARKS.isdisjoint(payload):
        return None
    role = Role.ROUTER if payload.get("role") == "router" else Role.MODEL
    settings = mapping(payload.get("default_generation_settings"))
    modalities = mapping(payload.get("modalities"))
    path = text(payload.get("model_path"), 1000)
    return Props(
        role=role,
        model_alias=text(payload.get("model_alias")),
        model_path=None if role is Role.ROUTER and path == "none" else path,
        quantization=text(payload.get("model_ftype")),
        build=_build(payload.get("build_info")),
        slot_count=integer(payload.get("total_slots"), 1),
        slot_window_tokens=integer(settings.get("n_ctx"), 1),
        is_sleeping=boolean(payload.get("is_sleeping")),
        has_slots_endpoint=boolean(payload.get("endpoint_slots")),
        has_metrics_endpoint=boolean(payload.get("endpoint_metrics")),
        sees_images=boolean(modalities.get("vision")),
        hears_audio=boolean(modalities.get("audio")),
        default_parameters=_default_parameters(settings),
        thinks=_thinks(payload),
    )


def _build(value: object) -> str | None:
    label = text(value)
    return None if label is None or _UNKNOWN_BUILD.fullmatch(label) else label


def _default_parameters(settings: Mapping[str, object]) -> dict[str, object]:
    if "params" in settings:
        return parameters(settings["params"])
    return parameters({name: settings[name] for name in settings if name not in _SLOT_FIELDS})


def _thinks(payload: Mapping[str, object]) -> bool | None:
    """Return whether the model thinks, where its chat template leaves no doubt."""
    template = payload.get("chat_template")
    if type(template) is not str or not template:
        return None
    if any(mark in template for mark in _THINKING_MARKS):
        return True
    return None if _THINKING_HINT.search(template) else False
