"""A model's shape is read out of its header alone, and bytes follow from the shape."""

from __future__ import annotations

import io
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mecha_tui.collect.gguf_header import GgufError, model_shape, read_header, shape_of_header
from mecha_tui.core.kv import CacheFlags, ModelShape, bytes_per_token, reserved_bytes, slot_bytes

KIB = 1024


def header(architecture: str = "llama", **values: object) -> dict[str, object]:
    given_values: dict[str, object] = {
        "block_count": 4,
        "embedding_length": 1024,
        "attention.head_count": 8,
        "attention.head_count_kv": 2,
        **{name.replace("__", "."): value for name, value in values.items()},
    }
    named = {f"{architecture}.{name}": value for name, value in given_values.items()}
    return {"general.architecture": architecture, **named}


def shape(architecture: str = "llama", **values: object) -> ModelShape:
    found = shape_of_header(header(architecture, **values))  # type: ignore[arg-type]  # any value
    assert found.value is not None, found.reason
    return found.value


def per_token(architecture: str = "llama", **values: object) -> int:
    return bytes_per_token(shape(architecture, **values), CacheFlags())


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, 4 * 2 * (128 + 128) * 2),
        ({"attention__head_count_kv": None}, 4 * 8 * 256 * 2),
        ({"attention__key_length": 64, "attention__value_length": 32}, 4 * 2 * 96 * 2),
        ({"attention__head_count_kv": (2, 0, 0, 4)}, (2 + 4) * 256 * 2),
        ({"attention__head_count": (8, 0, 0, 8), "attention__head_count_kv": (1, 0, 0, 1)}, 1024),
        ({"attention__key_length": (64, 64, 128, 128), "attention__value_length": 0}, 1536),
        ({"attention__shared_kv_layers": 1}, 3 * 2 * 256 * 2),
        ({"attention__recurrent_layers": (True, True, True, False)}, 2 * 256 * 2),
    ],
)
def test_a_token_takes_what_its_layers_keep(values: dict[str, object], expected: int) -> None:
    assert per_token("llama", **values) == expected


def test_a_hybrid_keeps_keys_and_values_in_few_layers_only() -> None:
    found = shape(
        "qwen35moe",
        block_count=41,
        attention__head_count=16,
        attention__key_length=256,
        attention__value_length=256,
        full_attention_interval=4,
        nextn_predict_layers=1,
    )
    assert (len(found.layers), found.layer_count) == (11, 41)
    assert bytes_per_token(found, CacheFlags()) == 11 * 2 * 512 * 2
    assert slot_bytes(found, CacheFlags(), 262_144) == 5632 * KIB * KIB


def test_a_model_that_keeps_one_latent_row_has_no_values() -> None:
    values = {
        "attention__head_count_kv": 1,
        "attention__key_length": 576,
        "attention__value_length": 512,
        "attention__key_length_mla": 192,
    }
    assert per_token("deepseek2", **values) == 4 * 576 * 2


@pytest.mark.parametrize(
    ("architecture", "pattern", "full"),
    [("gemma2", None, 2), ("gemma3", None, 0), ("x", 2, 2), ("x", 1, 4), ("x", 0, 0)],
)
def test_sliding_layers_keep_no_more_than_their_window(
    architecture: str, pattern: int | None, full: int
) -> None:
    found = shape(
        architecture,
        attention__sliding_window=1024,
        attention__sliding_window_pattern=pattern,
    )
    assert sum(layer.window_tokens is None for layer in found.layers) == full
    row = 2 * 256 * 2
    sliding = (4 - full) * row * 1536
    assert slot_bytes(found, CacheFlags(), 131_072) == full * row * 131_072 + sliding
    assert slot_bytes(found, CacheFlags(swa_full=True), 131_072) == 4 * row * 131_072
    pool = reserved_bytes(found, CacheFlags(), 131_072, sequences=4, streams=1)
    assert pool == full * row * 131_072 + (4 - full) * row * (4 * 1024 + 512)


def test_a_pattern_for_each_layer_is_taken_as_it_stands() -> None:
    found = shape(
        "gemma4",
        attention__sliding_window=512,
        attention__sliding_window_pattern=(True, False, True, False),
        attention__key_length=512,
        attention__key_length_swa=256,
        attention__value_length=512,
        attention__value_length_swa=256,
    )
    assert [layer.key_elements for layer in found.layers] == [512, 1024, 512, 1024]
    assert [layer.window_tokens for layer in found.layers] == [512, None, 512, None]


@pytest.mark.parametrize(
    ("architecture", "values"),
    [
        ("x", {"attention__sliding_window": 512}),
        ("x", {"attention__sliding_window": 512, "attention__sliding_window_pattern": (True,)}),
        ("x", {"block_count": None}),
        ("x", {"block_count": 10**9}),
        ("x", {"attention__head_count": None}),
        ("x", {"embedding_length": None}),
        ("x", {"attention__indexer__key_length": 128}),
    ],
)
def test_a_doubt_makes_the_shape_unknown_with_a_reason(
    architecture: str, values: dict[str, object]
) -> None:
    found = shape_of_header(header(architecture, **values))  # type: ignore[arg-type]  # any value
    assert found.value is None
    assert found.reason


@pytest.mark.parametrize(
    ("type_k", "type_v", "expected"),
    [
        ("f16", "f16", 4 * 2 * 256 * 2),
        ("f32", "f32", 4 * 2 * 256 * 4),
        ("q8_0", "f16", 4 * (256 // 32 * 34 + 512)),
        ("q4_0", "q4_0", 4 * 2 * (256 // 32 * 18)),
        ("q5_1", "iq4_nl", 4 * (256 // 32 * 24 + 256 // 32 * 18)),
    ],
)
def test_cache_types_take_what_their_blocks_take(type_k: str, type_v: str, expected: int) -> None:
    assert bytes_per_token(shape(), CacheFlags(type_k, type_v)) == expected


def text(value: str) -> bytes:
    raw = value.encode()
    return struct.pack("<Q", len(raw)) + raw


def gguf(*pairs: tuple[str, int, bytes], count: int | None = None, version: int = 3) -> bytes:
    start = b"GGUF" + struct.pack("<IQQ", version, 0, len(pairs) if count is None else count)
    return start + b"".join(text(key) + struct.pack("<I", kind) + raw for key, kind, raw in pairs)


def test_a_header_is_read_past_arrays_of_texts() -> None:
    words = struct.pack("<IQ", 8, 3) + text("a") + text("") + text("ccc")
    numbers = struct.pack("<IQ3i", 5, 3, 1, 2, 3)
    values = read_header(
        io.BytesIO(
            gguf(
                ("general.architecture", 8, text("llama")),
                ("tokens", 9, words),
                ("some", 9, numbers),
                ("long", 9, struct.pack("<IQ", 0, 5000) + bytes(5000)),
                ("flag", 7, b"\x01"),
                ("last", 10, struct.pack("<Q", 7)),
            )
        )
    )
    assert values == {
        "general.architecture": "llama",
        "some": (1, 2, 3),
        "flag": True,
        "last": 7,
    }


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"GGML",
        b"GGUF",
        gguf(version=1),
        gguf(count=2**40),
        gguf(count=1),
        gguf(("a", 99, b"")),
        gguf(("a", 8, struct.pack("<Q", 2**63))),
        gguf(("a", 9, struct.pack("<IQ", 8, 2**60))),
        gguf(("a", 9, struct.pack("<IQ", 4, 2**60))),
        gguf(("a", 9, struct.pack("<IQ", 9, 1))),
    ],
)
def test_what_is_no_whole_header_is_refused(content: bytes) -> None:
    with pytest.raises(GgufError):
        read_header(io.BytesIO(content))


@given(st.binary(max_size=200))
def test_no_bytes_do_more_than_refuse(content: bytes) -> None:
    try:
        shape_of_header(read_header(io.BytesIO(b"GGUF\x03\0\0\0" + content)))
    except GgufError:
        return


def test_a_file_that_is_missing_or_none_is_a_reason(tmp_path: Path) -> None:
    assert "cannot be read" in str(model_shape(tmp_path / "gone.gguf").reason)
    assert "plain file" in str(model_shape(tmp_path).reason)
    (tmp_path / "x.gguf").write_bytes(b"not a model")
    assert "it is not GGUF" in str(model_shape(tmp_path / "x.gguf").reason)


def test_a_file_is_read_anew_only_when_it_changed(tiny_model: Path) -> None:
    first = model_shape(tiny_model)
    assert first.value is not None
    assert first.value.training_window_tokens == 131_072
    assert model_shape(tiny_model) is first
