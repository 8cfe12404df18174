"""What a GPU's name and figures say about it, whatever driver they came from."""

from __future__ import annotations

import re

from mecha_tui.core.reading import Reading, known, unknown
from mecha_tui.core.text import plain_text

NAME_LIMIT = 60
SMALLEST_CARD_BYTES = 128 << 20
"""No card that runs a model has less; some drivers of unified chips report a few megabytes."""
LARGEST_BYTES = (1 << 63) - 1

_UNIFIED = re.compile(r"\b(GB10|Thor|Orin|Xavier|Tegra|Jetson|Spark)\b", re.IGNORECASE)


def device_name(raw: str) -> str:
    """Return a device's or program's name, made safe and of bearable length."""
    plain = "".join(one for one in plain_text(raw, NAME_LIMIT) if one.isprintable())
    return plain or "without a name"


def is_unified_chip(name: str) -> bool:
    """Whether an NVIDIA device of this name shares one memory with its host.

    Coherent memory alone does not mean unified: GH200 and GB200 keep two pools and are
    not among them.
    """
    return _UNIFIED.search(name) is not None


def own_memory(total: int, free: int, source: str) -> tuple[Reading[int], Reading[int]]:
    """Return a card's total and free bytes, refusing what no card can have.

    A total of zero or next to it is what drivers of unified chips give instead of an error.
    """
    if not SMALLEST_CARD_BYTES <= total <= LARGEST_BYTES:
        refused: Reading[int] = unknown(f"{source}: a total of {total} bytes is no card's memory")
        return refused, refused
    if not 0 <= free <= total:
        return known(total, source), unknown(f"{source}: more is free than there is")
    return known(total, source), known(free, source)
