"""``GET /health``: whether anybody is there. Its slot counts of old builds are not read."""

from __future__ import annotations

from mecha_tui.collect.wire.fields import read_json


def parse_health(body: bytes) -> bool | None:
    """Return True for a llama-server that answers; None for a reply of another shape."""
    payload = read_json(body)
    if not isinstance(payload, dict):
        return None
    return True if payload.get("status") in ("ok", "no slot available") else None
