"""Chooses the made-up model whose speed can be watched on this machine, fast or slow."""

from __future__ import annotations

import http.client
import json
import math
import urllib.parse
from dataclasses import dataclass

READING_TOKENS_PER_S = 6000.0
"""How fast a short prompt should be read: a long one then takes some seconds."""
_PROBE_TOKENS = 500
_PATIENCE_S = 60.0


@dataclass(frozen=True, slots=True)
class ModelSize:
    """How large a made-up model is, and so how slow."""

    embedding: int
    blocks: int
    reading_cost: float = 1.0
    """Time it takes to read a prompt, measured against the others'."""

    @property
    def name(self) -> str:
        """What the model is called, in its file and on the screen."""
        return f"made-up-{self.embedding}x{self.blocks}"


USUAL = ModelSize(256, 4, 1.0)
SIZES = (
    ModelSize(64, 2, 0.1),
    ModelSize(128, 3, 0.28),
    USUAL,
    ModelSize(384, 6, 3.1),
    ModelSize(512, 8, 7.1),
)


def fitting_size(measured_tokens_per_s: float, measured: ModelSize) -> ModelSize:
    """Return the size that comes nearest to the wanted speed.

    Args:
        measured_tokens_per_s: How fast a short prompt was read, above zero.
        measured: By which model.
    """
    unit_speed = measured_tokens_per_s * measured.reading_cost

    def distance(size: ModelSize) -> float:
        return abs(math.log(unit_speed / size.reading_cost / READING_TOKENS_PER_S))

    return min(SIZES, key=distance)


def reading_speed(url: str) -> float | None:
    """Have the server read a short prompt, and return its tokens per second.

    Returns:
        None when the server does not say, or went away.
    """
    body = {"prompt": "a" * _PROBE_TOKENS, "n_predict": 1, "cache_prompt": False}
    address = urllib.parse.urlsplit(url).netloc
    connection = http.client.HTTPConnection(address, timeout=_PATIENCE_S)
    try:
        headers = {"Content-Type": "application/json"}
        connection.request("POST", "/completion", json.dumps(body), headers)
        answer = json.loads(connection.getresponse().read())
        speed = float(answer["timings"]["prompt_per_second"])
    except (KeyError, TypeError, ValueError, OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()
    return speed if speed > 0 else None
