"""Keys and tokens are hidden wherever they stand in free text; other words stay."""

from __future__ import annotations

import pytest

from mecha_tui.core.secrets import masked_text

KEY = "s3cr3t-abcdefghij"


@pytest.mark.parametrize(
    "text",
    [
        f"llama-server --api-key {KEY} -c 4096",
        f"--api-key={KEY}",
        f"api_key: '{KEY}'",
        f'{{"api-key": "{KEY}"}}',
        f"Authorization: Bearer {KEY}",
        f"authorization: basic {KEY}==",
        f"LLAMA_API_KEY={KEY} started",
        f"HF_TOKEN={KEY}",
        f"GET http://user:{KEY}@127.0.0.1:8080/props",
        "token hf_abcdefghijklmnop " + f"password={KEY}",
    ],
)
def test_a_secret_is_hidden(text: str) -> None:
    hidden = masked_text(text)
    assert KEY not in hidden
    assert "hf_abcdef" not in hidden
    assert "***" in hidden


@pytest.mark.parametrize(
    "text",
    [
        "slot release: id  1 | task 6 | stop processing: n_tokens = 18, truncated = 0",
        "model loaded, 32 tokens, key value cache q8_0",
        "listening on http://127.0.0.1:8080",
        "no API key is set",
    ],
)
def test_what_a_log_usually_says_stays(text: str) -> None:
    assert masked_text(text) == text
