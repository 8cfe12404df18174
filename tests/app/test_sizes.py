"""No size of the terminal breaks the screen, and every size shows something useful."""

from __future__ import annotations

import itertools

import pytest

from mecha_tui.app.key_uses import hints
from mecha_tui.app.keys import Place
from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.state import ServerState
from mecha_tui.present.dashboard import dashboard
from mecha_tui.present.text import plain, width_of
from mecha_tui.present.view import View
from tests.app import scenes
from tests.app.support import app_showing, text_of

WIDTHS = (1, 2, 3, 5, 8, 13, 20, 30, 45, 46, 59, 60, 79, 80, 99, 100, 119, 120, 200)
HEIGHTS = (1, 2, 3, 4, 5, 8, 10, 11, 12, 15, 19, 20, 23, 24, 30, 40, 60)
PICTURES = {
    "busy": scenes.busy(),
    "calm": scenes.calm(),
    "many": scenes.many_slots(128),
    "shared": scenes.shared_pool(),
    "old": scenes.old_build(),
    "router": scenes.router(),
    "locked": scenes.fresh(ServerState.LOCKED, "401"),
    "lost": scenes.lost(ServerState.DOWN, "connection refused"),
    "hostile": scenes.named(scenes.busy(), scenes.HOSTILE),
    "wide": scenes.named(scenes.busy(), scenes.WIDE),
    "nothing": None,
}


@pytest.mark.parametrize("name", PICTURES)
def test_every_size_is_filled_exactly(name: str) -> None:
    keys = hints(Place.DASHBOARD)
    for width, height in itertools.product(WIDTHS, HEIGHTS):
        view = View(PICTURES[name], count=3, hints=keys, chosen_slot=0, paused_wall_s=1.0)
        frame = dashboard(view, width, height)
        assert [width_of(one) for one in frame.lines] == [width] * height, (width, height)


@pytest.mark.parametrize("height", HEIGHTS)
def test_every_size_tells_the_servers_state(height: int) -> None:
    view = View(scenes.busy(), hints=hints(Place.DASHBOARD))
    for width in WIDTHS:
        text = "\n".join(plain(one) for one in dashboard(view, width, height).lines)
        assert "●" in text, (width, height)
        if width >= 8:
            assert "ready" in text, (width, height)
        if width >= 20 and height >= 3:
            assert "2 disagree" in text, (width, height)
            assert "busy" in text, (width, height)


@pytest.mark.parametrize("picture", [scenes.busy(), scenes.many_slots(128), scenes.router()])
async def test_resizing_never_crashes_any_screen(picture: ServerPicture) -> None:
    app = app_showing(picture)
    sizes = [
        (200, 60),
        (120, 40),
        (80, 24),
        (60, 15),
        (30, 8),
        (10, 3),
        (2, 2),
        (1, 1),
        (1, 40),
        (200, 1),
    ]
    async with app.run_test(size=(200, 60), notifications=True) as pilot:
        for key in ("", *(["enter"] if picture.slots else []), "a", "m", "3", "e", "question_mark"):
            if key:
                await pilot.press(key)
            for size in sizes:
                await pilot.resize_terminal(*size)
                lines = text_of(app).split("\n")
                assert len(lines) == size[1]
            await pilot.resize_terminal(120, 40)
            if key:
                await pilot.press("q")
        assert app.return_code is None
