"""What happened between two pictures of one server, as events."""

from __future__ import annotations

from dataclasses import replace

from mecha_tui.core.agreement import Finding
from mecha_tui.core.events import Event, EventKind
from mecha_tui.core.log_events import log_events
from mecha_tui.core.picture import EVENT_LIMIT, ServerPicture
from mecha_tui.core.state import ServerState
from mecha_tui.core.succession import Replacement
from mecha_tui.core.task_events import task_events, without_overflow

LATE_S = 5.0
"""A server that is late again and again is told of once it was late for this long."""
QUEUE_QUIET_S = 60.0
"""A queue that comes and goes is told of once in this time."""

_CALM = (ServerState.READY.value, ServerState.ASLEEP.value)


def with_events(before: ServerPicture | None, picture: ServerPicture) -> ServerPicture:
    """Return the picture with what is new in it on top of its events."""
    found, cured = _findings(picture)
    log, logged = log_events(picture.log, picture.now_s, picture.now_wall_s)
    picture = _with_replacement(before, picture)
    new = [
        *_state(picture),
        *(_told(picture, EventKind.FINDING, one) for one in found),
        *(_told(picture, EventKind.CURED, one) for one in cured),
        *_queue(before, picture),
        *task_events(before, picture),
        *logged,
    ]
    still_open = tuple(one for one in picture.open_findings if one not in cured)
    return replace(
        picture,
        log=log,
        events=without_overflow((*reversed(new), *picture.events))[:EVENT_LIMIT],
        open_findings=(*still_open, *found),
    )


def _with_replacement(before: ServerPicture | None, picture: ServerPicture) -> ServerPicture:
    """Tell a replacement once, and tell the same event anew when more is known of it."""
    known, last = picture.succession, before.succession if before is not None else None
    now = known.replacement
    if now is None or not known.is_told or last is None:
        return picture
    if last.is_told and last.replacement == now:
        return picture
    events = picture.events
    if last.is_told and last.replacement is not None and last.replacement.number == now.number:
        amended = (_amended(event, now) for event in events)
        return replace(picture, events=tuple(amended))
    new = Event(picture.now_wall_s, EventKind.REPLACED, now.word, replacement=now)
    kept = _without_first_turn(events, now) if now.is_alternating else events
    return replace(picture, events=(new, *_without_absence(kept, now)))


def _amended(event: Event, now: Replacement) -> Event:
    told = event.replacement
    is_it = told is not None and told.number == now.number
    return replace(event, subject=now.word, replacement=now) if is_it else event


def _without_first_turn(events: tuple[Event, ...], now: Replacement) -> tuple[Event, ...]:
    """Leave out what the turn before looked like: one server after another."""
    return tuple(
        event
        for event in events
        if event.replacement is None or event.replacement.number != now.number - 1
    )


def _without_absence(events: tuple[Event, ...], now: Replacement) -> tuple[Event, ...]:
    """Leave out that it went down, loaded and came back: the replacement tells it all."""
    if now.away_s is None:
        return events
    passed: list[Event] = []
    is_absent = False
    for index, event in enumerate(events):
        if event.kind is EventKind.STATE:
            if event.subject in _CALM and is_absent:
                return (*passed, *events[index:])
            is_absent = is_absent or event.subject not in _CALM
        else:
            passed.append(event)
    return tuple(passed) if is_absent else events


def _state(picture: ServerPicture) -> list[Event]:
    now = picture.condition
    if _newest(picture, EventKind.STATE) == now.state.value:
        return []
    if now.state is ServerState.NOT_ANSWERING and picture.now_s - picture.state_since_s < LATE_S:
        return []
    return [Event(picture.now_wall_s, EventKind.STATE, now.state.value, now.reason)]


def _newest(picture: ServerPicture, kind: EventKind) -> str | None:
    return next((event.subject for event in picture.events if event.kind is kind), None)


def _findings(picture: ServerPicture) -> tuple[list[Finding], list[Finding]]:
    """Return what came to disagree and what was cured.

    A rule that cannot be judged for the moment, as after a restart, is neither.
    """
    slowdowns = picture.paces.findings
    now = {_name(one) for one in (*picture.agreement.findings, *slowdowns)}
    known = {_name(one) for one in picture.open_findings}
    told = (*picture.agreement.disagreements, *slowdowns)
    found = [one for one in told if _name(one) not in known]
    cured = [one for one in picture.open_findings if _name(one) not in now]
    return found, cured


def _name(finding: Finding) -> tuple[str, str | None]:
    return finding.code, finding.client


def _told(picture: ServerPicture, kind: EventKind, finding: Finding) -> Event:
    return Event(picture.now_wall_s, kind, finding.code, finding.message, finding.severity)


def _queue(before: ServerPicture | None, picture: ServerPicture) -> list[Event]:
    waited = before.waiting.count if before is not None else None
    if not picture.waiting.count or waited:
        return []
    told = (event.wall_s for event in picture.events if event.kind is EventKind.QUEUE)
    last_s = next(told, None)
    if last_s is not None and picture.now_wall_s - last_s < QUEUE_QUIET_S:
        return []
    about = "" if picture.waiting.is_exact else "at most "
    return [Event(picture.now_wall_s, EventKind.QUEUE, f"{about}{picture.waiting.count:,}")]
