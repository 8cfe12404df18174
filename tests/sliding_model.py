"""Writes a tiny made-up model whose attention slides over a window, for tests."""

from __future__ import annotations

from pathlib import Path

import gguf
import numpy as np

from mecha_tui.demo.model import _describe, _tensors

WINDOW_TOKENS = 64
_EMBEDDING, _BLOCKS = 64, 4
"""Of four layers three slide, and the last one sees everything."""
_RENAMED = {"attn_norm": "post_attention_norm", "ffn_norm": "post_ffw_norm"}


def write_sliding_model(path: Path) -> None:
    """Write a GGUF file of the architecture ``olmo2``, which normalises after each part."""
    writer = gguf.GGUFWriter(None, "olmo2")
    _describe(writer, "sliding", _EMBEDDING, _BLOCKS)
    writer.add_sliding_window(WINDOW_TOKENS)
    # The first dimension carries what keeps the text printable: no part may add to it.
    after = np.ones(_EMBEDDING, np.float32)
    after[0] = 0.0
    for name, values in _tensors(_EMBEDDING, _BLOCKS).items():
        block, _, part = name.rpartition(".")
        if part in _RENAMED:
            writer.add_tensor(f"{block}.{_RENAMED[part]}.weight", after)
        else:
            writer.add_tensor(f"{name}.weight", values)
        if part == "attn_norm":
            writer.add_tensor(f"{block}.attn_q_norm.weight", np.ones(_EMBEDDING, np.float32))
            writer.add_tensor(f"{block}.attn_k_norm.weight", np.ones(_EMBEDDING // 2, np.float32))
    writer.write_header_to_file(path)
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
