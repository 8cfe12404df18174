"""All tasks of a server: those that run, and those that ended."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.tasks import Ending, Task
from mecha_tui.present import numbers
from mecha_tui.present.pages.page import Page
from mecha_tui.present.text import EMPTY, Line, Part, Tone, bold, cut, line, muted, wrapped
from mecha_tui.present.view import View
from mecha_tui.present.words import REREAD_SIGN


class TaskOrder(Enum):
    """How the list is sorted."""

    NEWEST = "newest"
    SLOWEST = "slowest"
    MOST_REREAD = "most read again"


_KEYS: dict[TaskOrder, Callable[[Task], float]] = {
    TaskOrder.NEWEST: lambda task: -task.seen_s,
    TaskOrder.SLOWEST: lambda task: -(task.seconds or 0.0),
    TaskOrder.MOST_REREAD: lambda task: -(task.reread.tokens if task.reread else 0),
}
_ENDINGS = {
    None: ("running", Tone.ACCENT),
    Ending.DONE: ("done", Tone.MUTED),
    Ending.LIMIT: ("at its limit", Tone.MUTED),
    Ending.WALL: ("cut at the wall", Tone.WARNING),
    Ending.LOST: ("lost", Tone.WARNING),
}
_COLUMNS = (("slot", 4), ("task", 8), ("reused", 9), ("read", 9), ("wrote", 9), ("took", 7))


def tasks_page(
    view: View, width: int, order: TaskOrder, slot_id: int | None, first: int = 0
) -> Page:
    """Return the page.

    Args:
        view: What there is to see.
        width: Cells in a line.
        order: How the list is sorted.
        slot_id: The only slot whose tasks are wanted; None for all.
        first: The first line shown.
    """
    picture = view.picture
    of_slot = "" if slot_id is None else f" of slot {slot_id}"
    title = line(bold(f"tasks{of_slot}"), muted(f" · {order.value} first"))
    if picture is None:
        return Page(title, [line(muted("Waiting for the first look."))])
    tasks = sorted(
        [
            task
            for task in (*picture.tasks.open, *picture.tasks.ended)
            if slot_id is None or task.slot_id == slot_id
        ],
        key=_KEYS[order],
    )
    rows = task_lines(tasks, width) if tasks else [line(muted("no task was seen yet"))]
    return Page(title, [*_sums(picture, width), EMPTY, *rows], first)


def task_lines(tasks: list[Task], width: int) -> list[Line]:
    """Return a heading and a line for each task."""
    titles = "  ".join(f"{name:>{cells}}" for name, cells in _COLUMNS)
    return [cut(line(muted(f"{titles}  how it ended")), width)] + [
        cut(_row(task), width) for task in tasks
    ]


def _row(task: Task) -> Line:
    least = ">" if task.is_partial else ""
    took = numbers.UNKNOWN if task.seconds is None else numbers.duration(task.seconds)
    values = (
        str(task.slot_id),
        numbers.UNKNOWN if task.task_id is None else str(task.task_id),
        numbers.tokens(task.reused_tokens),
        _least(least, task.read_tokens),
        _least(least, task.written_tokens),
        took,
    )
    cells = "  ".join(f"{value:>{room}}" for value, (_, room) in zip(values, _COLUMNS, strict=True))
    word, tone = _ENDINGS[task.ending]
    again = EMPTY
    if task.reread is not None:
        text = f"  {REREAD_SIGN.symbol} {task.reread.tokens:,} read again"
        again = line(Part(text, REREAD_SIGN.tone))
    return line(cells, "  ", Part(word, tone), again)


def _least(sign: str, tokens: int | None) -> str:
    return numbers.UNKNOWN if tokens is None else f"{sign}{tokens:,}"


def read_twice(picture: ServerPicture) -> Line:
    """Return what was read twice since the server is watched, and in the last hour."""
    totals = picture.tasks.totals
    again, hour = totals.rereads, totals.last_hour(picture.now_s)
    took = "" if again.without_seconds else f", about {numbers.duration(again.seconds)} min"
    lately = f" · last hour {hour.tokens:,}" if again.tokens else ""
    return line(muted("read twice  "), f"{again.tokens:,} tokens", muted(f"{took}{lately}"))


def _sums(picture: ServerPicture, width: int) -> list[Line]:
    totals, counters = picture.tasks.totals, picture.counters
    seen = f"{totals.task_count:,} seen to end, {totals.partial_count:,} of them in part"
    lines = [line(muted("tasks       "), seen, muted(f" · {totals.cut_count:,} cut at the wall"))]
    if counters is not None:
        figures = (counters.prompt_cached_tokens, counters.prompt_tokens, counters.written_tokens)
        words = [
            f"{word} {numbers.tokens(None if one is None else int(one))}"
            for word, one in zip(("reused", "read", "wrote"), figures, strict=True)
        ]
        lines.append(
            line(muted("all         "), ", ".join(words), muted(" by the server's counters"))
        )
    lines.append(read_twice(picture))
    if picture.thrash is not None:
        lines += wrapped(picture.thrash.finding.message, width, Tone.WARNING)
    return [cut(each, width) for each in lines]
