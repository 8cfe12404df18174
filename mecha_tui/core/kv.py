"""How many bytes a context takes, from the shape that the model's file declares.

A token's keys and values in one layer are ``kv_heads x (key length + value length)``
elements. Layers of hybrid models that keep a state instead of keys and values take
none, and layers with a sliding window take no more than the window.
"""

from __future__ import annotations

from dataclasses import dataclass

from mecha_tui.core.division import padded

_BLOCKS = {
    "f32": (1, 4),
    "f16": (1, 2),
    "bf16": (1, 2),
    "q8_0": (32, 34),
    "q4_0": (32, 18),
    "q4_1": (32, 20),
    "iq4_nl": (32, 18),
    "q5_0": (32, 22),
    "q5_1": (32, 24),
}
"""Elements in a block and bytes of it, by the name that ``-ctk`` and ``-ctv`` take."""


@dataclass(frozen=True, slots=True)
class KvLayer:
    """What one layer keeps of each token, in elements."""

    key_elements: int
    value_elements: int
    window_tokens: int | None = None
    """The layer's sliding window; None where it keeps the whole context."""


@dataclass(frozen=True, slots=True)
class ModelShape:
    """The layers of a model that keep keys and values; the others are left out."""

    layers: tuple[KvLayer, ...]
    layer_count: int
    """All layers of the model."""
    training_window_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class CacheFlags:
    """The launch flags that decide what a token takes."""

    type_k: str = "f16"
    type_v: str = "f16"
    swa_full: bool = False
    physical_batch_tokens: int = 512


def is_cache_type(name: str) -> bool:
    """Whether a cache type's size is known."""
    return name in _BLOCKS


def bytes_per_token(shape: ModelShape, flags: CacheFlags) -> int:
    """Return what one more token takes while every layer still keeps it.

    Raises:
        KeyError: A cache type is not known.
    """
    return sum(_layer_bytes(layer, flags) for layer in shape.layers)


def slot_bytes(shape: ModelShape, flags: CacheFlags, window_tokens: int) -> int:
    """Return what one full slot takes.

    Raises:
        KeyError: A cache type is not known.
    """
    return reserved_bytes(shape, flags, window_tokens, sequences=1, streams=1)


def reserved_bytes(
    shape: ModelShape, flags: CacheFlags, tokens: int, *, sequences: int, streams: int
) -> int:
    """Return what a server reserves at its start.

    Args:
        shape: The model's.
        flags: The server's.
        tokens: One stream's: a slot's part in divided mode, the whole pool in shared mode.
        sequences: How many slots share one stream.
        streams: How many streams there are: the slots in divided mode, 1 in shared mode.

    Raises:
        KeyError: A cache type is not known.
    """
    total = 0
    for layer in shape.layers:
        cells = tokens
        if layer.window_tokens is not None and not flags.swa_full:
            windows = layer.window_tokens * sequences + flags.physical_batch_tokens
            cells = padded(min(tokens, windows))
        total += _layer_bytes(layer, flags) * cells
    return total * streams


def _layer_bytes(layer: KvLayer, flags: CacheFlags) -> int:
    return _row_bytes(flags.type_k, layer.key_elements) + _row_bytes(
        flags.type_v, layer.value_elements
    )


def _row_bytes(cache_type: str, elements: int) -> int:
    block, size = _BLOCKS[cache_type]
    return -(-elements // block) * size
