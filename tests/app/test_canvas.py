"""Only changed cells are written, and what Textual draws whole is not written again."""

from __future__ import annotations

import inspect
import re

import pytest
from rich.console import Console
from textual._compositor import CompositorUpdate
from textual.app import App

from mecha_tui.app.app import MechaApp
from mecha_tui.app.widgets.canvas import Canvas, Changes
from mecha_tui.core.replies import Replies
from tests.app import scenes
from tests.app.support import PictureDesk, ScriptedSampler, app_showing, until
from tests.rounds import replies, round_at, sample, writing

CONSOLE = Console(force_terminal=True, color_system="truecolor", width=120)
MOVE = re.compile(r"\x1b\[(\d+);(\d+)H")


def written(canvas: Canvas) -> str:
    return Changes(canvas).render_segments(CONSOLE)


def test_what_the_canvas_takes_from_inside_textual_is_still_there() -> None:
    assert list(inspect.signature(App._display).parameters) == ["self", "screen", "renderable"]
    assert list(inspect.signature(CompositorUpdate.render_segments).parameters)[1:] == ["console"]


async def test_a_changed_number_is_written_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []
    app = app_showing(scenes.busy())
    async with app.run_test(size=(120, 40)) as pilot:
        canvas = app.screen.query_one(Canvas)
        await until(pilot, lambda: len(canvas._sent) == 40)
        monkeypatch.setattr(
            app, "_display", lambda _, update: sent.append(update.render_segments(CONSOLE))
        )
        app.redraw()
        assert sent == [], "nothing changed"
        one, *others = canvas.frame.lines[5:]
        changed = (*one[:-2], type(one[0])("x", one[-2].tone), *one[-1:])
        canvas.show(type(canvas.frame)((*canvas.frame.lines[:5], changed, *others)))
        assert len(sent) == 1
        assert {row for row, _ in MOVE.findall(sent[0])} == {"6"}
        assert len(sent[0]) < 200, sent


async def test_an_update_that_was_not_written_is_written_with_the_next() -> None:
    app = app_showing(scenes.busy())
    async with app.run_test(size=(120, 40)) as pilot:
        canvas = app.screen.query_one(Canvas)
        await until(pilot, lambda: len(canvas._sent) == 40)
        assert isinstance(app.desk, PictureDesk)
        app.desk.give(scenes.calm())
        app.redraw()  # a test's terminal takes nothing
        assert MOVE.search(written(canvas))
        assert written(canvas) == ""


async def test_a_screen_that_comes_back_is_drawn_whole() -> None:
    app = app_showing(scenes.busy())
    async with app.run_test(size=(120, 40)) as pilot:
        below = app.screen.query_one(Canvas)
        await until(pilot, lambda: len(below._sent) == 40)
        await pilot.press("question_mark")
        below._sent[7] = ()  # what the terminal shows now is the other screen's
        await pilot.press("q")
        await until(pilot, lambda: below._sent.get(7) == below.frame.lines[7])


async def test_a_new_size_is_drawn_whole() -> None:
    sampler = ScriptedSampler(round_at(0.0, sample(Replies())))
    app = MechaApp(sampler, interval_s=0.0)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: sampler.taken == 1)
        canvas = app.screen.query_one(Canvas)
        for size in ((80, 24), (120, 40), (100, 40)):
            await pilot.resize_terminal(*size)
            sampler.give(round_at(1.0, sample(replies(1.0, (writing(0, 1, 500, 50),)))))
            await until(pilot, lambda: canvas.size == app.size == canvas._sent_size)
            await until(pilot, lambda: len(canvas._sent) == app.size.height)
            written(canvas)  # what changed since then
            assert [canvas._sent[y] for y in range(app.size.height)] == list(canvas.frame.lines)
