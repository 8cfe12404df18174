"""The documentation lists the keys of the one table."""

from __future__ import annotations

from pathlib import Path

from mecha_tui.app.key_uses import markdown_table

DOCUMENT = Path(__file__).parents[2] / "docs" / "keys.md"


def test_the_document_is_the_table() -> None:
    assert markdown_table() in DOCUMENT.read_text("utf-8")
