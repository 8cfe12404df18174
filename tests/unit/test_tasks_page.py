"""The list of tasks: sorted, filtered, and honest about what was not seen."""

from __future__ import annotations

from dataclasses import replace

from mecha_tui.core.picture import ServerPicture
from mecha_tui.present.pages.inspection import inspection_page
from mecha_tui.present.pages.tasks import TaskOrder, tasks_page
from mecha_tui.present.panels.slots_panel import slots_lines
from mecha_tui.present.text import plain
from mecha_tui.present.view import View
from tests.unit.test_thrash import Server, alternating


def shown(picture: ServerPicture | None, order: TaskOrder, slot: int | None = None) -> list[str]:
    page = tasks_page(View(picture=picture), 110, order, slot)
    return [plain(each) for each in page.lines]


def thrashing() -> ServerPicture:
    return alternating(Server("-cram", "0"))


def test_the_newest_is_first_and_says_what_it_did() -> None:
    lines = shown(thrashing(), TaskOrder.NEWEST)
    row = next(each for each in lines if "at its limit" in each or "done" in each)
    assert row.split()[:5] == ["0", "50", "2", "4,298", "100"]
    assert "⟲ 4,247 read again" in row
    assert any(each.startswith("read twice  13,441 tokens") for each in lines)
    assert any("thrash suspected" in each for each in lines)


def test_the_most_read_again_can_be_first_and_one_slot_alone() -> None:
    lines = shown(thrashing(), TaskOrder.MOST_REREAD)
    assert "5,097 read again" in next(
        each for each in lines if "read again" in each and "⟲" in each
    )
    assert shown(thrashing(), TaskOrder.SLOWEST, 7)[-1] == "no task was seen yet"
    assert shown(None, TaskOrder.NEWEST) == ["Waiting for the first look."]


def test_the_dashboard_and_the_slot_tell_it_too() -> None:
    picture = thrashing()
    drawn = [plain(each) for each in slots_lines(View(picture=picture), 110, 9).lines]
    assert drawn[0].startswith("⟲ thrash suspected: 3 turns of 2 conversations")
    assert "⟲" in drawn[-1]
    page = inspection_page(View(picture=picture, chosen_slot=0), 110)
    assert any("its last tasks" in plain(each) for each in page.lines)
    calm = replace(picture, thrash=None)
    drawn = [plain(each) for each in slots_lines(View(picture=calm), 110, 9).lines]
    assert not drawn[0].startswith("⟲")
