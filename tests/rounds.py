"""Builds rounds and pictures from values, the way the collectors would."""

from __future__ import annotations

from dataclasses import replace

from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.replies import Answer, Failure, Replies
from mecha_tui.core.sample import Round, ServerSample
from mecha_tui.core.server import Counters, Props
from mecha_tui.core.slots import Slot
from mecha_tui.core.watch import Pictures, next_pictures

URL = "http://127.0.0.1:8080"
NOON_S = 1_795_953_600.0
"""A time of day for pictures: noon, UTC, on a fixed date."""

PROPS = Props(
    model_alias="qwen3.6-35b-a3b",
    quantization="Q4_K_M",
    build="b11549",
    slot_count=4,
    slot_window_tokens=8192,
    is_sleeping=False,
    has_slots_endpoint=True,
    has_metrics_endpoint=True,
)


def slot(slot_id: int, **fields: object) -> Slot:
    """Return a slot of 8,192 tokens that never ran, but for the fields given."""
    return replace(Slot(slot_id, False, 8192), **fields)  # type: ignore[arg-type]  # by name


def writing(slot_id: int, task: int, held: int, written: int, **fields: object) -> Slot:
    """Return a slot that generates."""
    made = slot(slot_id, is_processing=True, task_id=task, held_tokens=held)
    made = replace(made, written_tokens=written, read_tokens=98, reused_tokens=held - written - 98)
    return replace(made, **fields)  # type: ignore[arg-type]  # by name


def reading(slot_id: int, task: int, held: int, read: int, **fields: object) -> Slot:
    """Return a slot that processes a prompt."""
    made = slot(slot_id, is_processing=True, task_id=task, held_tokens=held, written_tokens=0)
    made = replace(made, read_tokens=read, reused_tokens=0)
    return replace(made, **fields)  # type: ignore[arg-type]  # by name


def replies(
    at_s: float,
    slots: tuple[Slot, ...] | None = None,
    *,
    props: Props | None = PROPS,
    deferred: int | None = 0,
) -> Replies:
    """Return the answers of a healthy server at one monotonic second."""
    return Replies(
        props=None if props is None else Answer(at_s, props, taken_s=at_s),
        slots=None if slots is None else Answer(at_s, slots, taken_s=at_s),
        metrics=Answer(at_s, Counters(deferred_requests=deferred), taken_s=at_s),
    )


def failed(at_s: float, failure: Failure, detail: str) -> Replies:
    """Return the answers of a server that only fails."""
    trouble: Answer[Props] = Answer(at_s, None, failure, detail)
    return Replies(props=trouble)


def round_at(at_s: float, *servers: ServerSample) -> Round:
    """Return a round at one monotonic second; noon plus as many seconds on the wall."""
    return Round(at_s, NOON_S + at_s, servers)


def sample(given: Replies, **fields: object) -> ServerSample:
    """Return one server's sample."""
    return replace(ServerSample(URL, replies=given), **fields)  # type: ignore[arg-type]  # by name


def folded(*rounds: Round) -> ServerPicture:
    """Return the only server's picture after some rounds."""
    pictures: Pictures = {}
    for taken in rounds:
        pictures = next_pictures(pictures, taken)
    (picture,) = pictures.values()
    return picture
