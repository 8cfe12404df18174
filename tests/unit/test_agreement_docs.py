"""Every code that a rule can print is explained, and nothing is explained that no rule prints."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
RULES = ROOT / "mecha_tui" / "core" / "agreement"


def test_every_code_has_its_section_and_every_section_its_code() -> None:
    source = "".join(path.read_text() for path in sorted(RULES.glob("*.py")))
    explained = re.findall(r"^### ([a-z-]+)$", (ROOT / "docs" / "agreement.md").read_text(), re.M)
    printed = {code for code in re.findall(r'"([a-z]+(?:-[a-z]+)+)"', source) if code[0] != "-"}
    assert set(explained) == printed
    assert len(explained) == len(set(explained))
