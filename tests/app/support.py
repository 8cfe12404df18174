"""A sampler that hands out what the test gives it, and a desk that shows ready pictures."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from textual.pilot import Pilot

from mecha_tui.app.app import MechaApp
from mecha_tui.app.desk import Desk
from mecha_tui.app.widgets.canvas import Canvas
from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.sample import Round

Shape = tuple[int, int]


class ScriptedSampler:
    """Hands out each round once, when the test gives it, and then waits."""

    def __init__(self, *rounds: Round) -> None:
        self._given: asyncio.Queue[Round] = asyncio.Queue()
        self.taken = 0
        self.is_closed = False
        for one in rounds:
            self.give(one)

    def give(self, one: Round) -> None:
        self._given.put_nowait(one)

    async def sample(self) -> Round:
        one = await self._given.get()
        self.taken += 1
        return one

    async def aclose(self) -> None:
        self.is_closed = True


class PictureDesk(Desk):
    """Shows the pictures it is given, whatever the sampler brings."""

    def __init__(self, *pictures: ServerPicture) -> None:
        super().__init__()
        self.give(*pictures)

    def give(self, *pictures: ServerPicture) -> None:
        self._pictures = {one.key: one for one in pictures}

    def take(self, taken: Round) -> None:
        del taken


def app_showing(
    *pictures: ServerPicture, theme: str = "mecha-dark", ascii_only: bool = False
) -> MechaApp:
    """Return an app that shows ready pictures."""
    app = MechaApp(ScriptedSampler(), theme=theme, ascii_only=ascii_only)
    app.desk = PictureDesk(*pictures)
    return app


def text_of(app: MechaApp) -> str:
    """Return the screen's text as it is drawn."""
    canvas = app.screen.query_one(Canvas)
    lines = [canvas.strip(y).text for y in range(app.size.height)]
    return "\n".join(lines)


async def until(pilot: Pilot[None], met: Callable[[], bool]) -> None:
    """Let the app run until a condition holds; a slow machine only takes longer."""
    for _ in range(500):
        await pilot.pause()
        if met():
            return
        await asyncio.sleep(0.01)
    pytest.fail("the app never reached the expected state")
