"""Keys change what is seen, and the picture follows the rounds."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from mecha_tui.app.app import MechaApp
from mecha_tui.app.keys import KEYS_BY_PLACE, Place
from mecha_tui.app.screens.agreement import AgreementScreen
from mecha_tui.app.screens.dashboard import DashboardScreen
from mecha_tui.app.screens.events import EventsScreen
from mecha_tui.app.screens.help import HelpScreen
from mecha_tui.app.screens.inspection import InspectionScreen
from mecha_tui.app.screens.memory import MemoryScreen
from mecha_tui.app.screens.overview import OverviewScreen
from mecha_tui.app.screens.speed import SpeedScreen
from mecha_tui.app.screens.tasks import TasksScreen
from mecha_tui.core.replies import Answer, Replies
from mecha_tui.core.sample import Round, ServerSample
from mecha_tui.core.slots import Slot
from tests.app import scenes
from tests.app.support import ScriptedSampler, app_showing, text_of, until

SIZE = (120, 40)


def round_with(taken_s: float, held: int, slots: int = 2) -> Round:
    found = tuple(Slot(at, True, 8192, 7, held, 10, 0, held - 10, 100) for at in range(slots))
    replies = Replies(slots=Answer(taken_s, found, taken_s=taken_s))
    return Round(
        taken_s, 1_795_867_471.0 + taken_s, (ServerSample("http://127.0.0.1:1", replies=replies),)
    )


def is_on(app: MechaApp, screen: type[object]) -> bool:
    return isinstance(app.screen, screen)


def has_ended(app: MechaApp) -> bool:
    return not app.is_running


async def test_a_round_is_drawn_as_soon_as_it_is_taken() -> None:
    sampler = ScriptedSampler()
    app = MechaApp(sampler, interval_s=0.0)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        sampler.give(round_with(1.0, 1234))
        await until(pilot, lambda: "1,234 / 8,192" in text_of(app))
        sampler.give(round_with(2.0, 1284))
        await until(pilot, lambda: "1,284 / 8,192" in text_of(app))
        assert "50.0" in text_of(app), "the rate of 50 tokens in one second"
    assert sampler.is_closed


async def test_pausing_freezes_the_picture_but_not_the_counting() -> None:
    sampler = ScriptedSampler(round_with(1.0, 1000))
    app = MechaApp(sampler, interval_s=0.0)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, lambda: "1,000 / 8,192" in text_of(app))
        await pilot.press("p")
        assert "‖ paused" in text_of(app)
        assert "p go on" in text_of(app)
        sampler.give(round_with(2.0, 1100))
        await until(pilot, lambda: sampler.taken == 2)
        assert "1,000 / 8,192" in text_of(app)
        await pilot.press("p")
        await until(pilot, lambda: "1,100 / 8,192" in text_of(app))
        assert "‖ paused" not in text_of(app)
        assert "p pause" in text_of(app)


async def test_the_arrows_choose_a_slot_and_the_ends_hold() -> None:
    app = app_showing(scenes.busy())
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await pilot.press("up")
        assert app.desk.chosen_slot == 0
        await pilot.press("down", "j", "j", "j", "j")
        assert app.desk.chosen_slot == 3
        await pilot.press("k")
        assert app.desk.chosen_slot == 2
        assert "› 2" in text_of(app)


async def test_the_mouse_chooses_a_slot_and_a_double_click_looks_into_it() -> None:
    app = app_showing(scenes.busy())
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        line = next(y for y, one in enumerate(text_of(app).split("\n")) if " 2  ▶" in one)
        await pilot.click(offset=(20, line))
        assert app.desk.chosen_slot == 2
        await pilot.double_click(offset=(20, line))
        await until(pilot, lambda: isinstance(app.screen, InspectionScreen))


async def test_many_slots_scroll_and_the_chosen_one_stays_in_sight() -> None:
    app = app_showing(scenes.many_slots(128))
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await pilot.press("end")
        assert "› 127" in text_of(app)
        assert "of 128" in text_of(app)
        await pilot.press("home")
        assert "›   0" in text_of(app)
        await pilot.press(*["down"] * 40)
        assert "›  40" in text_of(app)


async def test_the_chosen_slot_is_kept_by_its_id_when_slots_come_and_go() -> None:
    app = app_showing(scenes.busy())
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await pilot.press("down", "down")
        picture = scenes.busy()
        app.desk.give(replace(picture, slots=picture.slots[1:]))  # type: ignore[attr-defined]  # the tests' desk
        app.redraw()
        await pilot.pause()
        assert app.desk.chosen_slot == 2
        assert "› 2" in text_of(app)


async def test_every_key_of_the_dashboard_opens_its_screen_and_q_closes_it() -> None:
    app = app_showing(scenes.busy())
    screens = {
        "enter": InspectionScreen,
        "2": InspectionScreen,
        "a": AgreementScreen,
        "1": AgreementScreen,
        "m": MemoryScreen,
        "4": MemoryScreen,
        "3": SpeedScreen,
        "e": EventsScreen,
        "5": EventsScreen,
        "question_mark": HelpScreen,
    }
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        for key, screen in screens.items():
            await pilot.press(key)
            await until(pilot, partial(is_on, app, screen))
            await pilot.press("q" if key.isdigit() else "escape")
            await until(pilot, lambda: isinstance(app.screen, DashboardScreen))


async def test_s_shows_the_next_server_and_after_the_last_comes_the_first() -> None:
    second = replace(scenes.named(scenes.calm(), "second"), key="b", url="http://127.0.0.1:8081")
    app = app_showing(scenes.busy(), second)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        assert "server 1 of 2" in text_of(app)
        await pilot.press("s")
        assert "second" in text_of(app)
        assert "server 2 of 2" in text_of(app)
        await pilot.press("s")
        assert "server 1 of 2" in text_of(app)


async def test_o_shows_every_server_and_keys_or_the_mouse_choose_one() -> None:
    others = [
        replace(
            scenes.named(scenes.calm(), f"model-{place}"), key=str(place), url=f"http://h:{place}"
        )
        for place in range(2, 51)
    ]
    app = app_showing(scenes.busy(), *others)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await pilot.press("o")
        assert "50 servers" in text_of(app)
        assert "model-2" in text_of(app)
        await pilot.press("down", "down", "enter")
        assert "server 3 of 50" in text_of(app)
        await pilot.press("o", "5")
        assert "server 5 of 50" in text_of(app)
        await pilot.press("o", "up", "up", "up", "up", "up")
        assert "model-50" in text_of(app), "the chosen one is scrolled to"
        await pilot.press("q")
        assert "server 50 of 50" in text_of(app)
        await pilot.press("o", "down")
        await pilot.click(offset=(10, 5))
        assert "server 3 of 50" in text_of(app)


async def test_a_strip_of_all_servers_stands_above_where_there_are_several() -> None:
    second = replace(scenes.named(scenes.calm(), "second"), key="b", url="http://127.0.0.1:8081")
    app = app_showing(scenes.busy(), second)
    async with app.run_test(size=SIZE, notifications=True):
        assert "second 3/4" in text_of(app).splitlines()[1]


async def test_256_slots_are_sorted_and_the_idle_ones_left_out() -> None:
    app = app_showing(scenes.many_slots(256))
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        slots = {one.slot.slot_id: one for one in app.desk.view.slots}
        assert list(slots) == list(range(256))
        await pilot.press("v")
        ratios = [one.fuel.ratio or 0.0 for one in app.desk.view.slots]
        assert ratios == sorted(ratios, reverse=True)
        assert "fullest first" in text_of(app)
        await pilot.press("f")
        busy = [number for number, one in slots.items() if one.slot.is_processing]
        assert sorted(one.slot.slot_id for one in app.desk.view.slots) == busy
        assert 0 < len(busy) < 256
        assert f"of {len(busy)}" in text_of(app)
        assert "busy only" in text_of(app)
        await pilot.press("G")
        assert app.desk.chosen_slot == app.desk.view.slots[-1].slot.slot_id
        many = scenes.many_slots(256)
        app.desk._pictures = {many.key: replace(many, slots=many.slots[2:3])}
        app.redraw()
        assert "no slot is busy" in text_of(app)
        app.desk._pictures = {many.key: many}
        await pilot.press("f", "v", "v")
        assert [one.slot.slot_id for one in app.desk.view.slots] == list(range(256))


async def test_y_copies_the_chosen_cure() -> None:
    app = app_showing(scenes.busy())
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await pilot.press("a")
        await pilot.press("y")
        assert app.clipboard == "context_window = 8192"
        await pilot.press("right", "y")
        assert app.clipboard == "-c 131072"
        assert "copied: -c 131072" in text_of(app)


async def test_inspection_follows_the_rounds() -> None:
    sampler = ScriptedSampler(round_with(1.0, 1000))
    app = MechaApp(sampler, interval_s=0.0)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, lambda: "1,000 / 8,192" in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: "slot 0" in text_of(app))
        sampler.give(round_with(2.0, 1100))
        await until(pilot, lambda: "1,100 / 8,192" in text_of(app))
        await pilot.press("right")
        assert "slot 1" in text_of(app)


async def test_a_key_hint_can_be_clicked() -> None:
    app = app_showing(scenes.busy())
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        last = text_of(app).split("\n")[-1]
        await pilot.click(offset=(last.index("agreement"), SIZE[1] - 1))
        await until(pilot, lambda: isinstance(app.screen, AgreementScreen))
        last = text_of(app).split("\n")[-1]
        await pilot.click(offset=(last.index("close"), SIZE[1] - 1))
        await until(pilot, lambda: isinstance(app.screen, DashboardScreen))


async def test_q_and_control_c_leave_with_success() -> None:
    for key in ("q", "ctrl+c"):
        app = app_showing(scenes.busy())
        async with app.run_test(size=SIZE, notifications=True) as pilot:
            await pilot.press(key)
            await until(pilot, partial(has_ended, app))
        assert app.return_code == 0


async def test_control_c_leaves_from_any_screen() -> None:
    app = app_showing(scenes.busy())
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await pilot.press("enter", "ctrl+c")
        await until(pilot, lambda: not app.is_running)
    assert app.return_code == 0


def test_no_key_means_two_things_in_one_place() -> None:
    for place in Place:
        if place is Place.EVERYWHERE:
            continue
        beside: tuple[Place, ...] = (place, Place.EVERYWHERE)
        if place in (Place.INSPECTION, Place.AGREEMENT):
            beside = (*beside, Place.PAGE)
        names = [
            name for where in beside for key in KEYS_BY_PLACE[where] for name in key.keys.split(",")
        ]
        assert len(names) == len(set(names)), place


def test_every_key_has_an_id_of_its_own_and_says_what_it_does() -> None:
    every = [key for keys in KEYS_BY_PLACE.values() for key in keys]
    assert len({key.id for key in every}) == len(every)
    for key in every:
        assert key.tooltip.endswith(".")
        assert key.description


def test_every_action_of_the_table_exists() -> None:
    owners = {
        Place.DASHBOARD: DashboardScreen,
        Place.PAGE: EventsScreen,
        Place.INSPECTION: InspectionScreen,
        Place.AGREEMENT: AgreementScreen,
        Place.OVERVIEW: OverviewScreen,
        Place.TASKS: TasksScreen,
    }
    for place, keys in KEYS_BY_PLACE.items():
        for key in keys:
            name = key.action.split("(")[0]
            owner = MechaApp if name.startswith("app.") else owners[place]
            assert hasattr(owner, f"action_{name.removeprefix('app.')}"), key.id
