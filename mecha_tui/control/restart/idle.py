"""Waits until nobody is at work in the slots."""

from __future__ import annotations

import asyncio

from mecha_tui.control.restart.course import Course, StoppedError
from mecha_tui.control.restart.talk import Talk
from mecha_tui.core.restart import Question, Stage

LOOK_INTERVAL_S = 0.1


async def wait_until_idle(course: Course, talk: Talk, limit_s: float) -> None:
    """Return as soon as two looks running find all slots empty.

    Raises:
        StoppedError: The user cancelled, or the time was over and was not told to cut.
    """
    course.mark(Stage.WAITING)
    idle_looks = 0
    began_s = course.now_s
    while idle_looks < 2:
        course.stop_if_cancelled()
        busy = await talk.in_flight()
        idle_looks = idle_looks + 1 if busy == 0 else 0
        course.tell(in_flight=busy, can_cancel=True, note=_words(busy))
        if idle_looks >= 2:
            return
        if course.now_s - began_s > limit_s:
            if await course.decide(Question.CUT):
                return
            raise StoppedError(f"it was not idle within {limit_s:g} s: nothing was changed")
        if not idle_looks:
            await asyncio.sleep(LOOK_INTERVAL_S)


def _words(busy: int | None) -> str:
    if busy is None:
        return "the server does not say whether it is idle"
    return f"{busy} in flight" if busy else "idle"
