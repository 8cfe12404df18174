"""The two palettes are exactly those of the design, and nothing else names a colour."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import mecha_tui.app
from mecha_tui.app.themes import DARK, LIGHT
from tests.app import scenes
from tests.app.support import app_showing

PALETTE = {
    "background": ("#11151a", "#fbfaf7"),
    "tone-text": ("#d4d9e0", "#23272d"),
    "tone-muted": ("#7d8794", "#6c7078"),
    "tone-faint": ("#3a434f", "#d6d2c8"),
    "tone-accent": ("#5fc9b4", "#0b7f6d"),
    "tone-reading": ("#79a8f5", "#2459c4"),
    "tone-warning": ("#e3b25f", "#9a6200"),
    "tone-error": ("#ee6f75", "#b8262f"),
    "tone-good": ("#8fce6f", "#3d7d1f"),
}


def test_the_palette() -> None:
    for name, (dark, light) in PALETTE.items():
        for theme, colour in ((DARK, dark), (LIGHT, light)):
            found = theme.background if name == "background" else theme.variables[name]
            assert found == colour, (theme.name, name)


def test_no_colour_is_named_outside_the_themes() -> None:
    root = Path(mecha_tui.app.__path__[0]).parent
    for path in [
        *root.glob("app/**/*.py"),
        *root.glob("app/**/*.tcss"),
        *root.glob("present/**/*.py"),
    ]:
        if path.name != "themes.py":
            assert not re.search(r"#[0-9a-fA-F]{6}\b", path.read_text("utf-8")), path


async def test_capital_t_changes_between_dark_and_light() -> None:
    app = app_showing(scenes.busy())
    async with app.run_test(notifications=True) as pilot:
        await pilot.press("T")
        assert app.theme == LIGHT.name
        await pilot.pause()
        drawn = {
            segment.style.color.name
            for segment in app.screen._compositor.render_strips()[0]
            if segment.style is not None and segment.style.color is not None
        }
        assert LIGHT.variables["tone-text"] in drawn
        await pilot.press("T")
        assert app.theme == DARK.name


@pytest.mark.parametrize("theme", ["nord", "textual-light", "ansi-dark", "ansi-light", "gruvbox"])
async def test_other_themes_draw_too(theme: str) -> None:
    app = app_showing(scenes.busy(), theme=theme)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.pause()
        await pilot.press("enter", "q")
        assert app.return_code is None
