"""One server after another is one story, whoever restarted it and however it was noticed."""

from __future__ import annotations

from dataclasses import replace

from mecha_tui.core.events import Event, EventKind
from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.replies import Failure, Replies
from mecha_tui.core.server import Counters, Props, ServerProcess
from mecha_tui.core.slots import Slot
from mecha_tui.core.succession import Proof
from mecha_tui.present.words import event_text
from tests.unit.test_watch import IDLE, PROPS, UNUSED, Watch, reading, writing

BUILT = replace(PROPS, build="b1", model_alias="tiny")
OTHER = Props(slot_count=1, slot_window_tokens=50, model_path="/o.gguf", build="b2")
FIRST, SECOND = ServerProcess(7, 1.0), ServerProcess(8, 2.0)


def replaced(picture: ServerPicture) -> list[Event]:
    return [event for event in picture.events if event.kind is EventKind.REPLACED]


def states(picture: ServerPicture) -> list[str]:
    return [event.subject for event in picture.events if event.kind is EventKind.STATE]


def see(
    watch: Watch, props: Props, *slots: Slot, process: ServerProcess | None = None
) -> ServerPicture:
    replies = Replies(props=watch.good(props), slots=watch.good(slots))
    return watch.see(replies, process=process)


def count(watch: Watch, tokens: float) -> ServerPicture:
    replies = Replies(
        props=watch.good(BUILT),
        slots=watch.good((IDLE,)),
        metrics=watch.good(Counters(prompt_tokens=tokens, written_tokens=tokens)),
    )
    return watch.see(replies)


def test_model_now_and_process_two_seconds_later_are_one_event() -> None:
    watch, small = Watch(), Slot(0, False, 50)
    see(watch, BUILT, IDLE, UNUSED, process=FIRST)
    see(watch, OTHER, small, process=FIRST)
    watch.see(Replies(), process=FIRST)
    picture = see(watch, OTHER, small, process=SECOND)
    (event,) = replaced(picture)
    assert event_text(event) == (
        "restarted with another model: model tiny → o.gguf, build b1 → b2, "
        "window 100 → 50, slots 2 → 1, pid 7 → 8"
    )
    assert event.replacement is not None
    assert event.replacement.proofs == (Proof.MODEL, Proof.PROCESS)


def test_down_loading_and_back_become_one_event_with_how_long_it_took() -> None:
    watch = Watch()
    see(watch, BUILT, IDLE, process=FIRST)
    watch.lose()
    picture = watch.see(Replies(props=watch.bad(Failure.LOADING)), 20.0, process=SECOND)
    assert (states(picture), replaced(picture)) == (["loading", "down", "ready"], [])
    picture = see(watch, BUILT, UNUSED, UNUSED, process=SECOND)
    assert states(picture) == ["ready"]
    (event,) = replaced(picture)
    assert "restarted, away 21 s" in event_text(event)
    assert "pid 7 → 8" in event_text(event)


def test_back_first_and_the_process_seen_later_is_still_one_event() -> None:
    watch = Watch()
    see(watch, BUILT, IDLE, process=FIRST)
    watch.lose(step_s=1.0)
    picture = see(watch, BUILT, process=FIRST)
    assert states(picture) == ["ready", "down", "ready"]
    picture = see(watch, BUILT, UNUSED, process=SECOND)
    assert states(picture) == ["ready"]
    assert len(replaced(picture)) == 1


def test_another_machines_restart_is_known_by_counters_that_went_back() -> None:
    watch = Watch()
    count(watch, 900.0)
    picture = count(watch, 10.0)
    (event,) = replaced(picture)
    assert event_text(event).endswith("known by its counters, which went back")
    assert len(replaced(count(watch, 20.0))) == 1


def test_another_machines_restart_is_known_by_task_numbers_that_went_back() -> None:
    watch = Watch()
    watch.round(writing(5, task=900))
    picture = watch.round(writing(5, task=3))
    assert [event.replacement and event.replacement.proofs for event in replaced(picture)] == [
        (Proof.TASKS,)
    ]
    assert picture.slots[0].tokens_per_s is None


def test_another_machines_restart_is_known_by_its_loading() -> None:
    watch = Watch()
    see(watch, BUILT, IDLE)
    watch.see(Replies(props=watch.bad(Failure.LOADING)))
    picture = see(watch, BUILT, UNUSED, UNUSED)
    (event,) = replaced(picture)
    assert "known by its loading" in event_text(event)


def test_another_machines_restart_is_known_after_a_gap_by_slots_that_are_as_new() -> None:
    watch = Watch()
    see(watch, BUILT, IDLE)
    watch.lose()
    (event,) = replaced(see(watch, BUILT, UNUSED, UNUSED))
    assert "known by its slots" in event_text(event)


def test_a_gap_with_another_build_after_it_is_a_restart() -> None:
    watch = Watch()
    see(watch, BUILT, UNUSED)
    watch.lose()
    (event,) = replaced(see(watch, replace(BUILT, build="b9"), UNUSED))
    assert "away" in event_text(event)
    assert "build b1 → b9" in event_text(event)


def test_a_gap_of_the_network_alone_is_no_restart() -> None:
    watch = Watch()
    see(watch, BUILT, IDLE)
    watch.lose()
    picture = see(watch, BUILT, IDLE)
    assert replaced(picture) == []
    assert states(picture) == ["ready", "down", "ready"]


def test_waking_makes_the_slots_as_new_and_is_no_restart() -> None:
    watch = Watch()
    see(watch, BUILT, replace(IDLE, task_id=42), UNUSED)
    asleep = watch.see(Replies(props=watch.good(replace(BUILT, is_sleeping=True))))
    assert all(one.is_gone for one in asleep.slots)
    assert (asleep.busy, asleep.held_tokens) == (0, None)
    assert replaced(see(watch, BUILT, UNUSED, reading(5, 65, 1))) == []


def test_a_second_restart_is_a_second_event() -> None:
    watch = Watch()
    for pid in (1, 2, 3):
        for _ in range(20):
            picture = see(watch, BUILT, IDLE, process=ServerProcess(pid, 1.0))
    assert len(replaced(picture)) == 2


def test_two_servers_that_answer_in_turns_are_told_as_that_and_once() -> None:
    watch = Watch()
    for _ in range(6):
        for props in (BUILT, OTHER):
            for _ in range(10):
                picture = see(watch, props, UNUSED)
    (event,) = replaced(picture)
    assert "two servers answer here in turns" in event_text(event)
    assert "tiny" in event_text(event)
    assert "o.gguf" in event_text(event)


def test_two_processes_that_answer_in_turns_are_told_as_that_and_once() -> None:
    watch = Watch()
    for _ in range(6):
        for process in (FIRST, SECOND):
            for _ in range(3):
                picture = see(watch, BUILT, UNUSED, process=process)
    (event,) = replaced(picture)
    assert "pid 7" in event_text(event)
    assert "pid 8" in event_text(event)


def test_going_back_to_an_earlier_model_after_a_stop_is_a_restart() -> None:
    watch = Watch()
    for props in (BUILT, OTHER, BUILT):
        see(watch, props, UNUSED)
        picture = watch.lose(step_s=20.0)
    assert [event.subject for event in replaced(picture)] == ["other-model", "other-model"]
