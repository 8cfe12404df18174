"""A server's state is told from one round's answers, each state apart from the others."""

from __future__ import annotations

from typing import Any

import pytest

from mecha_tui.core.replies import Answer, Failure, Replies
from mecha_tui.core.server import Counters, Props
from mecha_tui.core.slots import Slot
from mecha_tui.core.state import Condition, ServerState, condition


def good(value: object) -> Answer[Any]:
    return Answer(0.0, value, taken_s=0.0)


def bad(failure: Failure) -> Answer[Any]:
    return Answer(0.0, failure=failure, detail=f"why {failure.value}")


PROPS, SLOTS = good(Props(slot_count=4)), good((Slot(0),))
ASLEEP = good(Props(is_sleeping=True))


@pytest.mark.parametrize(
    ("replies", "state"),
    [
        (Replies(), ServerState.CONNECTING),
        (Replies(props=PROPS, slots=SLOTS), ServerState.READY),
        (Replies(slots=SLOTS), ServerState.READY),
        (Replies(metrics=good(Counters())), ServerState.READY),
        (Replies(props=ASLEEP, slots=bad(Failure.RESTING)), ServerState.ASLEEP),
        (Replies(props=PROPS, slots=bad(Failure.RESTING)), ServerState.READY),
        (Replies(props=PROPS, slots=bad(Failure.OFF)), ServerState.READY),
        (Replies(slots=bad(Failure.OFF), metrics=bad(Failure.OFF)), ServerState.CONNECTING),
        (Replies(slots=bad(Failure.OFF), metrics=bad(Failure.MISSING)), ServerState.CONNECTING),
        (Replies(slots=bad(Failure.FOREIGN)), ServerState.CONNECTING),
        (Replies(slots=bad(Failure.FAULT)), ServerState.CONNECTING),
        (Replies(slots=bad(Failure.DROPPED)), ServerState.NOT_ANSWERING),
        (Replies(props=PROPS, metrics=bad(Failure.PENDING)), ServerState.READY),
        (Replies(props=bad(Failure.MISSING), slots=SLOTS), ServerState.READY),
        (Replies(props=bad(Failure.FAULT), slots=SLOTS), ServerState.READY),
        (Replies(props=bad(Failure.LOADING)), ServerState.LOADING),
        (Replies(props=PROPS, slots=bad(Failure.LOADING)), ServerState.LOADING),
        (Replies(props=bad(Failure.LOCKED)), ServerState.LOCKED),
        (Replies(health=good(True), props=bad(Failure.LOCKED)), ServerState.LOCKED),
        (Replies(props=bad(Failure.REFUSED)), ServerState.DOWN),
        (Replies(props=PROPS, slots=bad(Failure.REFUSED)), ServerState.DOWN),
        (Replies(props=PROPS, slots=bad(Failure.PENDING)), ServerState.NOT_ANSWERING),
        (Replies(props=bad(Failure.PENDING), health=good(True)), ServerState.NOT_ANSWERING),
        (
            Replies(props=bad(Failure.PENDING), health=bad(Failure.PENDING)),
            ServerState.NOT_ANSWERING,
        ),
        (Replies(props=bad(Failure.DROPPED)), ServerState.NOT_ANSWERING),
        (Replies(props=bad(Failure.FAULT)), ServerState.NOT_ANSWERING),
        (Replies(props=bad(Failure.FOREIGN)), ServerState.NOT_LLAMA_SERVER),
        (
            Replies(props=bad(Failure.MISSING), slots=bad(Failure.MISSING)),
            ServerState.NOT_LLAMA_SERVER,
        ),
    ],
)
def test_every_state_is_told_apart(replies: Replies, state: ServerState) -> None:
    assert condition(replies).state is state


def test_the_reason_is_that_of_the_answer_that_decided() -> None:
    replies = Replies(
        props=bad(Failure.PENDING), health=Answer(0.0, failure=Failure.PENDING, detail="health")
    )
    assert condition(replies) == Condition(ServerState.NOT_ANSWERING, "why pending")
    assert condition(Replies(props=PROPS, slots=SLOTS)).reason is None
