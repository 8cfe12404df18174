"""Fixtures of the screen's tests: a sampler that is given its rounds, and pictures to compare."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.app import App


@pytest.fixture
def assert_svg(request: pytest.FixtureRequest) -> Callable[[App[None]], None]:
    """Compare the running app with the accepted picture of this test."""

    def compare(app: App[None]) -> None:
        name = re.sub(r"[^\w.-]+", "-", request.node.name).strip("-")
        svg = app.export_screenshot(title="mecha-tui", simplify=True)
        svg = re.sub(r"terminal-\d+", "terminal", svg)
        accepted = Path(request.path).parent / "svg" / f"{name}.svg"
        if request.config.getoption("--update-svg"):
            accepted.parent.mkdir(exist_ok=True)
            accepted.write_text(svg, encoding="utf-8")
        expected = accepted.read_text("utf-8") if accepted.exists() else ""
        if svg != expected:
            actual = accepted.with_suffix(".actual.svg")
            actual.parent.mkdir(exist_ok=True)
            actual.write_text(svg, encoding="utf-8")
            pytest.fail(f"the screen changed: look at {actual}, then --update-svg")

    return compare
