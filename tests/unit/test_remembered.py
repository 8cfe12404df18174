"""A panel is worked out again when anything that it was made from changed, and only then."""

from __future__ import annotations

import inspect
from dataclasses import replace

import pytest

from mecha_tui.collect.recording import read_rounds
from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.watch import Pictures, next_pictures
from mecha_tui.present import remembered as module
from mecha_tui.present.dashboard import dashboard
from mecha_tui.present.panels import memory_panel, speed_panel
from mecha_tui.present.remembered import remembered
from mecha_tui.present.view import View
from tests.app import scenes
from tests.e2e.test_partial_updates import RECORDING


def counted() -> tuple[list[int], object]:
    calls: list[int] = []

    @remembered
    def verdict(picture: ServerPicture, width: int) -> str:
        calls.append(width)
        return f"{picture.is_lost} {picture.busy} {width}"

    return calls, verdict


def test_what_it_did_not_read_does_not_matter() -> None:
    calls, verdict = counted()
    picture = scenes.busy()
    first = verdict(picture, 10)  # type: ignore[operator]  # the function above
    assert verdict(replace(picture, now_s=picture.now_s + 1), 10) is first  # type: ignore[operator]
    assert calls == [10]


def test_what_it_read_matters_and_so_do_the_other_arguments() -> None:
    calls, verdict = counted()
    picture = scenes.busy()
    verdict(picture, 10)  # type: ignore[operator]
    assert verdict(replace(picture, busy=77), 10) == "False 77 10"  # type: ignore[operator]
    verdict(picture, 11)  # type: ignore[operator]
    assert verdict(picture, 10) == f"False {picture.busy} 10"  # type: ignore[operator]
    assert calls == [10, 10, 11], "the last few results are kept"


def test_a_picture_can_do_nothing_that_would_not_be_noted() -> None:
    own = {name: value for name, value in vars(ServerPicture).items() if name[0] != "_"}
    assert not [name for name, value in own.items() if inspect.isfunction(value)]


@pytest.mark.parametrize("size", [(120, 40), (200, 60), (80, 24), (50, 15)])
def test_a_whole_run_looks_as_if_nothing_were_remembered(
    size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    pictures: Pictures = {}
    seen: list[View] = []
    for taken in read_rounds(RECORDING)[:60]:
        pictures = next_pictures(pictures, taken)
        seen.append(View(next(iter(pictures.values()))))
    remembering = [dashboard(view, *size) for view in seen]
    monkeypatch.setattr(module, "_is_as", lambda *_: False)
    assert remembering == [dashboard(view, *size) for view in seen]


def test_a_second_without_news_draws_no_chart_and_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    picture = replace(scenes.calm(), now_s=scenes.NOW_S)
    dashboard(View(picture), 120, 40)
    for panel, name in ((speed_panel, "chart"), (memory_panel, "memory_parts")):
        monkeypatch.setattr(panel, name, lambda *_: pytest.fail("worked out again"))
    later = replace(picture, now_s=picture.now_s + 1, now_wall_s=picture.now_wall_s + 1)
    dashboard(View(later), 120, 40)
