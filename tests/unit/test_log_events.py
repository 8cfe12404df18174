"""What the log tells reaches the picture and its events, and a flood is one line a minute."""

from __future__ import annotations

from mecha_tui.core.events import EventKind
from mecha_tui.core.log_lines import LogFact, LogKind
from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.sample import Round
from mecha_tui.core.server import ServerProcess
from mecha_tui.core.server_log import NEWEST_LIMIT, LogNews
from mecha_tui.core.watch import next_pictures
from mecha_tui.present.words import event_sign, event_text
from tests.rounds import folded, replies, round_at, sample, slot

REFUSED = LogFact(LogKind.REFUSED, 3, None, 11_162, 8_192)
AGAIN = LogFact(LogKind.REPROCESSED, 42, 1)


def looked(at_s: float, *facts: LogFact, pid: int = 7) -> Round:
    news = LogNews("/var/log/llama.log", "", facts)
    process = ServerProcess(pid, 1.0)
    return round_at(at_s, sample(replies(at_s, (slot(0),)), log=news, process=process))


def told(picture: ServerPicture) -> list[str]:
    return [event_text(event) for event in picture.events if event.kind is EventKind.LOG]


def test_a_refused_request_is_an_event_with_both_numbers() -> None:
    picture = folded(looked(0.0), looked(1.0, REFUSED))
    assert told(picture) == ["a request of 11,162 tokens was refused: a slot holds 8,192"]
    assert picture.log.name == "/var/log/llama.log"
    assert picture.log.refused.count == 1
    assert event_sign(picture.events[0]).word == "refused"


def test_a_round_without_news_tells_nothing_again() -> None:
    quiet = round_at(2.0, sample(replies(2.0, (slot(0),)), process=ServerProcess(7, 1.0)))
    picture = folded(looked(1.0, REFUSED), quiet)
    assert len(told(picture)) == 1
    assert picture.log.refused.count == 1
    assert picture.log.name == "/var/log/llama.log"


def test_a_prompt_read_again_is_kept_with_its_slot_task_and_time() -> None:
    picture = folded(looked(1.0, AGAIN), looked(5.0, AGAIN))
    tally = picture.log.reprocessed
    assert tally.count == 2
    assert [(one.seen_s, one.fact.slot_id, one.fact.task_id) for one in tally.newest] == [
        (5.0, 1, 42),
        (1.0, 1, 42),
    ]
    assert told(picture) == ["slot 1 read its whole prompt again: no checkpoint reached back"]


def test_a_flood_is_told_once_a_minute_with_its_count_and_kept_bounded() -> None:
    pictures = next_pictures({}, looked(0.0, REFUSED))
    for at_s in range(1, 121):
        pictures = next_pictures(pictures, looked(float(at_s), *[REFUSED] * 10))
    (picture,) = pictures.values()
    assert told(picture) == [
        "a request of 11,162 tokens was refused: a slot holds 8,192 · and 599 more like it",
        "a request of 11,162 tokens was refused: a slot holds 8,192 · and 599 more like it",
        "a request of 11,162 tokens was refused: a slot holds 8,192",
    ]
    assert picture.log.refused.count == 1201
    assert len(picture.log.refused.newest) == NEWEST_LIMIT


def test_another_process_begins_anew_and_its_events_stay() -> None:
    picture = folded(looked(0.0, AGAIN), looked(1.0, pid=8))
    assert picture.log.reprocessed.count == 0
    assert len(told(picture)) == 1


def test_a_line_without_numbers_claims_none() -> None:
    picture = folded(looked(0.0, LogFact(LogKind.REFUSED), LogFact(LogKind.OVERFLOWED, 1)))
    assert told(picture) == [
        "a request died: the context that all slots share was full",
        "a request was refused: it is longer than a slot",
    ]
