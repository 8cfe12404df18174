"""Reads the shape of a model out of the header of its GGUF file, and nothing of its weights."""

from __future__ import annotations

import stat
import struct
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from mecha_tui.core.kv import KvLayer, ModelShape
from mecha_tui.core.reading import Reading, known, unknown

HEADER_LIMIT_BYTES = 64 * 1024 * 1024
"""No header known comes near; a file that claims more is not read on."""
KEY_LIMIT, ARRAY_LIMIT = 100_000, 4096

_MAGIC = b"GGUF"
_STRING, _ARRAY = 8, 9
_FORMATS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q"}
_FORMATS[12] = "d"
_SLIDING_PATTERNS = {
    "gemma2": 2,
    "gpt-oss": 2,
    "gemma3": 6,
    "gemma3n": 5,
    "cohere2": 4,
    "llama4": 4,
    "exaone4": 4,
    "olmo2": 4,
    "afmoe": 4,
}
"""Every how many layers one keeps the whole context, where the file leaves it to the program."""
_WITHOUT_SLIDING = ("llama", "qwen2", "qwen2moe", "qwen3", "qwen3moe", "phi3", "mistral3")
"""Architectures that keep the whole context though their files may name a window."""
_CHUNKED = {"llama4": 8192}
"""Windows that the program itself knows."""
_STRIDES = ("qwen35", "qwen35moe", "qwen3next")
"""Hybrids of which every fourth layer attends, unless the file says another number."""

Value = int | float | bool | str | tuple[int | float | bool, ...]


class GgufError(ValueError):
    """The file is not GGUF, or its header is cut short or makes no sense."""


def model_shape(path: Path) -> Reading[ModelShape]:
    """Return a model's shape, or why it cannot be told."""
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):
            return unknown("the model is no plain file")
        return _shape_of(path, about.st_mtime_ns, about.st_size)
    except OSError as error:
        return unknown(f"the model file cannot be read ({error.strerror or 'no such file'})")


@lru_cache(maxsize=64)
def _shape_of(path: Path, changed_ns: int, size_bytes: int) -> Reading[ModelShape]:
    """Read a file once for each of its versions."""
    del changed_ns, size_bytes
    try:
        with path.open("rb") as file:
            return shape_of_header(read_header(file))
    except GgufError as error:
        return unknown(f"the model file's header cannot be read: {error}")


def read_header(file: BinaryIO) -> Mapping[str, Value]:
    """Return the header's values; texts longer than a name and long arrays are skipped.

    Raises:
        GgufError: The file is not GGUF, or cut short.
        OSError: It cannot be read.
    """
    if file.read(4) != _MAGIC:
        raise GgufError("it is not GGUF")
    reader = _Reader(file)
    version = reader.number("I")
    if version not in (2, 3):
        raise GgufError(f"GGUF version {version} is not known")
    reader.number("Q")
    count = reader.number("Q")
    if count > KEY_LIMIT:
        raise GgufError(f"it claims {count} keys")
    values: dict[str, Value] = {}
    for _ in range(int(count)):
        key = reader.text()
        value = reader.value(int(reader.number("I")))
        if value is not None:
            values[key] = value
    return values


class _Reader:
    """Walks through a header in large pieces, and knows how far it may go."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._left = HEADER_LIMIT_BYTES

    def take(self, size: int) -> bytes:
        self._left -= size
        if size < 0 or self._left < 0:
            raise GgufError("it is too long")
        data = self._file.read(size)
        if len(data) != size:
            raise GgufError("it is cut short")
        return data

    def skip(self, size: int) -> None:
        self._left -= size
        if size < 0 or self._left < 0:
            raise GgufError("it is too long")
        self._file.seek(size, 1)

    def number(self, kind: str) -> int | float | bool:
        value: int | float | bool = struct.unpack(f"<{kind}", self.take(struct.calcsize(kind)))[0]
        return value

    def text(self) -> str:
        return self.take(int(self.number("Q"))).decode("utf-8", "replace")

    def value(self, kind: int) -> Value | None:
        if kind == _STRING:
            return self.text()
        if kind == _ARRAY:
            return self._array()
        if kind not in _FORMATS:
            raise GgufError(f"it holds a value of the unknown kind {kind}")
        return self.number(_FORMATS[kind])

    def _array(self) -> Value | None:
        kind, length = int(self.number("I")), int(self.number("Q"))
        if kind == _STRING:
            if length * 8 > self._left:
                raise GgufError("it is too long")
            for _ in range(length):
                self.skip(int(self.number("Q")))
            return None
        if kind not in _FORMATS:
            raise GgufError(f"it holds an array of the unknown kind {kind}")
        size = struct.calcsize(f"<{_FORMATS[kind]}")
        if length > ARRAY_LIMIT:
            self.skip(size * length)
            return None
        return struct.unpack(f"<{length}{_FORMATS[kind]}", self.take(size * length))


def shape_of_header(values: Mapping[str, Value]) -> Reading[ModelShape]:
    """Return the shape that a header declares; unknown where it leaves a doubt."""
    architecture = values.get("general.architecture")
    if not isinstance(architecture, str):
        return unknown("the model file names no architecture")
    header = _Header(architecture, values)
    blocks, heads = header.number("block_count"), header.layers("attention.head_count")
    if blocks is None or heads is None or not 0 < blocks <= ARRAY_LIMIT:
        return unknown(f"the model file does not describe its attention ({architecture})")
    kv_heads = header.layers("attention.head_count_kv") or heads
    keys = header.lengths("attention.key_length", heads)
    values_ = header.lengths("attention.value_length", heads)
    windows = header.windows(blocks)
    if keys is None or values_ is None or windows is None or len(kv_heads) != blocks:
        return unknown(f"how {architecture} keeps its context is not known here")
    if header.has_side_caches:
        return unknown(f"{architecture} keeps more than keys and values, which is not known here")
    attends = header.attends(blocks)
    layers = tuple(
        KvLayer(kv_heads[at] * keys[at], kv_heads[at] * values_[at], windows[at])
        for at in range(blocks)
        if attends[at] and kv_heads[at] > 0
    )
    return known(ModelShape(layers, blocks, header.number("context_length")), "model file")


class _Header:
    """A header's values for one architecture."""

    def __init__(self, architecture: str, values: Mapping[str, Value]) -> None:
        self._architecture = architecture
        self._values = values

    def get(self, key: str) -> Value | None:
        return self._values.get(f"{self._architecture}.{key}")

    def number(self, key: str) -> int | None:
        value = self.get(key)
        return value if type(value) is int and value >= 0 else None

    def layers(self, key: str) -> tuple[int, ...] | None:
        """Return a value for each layer, be it one for all or one for each."""
        value, blocks = self.get(key), self.number("block_count") or 0
        if type(value) is int and value >= 0:
            return (value,) * min(blocks, ARRAY_LIMIT)
        if isinstance(value, tuple) and len(value) >= blocks:
            return tuple(int(one) for one in value[:blocks])
        return None

    def lengths(self, key: str, heads: tuple[int, ...]) -> tuple[int, ...] | None:
        """Return a head's length for each layer: as told, else the model's width by its heads."""
        if self._is_latent and key.endswith("value_length"):
            return (0,) * len(heads)
        told = self.layers(key)
        if told is None:
            width = self.number("embedding_length")
            if width is None:
                return None
            told = tuple(width // count if count else 0 for count in heads)
        sliding = self.number(f"{key}_swa")
        windows = self.windows(len(heads)) if sliding else None
        if sliding and windows:
            return tuple(
                length if window is None else sliding
                for length, window in zip(told, windows, strict=True)
            )
        return told

    @property
    def _is_latent(self) -> bool:
        """Whether keys and values are kept as one latent row (MLA), so that values take none."""
        return self.get("attention.key_length_mla") is not None

    @property
    def has_side_caches(self) -> bool:
        """Whether layers keep an index beside keys and values (sparse attention)."""
        prefix = f"{self._architecture}.attention.indexer."
        return any(key.startswith(prefix) for key in self._values)

    def windows(self, blocks: int) -> tuple[int | None, ...] | None:
        """Return each layer's sliding window; None where the pattern is not known."""
        window = self.number("attention.sliding_window")
        if window is None:
            window = _CHUNKED.get(self._architecture)
        if not window or self._architecture in _WITHOUT_SLIDING:
            return (None,) * blocks
        pattern = self.get("attention.sliding_window_pattern")
        if isinstance(pattern, tuple):
            if len(pattern) < blocks:
                return None
            return tuple(window if slides else None for slides in pattern[:blocks])
        every = pattern if type(pattern) is int else _SLIDING_PATTERNS.get(self._architecture)
        if every is None:
            return None
        return tuple(
            window if every == 0 or at % every < every - 1 else None for at in range(blocks)
        )

    def attends(self, blocks: int) -> tuple[bool, ...]:
        """Return which layers keep keys and values, as far as another key than the heads says."""
        own = blocks - (self.number("attention.shared_kv_layers") or 0)
        recurrent = self.get("attention.recurrent_layers")
        if isinstance(recurrent, tuple) and len(recurrent) >= blocks:
            return tuple(at < own and not recurrent[at] for at in range(blocks))
        stride = self.number("full_attention_interval")
        if not stride:
            if self._architecture not in _STRIDES:
                return tuple(at < own for at in range(blocks))
            stride = 4
        main = blocks - (self.number("nextn_predict_layers") or 0)
        return tuple(at >= main or (at + 1) % stride == 0 for at in range(blocks))
