"""The README says what is so: its keys are the table's, and its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

from mecha_tui.app.keys import KEYS_BY_PLACE, Place

ROOT = Path(__file__).parents[2]


def test_the_readme_lists_the_dashboards_keys_as_the_table_has_them() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    listed = re.findall(r"^\| `(.+)` \| (.+) \|$", text, re.MULTILINE)
    table = [
        (key.names, key.tooltip)
        for place in (Place.DASHBOARD, Place.EVERYWHERE)
        for key in KEYS_BY_PLACE[place]
    ]
    assert listed == table


def test_every_link_in_the_documentation_leads_to_a_file() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    assert len(pages) > 3
    for page in pages:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
