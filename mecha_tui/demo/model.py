"""Writes a tiny made-up model that a real llama.cpp server loads and speaks from.

The weights are random. Two constants keep the text printable: every token's embedding
carries a fixed value in its first dimension, and the output weights of the special and
byte tokens answer it with a large negative one. So the model writes letters only, about
one character a token, and never ends by itself.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import gguf
    import numpy as np
    from numpy.typing import NDArray

UNFINISHED_SUFFIX = ".part"
TRAINING_WINDOW_TOKENS = 131072
"""Large enough that no ``-c`` used in a demo or test is capped by the model."""

_CHARACTERS = (
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    "\u2581.,;:!?'\"()-+=*/_<>[]{}#@&%$|~^`\\"
)
_MARKER = 4.0
_SILENCED = -50.0
_TEMPLATE = "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}assistant:"
_SILENT_TOKENS = (b"<unk>", b"<s>", b"</s>", *(f"<0x{byte:02X}>".encode() for byte in range(256)))
"""Tokens that are never spoken: they come first, before the characters."""
_HEADS, _KV_HEADS = 4, 2
_ALL_FLOAT32 = 0
_NORMAL, _UNKNOWN, _CONTROL, _BYTE = 1, 2, 3, 6


def write_model(path: Path, *, embedding: int = 64, blocks: int = 2, name: str = "tiny") -> None:
    """Write a GGUF file, whole or not at all, also when two processes write it at once.

    Args:
        path: Where to; an existing file is replaced.
        embedding: Width of the model, a multiple of 8. 64 gives thousands of tokens a
            second on one core, 256 hundreds, 512 about fifty.
        blocks: Number of layers.
        name: The model's name.

    Raises:
        ModuleNotFoundError: The ``demo`` extra is not installed.
        OSError: The folder cannot be written, or the disk is full.
    """
    import gguf  # part of an extra, and slow to import

    writer = gguf.GGUFWriter(None, "llama")
    _describe(writer, name, embedding, blocks)
    for tensor_name, values in _tensors(embedding, blocks).items():
        writer.add_tensor(f"{tensor_name}.weight", values)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.{os.getpid()}{UNFINISHED_SUFFIX}")
    try:
        writer.write_header_to_file(unfinished)
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        unfinished.replace(path)
    finally:
        writer.close()
        unfinished.unlink(missing_ok=True)


def _describe(writer: gguf.GGUFWriter, name: str, embedding: int, blocks: int) -> None:
    writer.add_name(name)
    writer.add_context_length(TRAINING_WINDOW_TOKENS)
    writer.add_embedding_length(embedding)
    writer.add_block_count(blocks)
    writer.add_feed_forward_length(embedding * 2)
    writer.add_head_count(_HEADS)
    writer.add_head_count_kv(_KV_HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(embedding // _HEADS)
    writer.add_file_type(_ALL_FLOAT32)
    writer.add_tokenizer_model("llama")
    writer.add_token_list([*_SILENT_TOKENS, *(one.encode() for one in _CHARACTERS)])
    ranks = (-float(rank) for rank in range(len(_CHARACTERS)))
    writer.add_token_scores([*[0.0] * len(_SILENT_TOKENS), *ranks])
    kinds = [_UNKNOWN, _CONTROL, _CONTROL, *[_BYTE] * 256, *[_NORMAL] * len(_CHARACTERS)]
    writer.add_token_types(kinds)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_chat_template(_TEMPLATE)


def _tensors(embedding: int, blocks: int) -> dict[str, NDArray[np.float32]]:
    """Return the same random weights every time, scaled so that activations stay in range."""
    import numpy as np

    random = np.random.default_rng(7)

    def weights(rows: int, columns: int) -> NDArray[np.float32]:
        drawn: NDArray[np.float32] = random.standard_normal((rows, columns), dtype=np.float32)
        drawn /= columns**0.5
        return drawn

    silent, tokens = len(_SILENT_TOKENS), len(_SILENT_TOKENS) + len(_CHARACTERS)
    embedded, output = weights(tokens, embedding), weights(tokens, embedding)
    embedded[:, 0] = _MARKER
    output[:silent, 0] = _SILENCED
    output[silent:, 0] = 0.0
    ones = np.ones(embedding, np.float32)
    tensors = {"token_embd": embedded, "output": output, "output_norm": ones}
    feed_forward, kv_width = embedding * 2, embedding // _HEADS * _KV_HEADS
    for block in range(blocks):
        tensors |= {
            f"blk.{block}.attn_norm": ones,
            f"blk.{block}.ffn_norm": ones,
            f"blk.{block}.attn_q": weights(embedding, embedding),
            f"blk.{block}.attn_k": weights(kv_width, embedding),
            f"blk.{block}.attn_v": weights(kv_width, embedding),
            f"blk.{block}.attn_output": weights(embedding, embedding),
            f"blk.{block}.ffn_gate": weights(feed_forward, embedding),
            f"blk.{block}.ffn_up": weights(feed_forward, embedding),
            f"blk.{block}.ffn_down": weights(embedding, feed_forward),
        }
    return tensors
