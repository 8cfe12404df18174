"""The canvas puts every tile where the frame says, also when a later frame is cut differently."""

from __future__ import annotations

from textual.geometry import Region

from mecha_tui.app.app import MechaApp
from mecha_tui.app.widgets.canvas import Canvas, Tile
from mecha_tui.core.replies import Replies
from tests.app.support import ScriptedSampler, until
from tests.rounds import replies, round_at, sample, writing


async def test_tiles_move_when_the_first_slots_change_the_layout() -> None:
    sampler = ScriptedSampler(round_at(0.0, sample(Replies())))
    app = MechaApp(sampler, interval_s=0.0)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: sampler.taken == 1)
        canvas = app.screen.query_one(Canvas)
        before = canvas.frame.boxes
        sampler.give(round_at(1.0, sample(replies(1.0, (writing(0, 1, 500, 50),)))))
        await until(pilot, lambda: canvas.frame.boxes != before)
        await until(pilot, lambda: all(map(_is_in_place, canvas.query(Tile))))


def _is_in_place(tile: Tile) -> bool:
    box = tile.box
    return not box.width or tile.region == Region(box.x, box.y, box.width, box.height)
