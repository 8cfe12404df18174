"""Every fact of docs/server-facts.md names a contract test that exists."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def test_every_fact_has_its_test() -> None:
    page = (ROOT / "docs" / "server-facts.md").read_text("utf-8")
    named = re.findall(r"`(test_\w+\.py)::(test_\w+)`", page)
    assert len(named) > 20
    for file, test in named:
        code = (ROOT / "tests" / "contract" / file).read_text("utf-8")
        assert f"def {test}(" in code, f"{file}::{test}"
