"""Who talks is looked for while its screen is open, and at no other time."""

from __future__ import annotations

import pytest

from mecha_tui.app.app import MechaApp
from mecha_tui.app.screens.dashboard import DashboardScreen
from mecha_tui.app.screens.talkers import TalkersScreen
from mecha_tui.core.talkers import Talker, Talkers
from tests.app import scenes
from tests.app.support import PictureDesk, ScriptedSampler, app_showing, text_of, until

AGENT = Talkers((Talker("python3 agent.py", 4242, 4, since_s=0.0),), 0, "", 65.0)


class CountingSource:
    """Counts how often it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def talkers(self, url: str) -> Talkers:
        self.asked.append(url)
        return AGENT


async def test_it_is_asked_only_while_the_page_is_open() -> None:
    source = CountingSource()
    app = MechaApp(ScriptedSampler(), talkers=source)
    app.desk = PictureDesk(scenes.busy())
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause(0.1)
        assert source.asked == []
        await pilot.press("c")
        await until(pilot, lambda: "python3 agent.py" in text_of(app))
        assert "4 connections on 4 slots" in text_of(app)
        assert source.asked[0] == scenes.busy().url
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, DashboardScreen))
        assert len(app.screen_stack) == 1


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 15), (30, 8), (20, 4)])
async def test_without_a_source_it_says_so_at_every_size(size: tuple[int, int]) -> None:
    app = app_showing(scenes.busy())
    async with app.run_test(size=size) as pilot:
        await pilot.press("6")
        await until(pilot, lambda: isinstance(app.screen, TalkersScreen))
        await until(pilot, lambda: "unknown" in text_of(app))
