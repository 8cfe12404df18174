"""The list of events is not flooded by a queue that comes and goes."""

from __future__ import annotations

from mecha_tui.core.events import Event, EventKind
from mecha_tui.present.panels.events_panel import collapsed, events_lines
from mecha_tui.present.text import plain, width_of

QUEUES = tuple(Event(43_471 - at, EventKind.QUEUE, str(1 + at)) for at in range(5))
READY = Event(43_400, EventKind.STATE, "ready")


def test_a_run_of_queues_is_one_line_with_the_newest_count() -> None:
    found = collapsed((*QUEUES, READY, *QUEUES[:1]))
    assert [event.kind for event in found] == [EventKind.QUEUE, EventKind.STATE, EventKind.QUEUE]
    assert found[0].subject == "1"
    assert found[0].detail == "5 times since 12:04"
    assert found[2].detail is None


def test_every_line_fits_and_begins_with_the_time() -> None:
    for width in (10, 30, 60):
        lines = events_lines((*QUEUES, READY), width, 3)
        assert all(width_of(one) <= width for one in lines)
        assert plain(lines[0]).startswith("12:04")


def test_no_event_is_said_in_words() -> None:
    assert [plain(one) for one in events_lines((), 30, 3)] == ["nothing yet"]
