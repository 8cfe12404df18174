"""What the user sees, compared byte for byte with pictures that were looked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from textual.app import App

from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.slots import Phase
from mecha_tui.core.state import ServerState
from tests.app import scenes
from tests.app.support import app_showing, text_of

Compare = Callable[[App[None]], None]

LARGE, MIDDLE, SMALL = (120, 40), (80, 24), (60, 15)


async def compare(
    assert_svg: Compare,
    *pictures: ServerPicture,
    size: tuple[int, int] = MIDDLE,
    theme: str = "mecha-dark",
    keys: tuple[str, ...] = (),
    ascii_only: bool = False,
) -> None:
    app = app_showing(*pictures, theme=theme, ascii_only=ascii_only)
    async with app.run_test(size=size, notifications=True) as pilot:
        await pilot.pause()
        await pilot.press(*keys)
        await pilot.pause()
        assert_svg(app)


@pytest.mark.parametrize("theme", ["mecha-dark", "mecha-light"])
@pytest.mark.parametrize("size", [LARGE, MIDDLE, SMALL], ids=["120x40", "80x24", "60x15"])
async def test_the_dashboard(assert_svg: Compare, size: tuple[int, int], theme: str) -> None:
    await compare(assert_svg, scenes.busy(), size=size, theme=theme)


async def test_all_agree(assert_svg: Compare) -> None:
    await compare(assert_svg, scenes.calm(), size=(120, 30))


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        (ServerState.CONNECTING, None),
        (ServerState.LOADING, "Loading model"),
        (ServerState.NOT_ANSWERING, "no answer within 5 s"),
        (ServerState.ASLEEP, None),
        (ServerState.LOCKED, "401: Invalid API Key"),
        (ServerState.DOWN, "connection refused"),
        (ServerState.NOT_LLAMA_SERVER, "/props answered with HTML"),
    ],
    ids=lambda value: value.value if isinstance(value, ServerState) else "",
)
async def test_a_server_that_never_showed_slots(
    assert_svg: Compare, state: ServerState, reason: str | None
) -> None:
    await compare(assert_svg, scenes.fresh(state, reason))


async def test_a_lost_server_keeps_its_last_picture_greyed(assert_svg: Compare) -> None:
    await compare(assert_svg, scenes.lost(ServerState.DOWN, "connection refused"), size=(120, 30))


async def test_a_busy_server_that_does_not_answer_shows_the_pictures_age(
    assert_svg: Compare,
) -> None:
    picture = scenes.lost(ServerState.NOT_ANSWERING, "/slots has not answered for 76 s")
    await compare(assert_svg, picture)


async def test_an_idle_server_that_is_left_alone_says_why(assert_svg: Compare) -> None:
    idle = scenes.slot_picture(scenes.slot(0, Phase.IDLE, 998), 8192, None, 252)
    why = "idle, and not asked so that the server can fall asleep"
    picture = replace(
        scenes.calm(), slots=(idle,), slots_taken_s=scenes.NOW_S - 45, slots_reason=why, busy=0
    )
    await compare(assert_svg, picture)


async def test_an_empty_screen_before_the_first_round(assert_svg: Compare) -> None:
    await compare(assert_svg)


async def test_a_router_lists_its_models(assert_svg: Compare) -> None:
    await compare(assert_svg, scenes.router())


async def test_a_paused_picture_says_so(assert_svg: Compare) -> None:
    await compare(assert_svg, scenes.busy(), keys=("p",))


async def test_twelve_slots(assert_svg: Compare) -> None:
    await compare(assert_svg, scenes.many_slots(12), keys=("end",))


async def test_a_shared_pool(assert_svg: Compare) -> None:
    await compare(assert_svg, scenes.shared_pool(), size=(120, 30))


async def test_an_old_build_that_counts_nothing(assert_svg: Compare) -> None:
    await compare(assert_svg, scenes.old_build())


async def test_a_hostile_alias(assert_svg: Compare) -> None:
    await compare(assert_svg, scenes.named(scenes.busy(), scenes.HOSTILE))


async def test_an_alias_of_wide_characters(assert_svg: Compare) -> None:
    await compare(assert_svg, scenes.named(scenes.busy(), scenes.WIDE))


async def test_the_second_of_two_servers(assert_svg: Compare) -> None:
    second = replace(scenes.named(scenes.calm(), "second"), key="b", url="http://127.0.0.1:8081")
    await compare(assert_svg, scenes.busy(), second, size=(120, 30), keys=("s",))


async def test_a_summary_where_panels_do_not_fit(assert_svg: Compare) -> None:
    await compare(assert_svg, scenes.busy(), size=(30, 8))


async def test_a_terminal_that_is_not_utf8(assert_svg: Compare) -> None:
    await compare(assert_svg, scenes.named(scenes.busy(), scenes.WIDE), ascii_only=True)


@pytest.mark.parametrize("size", [LARGE, SMALL], ids=["120x40", "60x15"])
async def test_slot_inspection(assert_svg: Compare, size: tuple[int, int]) -> None:
    await compare(assert_svg, scenes.busy(), size=size, keys=("down", "down", "enter"))


async def test_slot_inspection_with_texts(assert_svg: Compare) -> None:
    picture = scenes.busy()
    first = picture.slots[0]
    told = replace(
        first.slot,
        prompt="Write [/b]\x1b[31m a poem\nabout 模型.",
        generated="x" * 30_000,
        parameters={},
    )
    picture = replace(picture, slots=(replace(first, slot=told), *picture.slots[1:]))
    await compare(assert_svg, picture, keys=("enter",))


async def test_the_agreement_details(assert_svg: Compare) -> None:
    await compare(assert_svg, scenes.busy(), keys=("a", "right"))


async def test_the_memory_details(assert_svg: Compare) -> None:
    await compare(assert_svg, scenes.busy(), keys=("m",))


@pytest.mark.parametrize("size", [LARGE, MIDDLE, SMALL], ids=["120x40", "80x24", "60x15"])
async def test_the_speed_screen(assert_svg: Compare, size: tuple[int, int]) -> None:
    await compare(assert_svg, scenes.with_usual(), size=size, keys=("3",))


async def test_the_speed_screen_of_a_server_never_seen_before(assert_svg: Compare) -> None:
    await compare(assert_svg, scenes.busy(), keys=("3",))


async def test_a_server_that_became_slow(assert_svg: Compare) -> None:
    await compare(assert_svg, scenes.slowed(), size=(120, 30))


async def test_a_server_as_fast_as_usual(assert_svg: Compare) -> None:
    await compare(assert_svg, scenes.with_usual(), size=(120, 30))


async def test_the_events(assert_svg: Compare) -> None:
    await compare(assert_svg, scenes.busy(), size=SMALL, keys=("e",))


async def test_the_help(assert_svg: Compare) -> None:
    await compare(assert_svg, scenes.busy(), size=(80, 50), keys=("question_mark",))


@pytest.mark.parametrize("theme", ["mecha-dark", "mecha-light", "ansi-dark", "ansi-light"])
async def test_without_colour_every_state_is_still_a_word(
    monkeypatch: pytest.MonkeyPatch, theme: str
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = app_showing(scenes.busy(), theme=theme)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await pilot.pause()
        for word in ("● ready", "▶ writing", "◀ reading", "· idle", "✗ 2 disagree"):
            assert word in text_of(app)
        pairs = {
            (segment.style.color, segment.style.bgcolor)
            for strip in app.screen._compositor.render_strips()
            for segment in strip
            if segment.style is not None and segment.text.strip()
        }
        assert all(color != background or color is None for color, background in pairs)
