"""A slot's row says what the server said, and the table fits into any width."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from mecha_tui.core.slots import Phase, Slot
from mecha_tui.present.rows import Cells, cells, heading, placed, row
from mecha_tui.present.text import Tone, plain, width_of
from tests.app import scenes

SLOTS = st.builds(
    Slot,
    slot_id=st.integers(0, 999),
    is_processing=st.sampled_from([None, True, False]),
    window_tokens=st.one_of(st.none(), st.integers(1, 10**7)),
    task_id=st.one_of(st.none(), st.integers(-1, 10**9)),
    held_tokens=st.one_of(st.none(), st.integers(0, 10**7)),
    read_tokens=st.one_of(st.none(), st.integers(0, 10**7)),
    reused_tokens=st.one_of(st.none(), st.integers(0, 10**7)),
    written_tokens=st.one_of(st.none(), st.integers(0, 10**7)),
    remaining_tokens=st.one_of(st.none(), st.integers(-1, 10**7)),
    is_unlimited=st.booleans(),
)


def texts(slot: Slot, **more: object) -> dict[str, str]:
    picture = replace(scenes.slot_picture(slot, None), **more)  # type: ignore[arg-type]  # each test's own
    return {name: plain(cell) for name, cell in cells(picture, scenes.NOW_S).items()}


def test_a_writing_slot() -> None:
    slot = scenes.slot(0, Phase.WRITING, 5571, remaining_tokens=410)
    found = texts(slot, tokens_per_s=38.2, since_s=scenes.NOW_S - 21)
    assert found == {
        "slot": "0",
        "state": "▶ writing",
        "task": "4700",
        "percent": "68 %",
        "held": "5,571",
        "window": "/ 8,192",
        "reused": "98 %",
        "rate": "38.2",
        "left": "410",
        "time": "0:21",
        "note": "",
    }


def test_an_idle_slot_shows_what_it_holds_and_none_of_the_leftovers() -> None:
    leftover = scenes.slot(3, Phase.IDLE, 998, read_tokens=0, reused_tokens=0, remaining_tokens=5)
    found = texts(leftover, since_s=scenes.NOW_S - 252)
    assert found["task"] == found["rate"] == found["left"] == found["reused"] == "–"
    assert (found["held"], found["note"], found["time"]) == ("998", "cached", "4 min")


def test_a_slot_that_never_ran_holds_what_nobody_knows_unless_nothing_can_be_restored() -> None:
    found = texts(Slot(0, is_processing=False, window_tokens=8192))
    assert (found["held"], found["percent"], found["note"]) == ("–", "–", "unused")
    found = texts(Slot(0, is_processing=False, window_tokens=8192, held_tokens=0))
    assert (found["held"], found["percent"], found["note"]) == ("0", "0 %", "unused")


def test_a_build_that_counts_nothing_shows_no_zero() -> None:
    found = texts(Slot(0, is_processing=False, window_tokens=8192, task_id=7))
    assert (found["held"], found["percent"], found["reused"]) == ("–", "–", "–")
    drawn = plain(
        row(placed(60, [Cells({})]), scenes.slot_picture(Slot(0, False, 8192, 7), None), {})
    )
    assert "┄┄" in drawn
    assert "─" not in drawn


def test_a_slot_that_is_gone_has_no_figures_and_says_what_was_lost() -> None:
    blank = scenes.slot_picture(Slot(1, window_tokens=8192), None)
    gone = replace(blank, is_gone=True, lost_tokens=5571)
    found = texts(gone.slot, is_gone=True, lost_tokens=5571)
    assert (found["state"], found["note"], found["window"]) == ("✗ gone", "", "/ 8,192")
    assert {found[name] for name in ("percent", "held", "reused", "rate", "time")} == {"–"}
    drawn = plain(row(placed(90, [Cells({})]), gone, cells(gone, scenes.NOW_S)))
    assert "lost 5,571 tokens" in drawn
    assert not set(drawn) & set("━─┄")


def test_no_limit_is_a_sign_and_an_unknown_limit_is_not() -> None:
    assert texts(scenes.slot(0, Phase.WRITING, 10, is_unlimited=True))["left"] == "∞"
    assert texts(scenes.slot(0, Phase.WRITING, 10))["left"] == "–"


def test_fullness_colours_a_busy_slot_and_leaves_an_idle_one_grey() -> None:
    busy = cells(scenes.slot_picture(scenes.slot(0, Phase.WRITING, 7455), None), scenes.NOW_S)
    idle = cells(scenes.slot_picture(scenes.slot(0, Phase.IDLE, 7455), None), scenes.NOW_S)
    assert busy["percent"][0].tone is Tone.ERROR
    assert idle["percent"][0].tone is Tone.MUTED


def test_a_narrow_table_keeps_the_gauge_and_a_wide_one_shows_everything() -> None:
    rows = [cells(one, scenes.NOW_S) for one in scenes.four_slots()]
    assert [one.name for one in placed(34, rows)] == ["slot", "state", "gauge", "percent", "held"]
    assert len(placed(114, rows)) == 12


@given(st.lists(SLOTS, min_size=1, max_size=5), st.integers(20, 200))
def test_every_row_has_the_headings_width(slots: list[Slot], width: int) -> None:
    pictures = [scenes.slot_picture(slot, 8192, 12.0, 3) for slot in slots]
    texts_of = [cells(one, scenes.NOW_S) for one in pictures]
    columns = placed(width, texts_of)
    wide = width_of(heading(columns))
    assert all(
        width_of(row(columns, one, found)) == wide
        for one, found in zip(pictures, texts_of, strict=True)
    )
    if any(column.name == "gauge" and column.width > 0 for column in columns):
        assert wide <= width
