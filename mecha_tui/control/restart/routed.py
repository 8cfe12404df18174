"""Loads one model of a router anew; the router and its other models stay as they are."""

from __future__ import annotations

from mecha_tui.collect.no_reply import NoReplyError
from mecha_tui.collect.wire.failures import failure_in
from mecha_tui.control.restart.course import Course, FailedError
from mecha_tui.control.restart.talk import Talk
from mecha_tui.core.restart import Stage

REPLY_LIMIT_S = 30.0
_CAP_BYTES = 1024 * 1024
GONE, LOADED = "unloaded", "loaded"
_LOOK_AGAIN = "ask the router's /models how the model stands, and load it there"


async def reload_model(course: Course, talk: Talk) -> None:
    """Unload the model and load it again, and return when the router says that it is loaded.

    Raises:
        FailedError: The router refused, the model did not load, or the time is over.
    """
    course.stop_if_cancelled()
    course.mark(Stage.STOPPING)
    course.tell(can_cancel=False, note="the router unloads it")
    if await talk.model_status() != GONE:
        await _ask(talk, "/models/unload")
        await _wait_for(course, talk, GONE)
    course.mark(Stage.STOPPED)
    await _ask(talk, "/models/load")
    course.mark(Stage.LOADING)
    await _wait_for(course, talk, LOADED)


async def _ask(talk: Talk, path: str) -> None:
    """Tell the router to do something with the model."""
    body = {"model": talk.model_id}
    try:
        reply = await talk.connection.post(path, body, REPLY_LIMIT_S, _CAP_BYTES)
    except NoReplyError as error:
        raise FailedError(f"the router did not answer: {error.detail}", _LOOK_AGAIN) from None
    trouble = failure_in(reply.status, reply.body, path)
    if trouble is not None:
        raise FailedError(f"the router refused: {trouble[1]}", _LOOK_AGAIN)


async def _wait_for(course: Course, talk: Talk, wanted: str) -> None:
    has_begun = False
    while True:
        status = await talk.model_status()
        if status == wanted:
            return
        # The router says "unloaded" of a model that ended while it was loaded, too.
        has_begun = has_begun or status not in (None, GONE)
        if has_begun and status == GONE:
            raise FailedError("the model ended while it was loaded", "look at the router's log")
        course.tell(note=f"the router says: {status or 'nothing'}")
        if not course.has_time:
            limit = f"{course.options.timeout_s:g} s"
            raise FailedError(f"the model was not {wanted} within {limit}", _LOOK_AGAIN)
        await course.pause()
