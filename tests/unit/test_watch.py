"""Round after round becomes a picture: nothing is made up, and nothing known is lost."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mecha_tui.core.agreement import Severity
from mecha_tui.core.client import ClientPromise
from mecha_tui.core.command_line import launch_flags
from mecha_tui.core.events import EventKind
from mecha_tui.core.happenings import LATE_S
from mecha_tui.core.launch import LaunchFlags
from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.reading import known
from mecha_tui.core.replies import Answer, Failure, Replies
from mecha_tui.core.sample import Round, ServerSample
from mecha_tui.core.server import Counters, Props, Role, ServerProcess
from mecha_tui.core.slots import Slot
from mecha_tui.core.speed import LOOK_PATIENCE_S
from mecha_tui.core.state import ServerState
from mecha_tui.core.watch import METRICS_PATIENCE_S, Pictures, next_pictures

URL = "http://127.0.0.1:8080"
PROPS = Props(slot_count=2, slot_window_tokens=100, model_path="/m.gguf")


class Watch:
    """Feeds rounds to the watch, one second apart."""

    def __init__(self) -> None:
        self.pictures: Pictures = {}
        self.now_s = 1000.0

    def round(self, *slots: Slot, step_s: float = 1.0, **more: Any) -> ServerPicture:  # noqa: ANN401
        """One second later, the server answers with these slots."""
        self.now_s += step_s
        answer = Answer(self.now_s, slots, taken_s=self.now_s)
        return self.see(Replies(props=self.good(PROPS), slots=answer), 0.0, **more)

    def see(self, replies: Replies, step_s: float = 1.0, **more: Any) -> ServerPicture:  # noqa: ANN401
        self.now_s += step_s
        sample = ServerSample(URL, replies=replies, **more)
        self.pictures = next_pictures(self.pictures, Round(self.now_s, 5e9, (sample,)))
        return self.pictures[sample.key]

    def good(self, value: object) -> Answer[Any]:
        return Answer(self.now_s, value, taken_s=self.now_s)

    def bad(self, failure: Failure) -> Answer[Any]:
        return Answer(self.now_s, failure=failure, detail=f"why {failure.value}")

    def lose(self, failure: Failure = Failure.REFUSED, step_s: float = 1.0) -> ServerPicture:
        return self.see(Replies(props=self.bad(failure)), step_s)


@pytest.fixture
def watch() -> Watch:
    return Watch()


def writing(written: int, task: int = 7, slot: int = 0) -> Slot:
    return Slot(slot, True, 100, task, 50 + written, 40, 10, written)


def reading(read: int, task: int = 7, slot: int = 0) -> Slot:
    return Slot(slot, True, 100, task, read + 10, read, 10, 0)


IDLE = Slot(0, False, 100, 7, 60, 0, 0, 0)
UNUSED = Slot(1, False, 100)


def kinds(picture: ServerPicture) -> list[tuple[EventKind, str]]:
    events = [event for event in picture.events if event.kind is not EventKind.FINDING]
    return [(event.kind, event.subject) for event in events]


def test_the_first_look_is_a_baseline_and_gives_no_rate(watch: Watch) -> None:
    picture = watch.round(writing(50))
    assert picture.slots[0].tokens_per_s is None
    assert picture.writing_tokens_per_s is None
    assert picture.slots[0].since_s is None
    assert picture.slots[0].task_since_s is None


def test_rates_come_from_what_grew_within_one_task(watch: Watch) -> None:
    watch.round(writing(50), UNUSED)
    picture = watch.round(writing(90), UNUSED)
    assert picture.slots[0].tokens_per_s == 40.0
    assert picture.slots[1].tokens_per_s is None
    assert picture.writing_tokens_per_s == 40.0
    assert picture.reading_tokens_per_s == 0.0


def test_a_new_task_starts_a_new_rate_and_is_counted_from_its_start(watch: Watch) -> None:
    watch.round(writing(900, task=41))
    picture = watch.round(writing(3, task=42))
    assert picture.slots[0].tokens_per_s is None
    assert picture.writing_tokens_per_s == 3.0
    assert picture.slots[0].task_since_s == watch.now_s


def test_reading_and_writing_are_two_rates(watch: Watch) -> None:
    watch.round(reading(512))
    picture = watch.round(reading(1024))
    assert (picture.slots[0].tokens_per_s, picture.reading_tokens_per_s) == (512.0, 512.0)
    assert picture.writing_tokens_per_s == 0.0
    picture = watch.round(writing(5))
    assert picture.slots[0].tokens_per_s is None
    assert picture.slots[0].since_s == watch.now_s
    assert picture.slots[0].task_since_s is None


def test_an_idle_server_writes_nothing_and_that_is_known(watch: Watch) -> None:
    watch.round(IDLE, UNUSED)
    picture = watch.round(IDLE, UNUSED)
    assert picture.writing_tokens_per_s == 0.0
    assert picture.slots[0].tokens_per_s is None


def test_a_running_slot_that_does_not_count_makes_the_sum_unknown(watch: Watch) -> None:
    old = Slot(1, True, 100, 8)
    watch.round(writing(50), old)
    picture = watch.round(writing(90), old)
    assert picture.slots[0].tokens_per_s == 40.0
    assert picture.writing_tokens_per_s is None


def test_a_task_without_a_number_has_no_rate(watch: Watch) -> None:
    watch.round(replace(writing(50), task_id=None))
    assert watch.round(replace(writing(90), task_id=None)).slots[0].tokens_per_s is None


def test_held_tokens_are_added_up_where_every_slot_says(watch: Watch) -> None:
    assert watch.round(writing(50), UNUSED).held_tokens is None
    flags = launch_flags(["llama-server", "--slot-save-path", "/slots"], {})
    assert watch.round(writing(50), UNUSED, launch=flags).held_tokens is None
    flags = launch_flags(["llama-server"], None)
    assert watch.round(writing(50), UNUSED, launch=flags).held_tokens is None
    flags = launch_flags(["llama-server"], {})
    assert watch.round(writing(50), UNUSED, launch=flags).held_tokens == 100
    assert watch.round(writing(50), Slot(1, True, 100, 3)).held_tokens is None


def test_a_lost_server_keeps_its_last_picture_with_since_when_and_why(watch: Watch) -> None:
    watch.round(writing(50))
    watch.round(writing(90))
    taken_s = watch.now_s
    lost_s = watch.lose().now_s
    picture = watch.lose()
    assert picture.is_lost
    assert picture.condition.state is ServerState.DOWN
    assert picture.condition.reason == "why refused"
    assert picture.state_since_s == lost_s
    assert (picture.slots[0].is_gone, picture.slots[0].lost_tokens) == (True, 140)
    assert (picture.slots[0].slot.held_tokens, picture.busy) == (None, None)
    assert picture.age_s == watch.now_s - taken_s
    assert (picture.writing_tokens_per_s, picture.slots[0].tokens_per_s) == (None, None)
    assert picture.waiting.count is None
    assert picture.waiting.reason == "why refused"


def test_a_loss_is_a_gap_in_the_chart_and_not_a_zero(watch: Watch) -> None:
    watch.round(writing(50))
    watch.round(writing(90))
    watch.lose()
    watch.lose()
    watch.lose(step_s=3.0)
    assert watch.pictures[URL].writing_history.values == (None, 40.0, None, None, None, None, None)


def test_a_server_that_is_lost_for_one_question_has_no_speed_from_another(watch: Watch) -> None:
    watch.round(IDLE)
    picture = watch.see(
        Replies(slots=watch.good((IDLE,)), metrics=watch.bad(Failure.LOADING)),
    )
    assert picture.is_lost
    assert picture.writing_tokens_per_s is None


def test_a_round_without_a_question_leaves_the_picture_as_it_is(watch: Watch) -> None:
    watch.round(writing(50))
    before = watch.round(writing(90))
    after = watch.see(Replies())
    assert after.condition == before.condition
    assert after.slots == before.slots
    assert after.writing_tokens_per_s == 40.0
    assert after.writing_history == before.writing_history
    assert after.age_s == 1.0


def test_a_speed_holds_for_the_stretch_between_two_looks(watch: Watch) -> None:
    watch.round(writing(50))
    watch.round(writing(90))
    watch.see(Replies())
    picture = watch.round(writing(150))
    assert picture.writing_history.values == (None, 40.0, *[pytest.approx(100 / 3)] * 2)


def test_a_speed_becomes_unknown_when_nobody_looked_for_long(watch: Watch) -> None:
    watch.round(writing(50))
    watch.round(writing(90))
    picture = watch.see(
        Replies(props=watch.good(PROPS), slots=watch.bad(Failure.RESTING)), LOOK_PATIENCE_S + 1
    )
    assert picture.writing_tokens_per_s is None
    assert picture.slots_reason == "why resting"
    assert not picture.is_lost


def test_the_queue_is_exact_where_the_server_counts_it(watch: Watch) -> None:
    watch.round(writing(1), writing(1, 8, 1))
    picture = watch.see(
        Replies(
            slots=watch.good((writing(2), writing(2, 8, 1))),
            metrics=watch.good(Counters(deferred_requests=3)),
        )
    )
    assert (picture.busy, picture.waiting.count, picture.waiting.is_exact) == (2, 3, True)
    assert kinds(picture)[0] == (EventKind.QUEUE, "3")


def test_a_count_of_long_ago_is_not_shown(watch: Watch) -> None:
    watch.see(
        Replies(slots=watch.good((writing(2),)), metrics=watch.good(Counters(deferred_requests=3)))
    )
    picture = watch.round(writing(3), step_s=METRICS_PATIENCE_S + 1)
    assert (picture.waiting.count, picture.waiting.is_exact) == (None, False)
    assert picture.waiting.reason


def test_without_metrics_connections_give_an_upper_bound(watch: Watch) -> None:
    off = watch.bad(Failure.OFF)
    slots = watch.good((writing(1), UNUSED))
    picture = watch.see(Replies(slots=slots, metrics=off), 0.0, connections=4)
    assert (picture.waiting.count, picture.waiting.is_exact) == (3, False)
    assert picture.waiting.source == "connections"
    assert picture.waiting.reason == "why off"
    assert kinds(picture)[0] == (EventKind.QUEUE, "at most 3")
    picture = watch.see(Replies(slots=slots, metrics=off), 0.0)
    assert picture.waiting.count is None


def test_while_no_slot_is_busy_nothing_waits(watch: Watch) -> None:
    picture = watch.round(IDLE, UNUSED, connections=5)
    assert (picture.waiting.count, picture.waiting.is_exact) == (0, True)


def test_a_slot_that_does_not_say_makes_busy_and_queue_unknown(watch: Watch) -> None:
    picture = watch.round(Slot(0), UNUSED, connections=5)
    assert picture.busy is None
    assert picture.waiting.count is None


def test_a_busy_server_that_hangs_is_not_lost_from_memory(watch: Watch) -> None:
    watch.round(writing(50))
    late = Replies(slots=watch.bad(Failure.PENDING), health=watch.good(True))
    picture = watch.see(late)
    assert picture.condition.state is ServerState.NOT_ANSWERING
    assert picture.slots_reason == "why pending"
    assert picture.slots


def test_another_process_is_an_event_and_a_new_baseline(watch: Watch) -> None:
    first, second = ServerProcess(7, 1.0), ServerProcess(8, 2.0)
    watch.round(writing(50), process=first)
    watch.round(writing(90), process=first)
    watch.lose()
    picture = watch.round(writing(95), process=second)
    assert kinds(picture) == [(EventKind.REPLACED, "restarted"), (EventKind.STATE, "ready")]
    assert picture.slots[0].tokens_per_s is None
    assert picture.writing_tokens_per_s is None
    assert picture.writing_history.values[1] == 40.0


def test_a_pid_used_again_is_another_process(watch: Watch) -> None:
    watch.round(IDLE, process=ServerProcess(7, 1.0))
    picture = watch.round(IDLE, process=ServerProcess(7, 9.0))
    assert kinds(picture)[0] == (EventKind.REPLACED, "restarted")


def test_another_model_at_the_address_is_noticed_without_its_process(watch: Watch) -> None:
    watch.round(writing(50))
    other = replace(PROPS, model_path="/other.gguf", model_alias="other")
    picture = watch.see(Replies(props=watch.good(other), slots=watch.good((writing(60),))))
    assert kinds(picture)[0] == (EventKind.REPLACED, "other-model")
    assert picture.slots[0].tokens_per_s is None


def test_the_same_process_is_no_event(watch: Watch) -> None:
    watch.round(IDLE, process=ServerProcess(7, 1.0))
    watch.round(IDLE)
    picture = watch.round(IDLE, process=ServerProcess(7, 1.0))
    assert kinds(picture) == [(EventKind.STATE, "ready")]


def test_a_state_is_an_event_when_it_begins_and_only_then(watch: Watch) -> None:
    watch.lose(Failure.LOADING)
    watch.lose(Failure.LOADING)
    picture = watch.round(IDLE)
    assert kinds(picture) == [(EventKind.STATE, "ready"), (EventKind.STATE, "loading")]
    assert picture.state_since_s == watch.now_s


def test_an_embeddings_server_is_told_by_its_flags(watch: Watch) -> None:
    flags = LaunchFlags(is_embedding=known(True, "argv"))
    picture = watch.round(IDLE, launch=flags)
    assert picture.props is not None
    assert picture.props.role is Role.EMBEDDINGS


def test_an_embeddings_server_has_no_writing_speed(watch: Watch) -> None:
    flags = LaunchFlags(is_embedding=known(True, "argv"))
    watch.round(IDLE, launch=flags)
    picture = watch.round(IDLE, launch=flags)
    assert picture.writing_tokens_per_s is None
    assert picture.reading_tokens_per_s == 0


def test_an_endpoint_found_off_is_a_finding_until_it_answers(watch: Watch) -> None:
    def codes(picture: ServerPicture) -> list[str]:
        return [one.code for one in picture.agreement.findings]

    assert "slots-hidden" not in codes(watch.see(Replies(props=watch.good(PROPS))))
    off = Replies(props=watch.good(PROPS), slots=watch.bad(Failure.OFF))
    assert "slots-hidden" in codes(watch.see(off))
    assert "slots-hidden" in codes(watch.see(Replies()))
    assert "slots-hidden" not in codes(watch.round(IDLE))


@pytest.mark.parametrize(
    ("then", "now", "is_replaced"),
    [
        (Props(model_path="/a", build="b1"), Props(model_path="/b", build="b1"), True),
        (Props(model_path="/a", build="b1"), Props(model_path="/a", build="b2"), True),
        (Props(model_path="/a"), Props(model_path=None), False),
        (Props(), Props(model_path="/a", build="b1"), False),
    ],
)
def test_only_what_both_looks_saw_tells_of_another_model(
    watch: Watch, then: Props, now: Props, is_replaced: bool
) -> None:
    watch.see(Replies(props=watch.good(then)))
    picture = watch.see(Replies(props=watch.good(now)))
    assert (EventKind.REPLACED in [event.kind for event in picture.events]) is is_replaced


def test_a_server_no_longer_sampled_is_dropped(watch: Watch) -> None:
    watch.round(IDLE)
    assert next_pictures(watch.pictures, Round(2000.0, 0.0)) == {}


def test_a_server_that_is_late_for_a_moment_is_no_event_and_one_that_stays_late_is(
    watch: Watch,
) -> None:
    watch.round(writing(50))
    late = Replies(slots=watch.bad(Failure.PENDING), health=watch.good(True))
    assert watch.see(late).condition.state is ServerState.NOT_ANSWERING
    assert kinds(watch.round(writing(60))) == [(EventKind.STATE, "ready")]
    watch.see(late)
    picture = watch.see(late, LATE_S + 1)
    assert kinds(picture)[0] == (EventKind.STATE, "not-answering")


def test_a_queue_that_comes_and_goes_is_told_once(watch: Watch) -> None:
    for count in (3, 0, 2, 0, 1):
        slots = watch.good((writing(2), writing(2, 8, 1)))
        picture = watch.see(
            Replies(slots=slots, metrics=watch.good(Counters(deferred_requests=count)))
        )
    assert [kind for kind, _ in kinds(picture)].count(EventKind.QUEUE) == 1


def promised(tokens: int) -> tuple[ClientPromise, ...]:
    return (ClientPromise("local", context_window=known(tokens, "config.toml")),)


def told(picture: ServerPicture, kind: EventKind) -> list[str]:
    return [event.subject for event in picture.events if event.kind is kind]


def test_a_disagreement_is_told_when_it_comes_and_when_it_is_cured(watch: Watch) -> None:
    picture = watch.round(IDLE, clients=promised(5000))
    assert "window-over-slot" in told(picture, EventKind.FINDING)
    weights = {event.subject: event.severity for event in picture.events}
    assert weights["window-over-slot"] is Severity.ERROR
    picture = watch.round(IDLE, clients=promised(5000))
    assert told(picture, EventKind.FINDING).count("window-over-slot") == 1
    picture = watch.round(IDLE, clients=promised(100))
    assert told(picture, EventKind.CURED) == ["window-over-slot"]


def test_a_promise_read_late_is_drawn_though_no_slots_are_read_again(watch: Watch) -> None:
    watch.round(IDLE)
    picture = watch.see(Replies(props=watch.good(PROPS)), clients=promised(500))
    assert (picture.slots[0].fuel.scale_tokens, picture.slots[0].fuel.wall_tokens) == (500, 100)


def test_the_gauge_is_that_of_the_client_whose_numbers_are_shown(watch: Watch) -> None:
    content = ClientPromise("content", context_window=known(100, "config.toml"))
    picture = watch.round(IDLE, clients=(content, *promised(5000)))
    assert picture.judged_client == promised(5000)[0]
    assert (picture.slots[0].fuel.scale_tokens, picture.slots[0].fuel.wall_tokens) == (5000, 100)


def test_a_client_of_a_router_is_no_client_of_the_models_it_does_not_ask_for(
    watch: Watch,
) -> None:
    (client,) = promised(500)
    asks = (replace(client, model=known("other", "config.toml")),)
    picture = watch.round(IDLE, model_id="tiny", clients=asks)
    assert picture.clients == ()
    assert (picture.slots[0].fuel.scale_tokens, picture.slots[0].fuel.wall_tokens) == (100, None)
    assert [one.code for one in picture.agreement.open_questions][:1] == ["client-unknown"]


def test_a_restart_neither_cures_a_disagreement_nor_finds_it_again(watch: Watch) -> None:
    watch.round(IDLE, process=ServerProcess(7, 1.0), clients=promised(5000))
    loading = Replies(props=watch.bad(Failure.LOADING))
    watch.see(loading, process=ServerProcess(8, 2.0), clients=promised(5000))
    picture = watch.round(IDLE, process=ServerProcess(8, 2.0), clients=promised(5000))
    assert told(picture, EventKind.CURED) == []
    assert told(picture, EventKind.FINDING).count("window-over-slot") == 1


FAILURES = st.sampled_from(list(Failure))
COUNTS = st.none() | st.integers(0, 300)
SLOTS = st.builds(
    Slot,
    st.integers(0, 3),
    st.none() | st.booleans(),
    st.none() | st.integers(1, 200),
    st.none() | st.integers(0, 3),
    *[COUNTS] * 5,
)


@st.composite
def replies(draw: st.DrawFn) -> Replies:
    def answer(values: st.SearchStrategy[object]) -> Answer[Any] | None:
        kind = draw(st.sampled_from(["none", "bad", "good"]))
        if kind == "none":
            return None
        if kind == "bad":
            return Answer(0.0, failure=draw(FAILURES), detail="why")
        return Answer(0.0, draw(values), taken_s=draw(st.none() | st.floats(0.0, 50.0)))

    return Replies(
        health=answer(st.just(True)),
        props=answer(st.builds(Props, is_sleeping=st.none() | st.booleans())),
        slots=answer(st.lists(SLOTS, max_size=4).map(tuple)),
        metrics=answer(st.builds(Counters, deferred_requests=COUNTS)),
        models=answer(st.just(())),
    )


@given(st.lists(st.tuples(replies(), st.floats(0.0, 9.0), COUNTS), max_size=8))
def test_no_sequence_of_rounds_raises_or_shows_what_cannot_be(
    rounds: list[tuple[Replies, float, int | None]],
) -> None:
    watch = Watch()
    for seen, step_s, connections in rounds:
        picture = watch.see(seen, step_s, connections=connections)
        speeds = [picture.writing_tokens_per_s, picture.reading_tokens_per_s]
        speeds += [one.tokens_per_s for one in picture.slots]
        assert all(speed is None or speed >= 0 for speed in speeds)
        assert picture.waiting.count is None or picture.waiting.count >= 0
        assert not (picture.waiting.is_exact and picture.waiting.count is None)
        assert picture.waiting.is_exact or picture.waiting.reason
        if picture.is_lost:
            assert picture.writing_tokens_per_s is None


def test_a_slot_only_now_known_to_be_empty_was_not_erased(watch: Watch) -> None:
    watch.round(UNUSED, UNUSED)
    told = watch.round(replace(UNUSED, held_tokens=0), UNUSED)
    assert not [event for event in told.events if event.kind is EventKind.CONTENT]
