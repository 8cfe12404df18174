"""Panel and page of memory, as they look on every kind of machine."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from textual.app import App

from mecha_tui.app.screens.memory import MemoryScreen
from tests.app.memory_scenes import MACHINES, with_memory
from tests.app.support import app_showing, text_of, until

Compare = Callable[[App[None]], None]


@pytest.mark.parametrize("machine", MACHINES)
async def test_memory_panel(machine: str, assert_svg: Compare) -> None:
    app = app_showing(with_memory(MACHINES[machine]()))
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: "4 memory" in text_of(app))
        assert_svg(app)


@pytest.mark.parametrize("machine", MACHINES)
async def test_memory_page(machine: str, assert_svg: Compare) -> None:
    app = app_showing(with_memory(MACHINES[machine]()))
    async with app.run_test(size=(110, 66)) as pilot:
        await pilot.press("m")
        await until(pilot, lambda: isinstance(app.screen, MemoryScreen))
        await until(pilot, lambda: "who holds it" in text_of(app))
        assert_svg(app)
