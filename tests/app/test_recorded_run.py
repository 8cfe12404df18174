"""A recorded run of the demo's real server still reads, folds and draws."""

from __future__ import annotations

from pathlib import Path

from mecha_tui.app.desk import Desk
from mecha_tui.collect.recording import read_rounds
from mecha_tui.present.dashboard import dashboard
from mecha_tui.present.text import plain, width_of

RECORDING = Path(__file__).parents[1] / "data" / "demo-run.jsonl.gz"


def test_every_round_of_a_real_run_is_drawn_exactly() -> None:
    desk = Desk()
    seen: set[str] = set()
    for taken in read_rounds(RECORDING):
        desk.take(taken)
        lines = dashboard(desk.view, 120, 40).lines
        assert [width_of(one) for one in lines] == [120] * 40
        seen |= {word for one in lines for word in plain(one).split()}
    assert {"writing", "reading", "32,768", "8,192", "disagree", "waiting"} <= seen
    assert desk.view.picture is not None
    assert desk.view.picture.writing_tokens_per_s is not None
