"""The line for tmux is short, styled by tmux's own marks, and safe whatever servers are called."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.replies import Failure
from mecha_tui.core.waiting import Waiting
from mecha_tui.present.clean import cell_width
from mecha_tui.present.tmux_status import WIDTH, tmux_status
from tests.rounds import PROPS, failed, folded, replies, round_at, sample, slot, writing


def busy(name: str = "qwen3.6-35b-a3b") -> ServerPicture:
    slots = (writing(0, 1, 7400, 20), slot(1))
    made = folded(
        round_at(1.0, sample(replies(1.0, slots, props=replace(PROPS, model_alias=name))))
    )
    return replace(made, waiting=Waiting(2, is_exact=True, source="metrics"))


def shown(text: str) -> str:
    """Return what tmux would show: styles gone, doubled marks single."""
    return re.sub(r"#\[[^]]*\]", "", text.replace("##", "\0")).replace("\0", "#")


def test_a_server_is_its_sign_name_slots_queue_and_fullest_slot() -> None:
    assert shown(tmux_status([busy("qwen")])) == "● qwen 1/2 +2 90%"


def test_a_server_that_is_down_says_so_and_shows_no_slots() -> None:
    down = folded(round_at(1.0, sample(failed(1.0, Failure.REFUSED, "refused"))))
    assert shown(tmux_status([down])).startswith("✗ down")
    assert "fg=red" in tmux_status([down])


@pytest.mark.parametrize("name", ["#[fg=red]#(touch x)", "#{pane_id}", "a\nb\x1b[31m", "模型" * 30])
def test_a_name_is_never_read_by_tmux(name: str) -> None:
    text = tmux_status([busy(name)])
    assert not re.search(r"(?<!#)(##)*#[({]", text)
    assert text.isprintable()
    assert cell_width(shown(text)) <= WIDTH


@pytest.mark.parametrize("count", [1, 2, 3, 9, 50])
def test_many_servers_fit_and_those_left_out_are_counted(count: int) -> None:
    text = shown(tmux_status([busy()] * count))
    assert cell_width(text) <= WIDTH
    told = text.count("●")
    assert told == count or text.endswith(f"+{count - told}")


def test_without_utf8_it_is_ascii() -> None:
    assert tmux_status([busy()], is_ascii=True).isascii()
