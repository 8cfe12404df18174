"""What happened between two pictures of one server, as events."""

from __future__ import annotations

from dataclasses import replace

from mecha_tui.core.agreement import Finding
from mecha_tui.core.events import Event, EventKind
from mecha_tui.core.picture import EVENT_LIMIT, ServerPicture
from mecha_tui.core.server import is_other_model, is_other_process


def with_events(before: ServerPicture | None, picture: ServerPicture) -> ServerPicture:
    """Return the picture with what is new in it on top of its events."""
    new = [
        *_replaced(before, picture),
        *_state(before, picture),
        *_findings(before, picture),
        *_queue(before, picture),
    ]
    return replace(picture, events=(*reversed(new), *picture.events)[:EVENT_LIMIT])


def _replaced(before: ServerPicture | None, picture: ServerPicture) -> list[Event]:
    if before is None:
        return []
    now = picture.last_process
    if now is not None and is_other_process(before.last_process, now):
        return [Event(picture.now_wall_s, EventKind.REPLACED, f"pid {now.pid}")]
    if is_other_model(before.props, picture.props):
        return [Event(picture.now_wall_s, EventKind.REPLACED, picture.model_name or "the model")]
    return []


def _state(before: ServerPicture | None, picture: ServerPicture) -> list[Event]:
    now = picture.condition
    if before is not None and before.condition.state is now.state:
        return []
    return [Event(picture.now_wall_s, EventKind.STATE, now.state.value, now.reason)]


def _findings(before: ServerPicture | None, picture: ServerPicture) -> list[Event]:
    found = _disagreements(picture)
    earlier = {} if before is None else _disagreements(before)
    wall_s = picture.now_wall_s
    return [
        *(
            Event(wall_s, EventKind.FINDING, one.code, one.message)
            for key, one in found.items()
            if key not in earlier
        ),
        *(
            Event(wall_s, EventKind.CURED, one.code, one.message)
            for key, one in earlier.items()
            if key not in found
        ),
    ]


def _disagreements(picture: ServerPicture) -> dict[tuple[str, str | None], Finding]:
    found = (*picture.agreement.disagreements, *picture.memory_findings)
    return {(one.code, one.client): one for one in found}


def _queue(before: ServerPicture | None, picture: ServerPicture) -> list[Event]:
    waited = before.waiting.count if before is not None else None
    if not picture.waiting.count or waited:
        return []
    return [Event(picture.now_wall_s, EventKind.QUEUE, str(picture.waiting.count))]
