"""Who talks to the server, by name; and what its log tells of requests nobody can poll."""

from __future__ import annotations

from collections.abc import Iterator

from mecha_tui.core.log_lines import LogKind
from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.talkers import Talker, Talkers
from mecha_tui.present import numbers
from mecha_tui.present.pages.page import Page, heading
from mecha_tui.present.text import EMPTY, Line, Part, Tone, bold, cut, filled, line, muted, wrapped
from mecha_tui.present.view import View
from mecha_tui.present.words import LOG_SIGNS

TITLE = line(bold("6 who talks"))
_NAME_CELLS, _NARROW_NAME_CELLS = 30, 14
_WIDE_CELLS = 70
_COUNT_CELLS = 16
_WORDS = {
    LogKind.REFUSED: "refused, longer than a slot",
    LogKind.OVERFLOWED: "died, the common context was full",
    LogKind.REPROCESSED: "read again as a whole",
}


def talkers_page(view: View, talkers: Talkers, width: int, first: int = 0) -> Page:
    """Return the page for content of this many cells."""
    if view.picture is None:
        return Page(TITLE, [line(muted("Waiting for the first look."))], first)
    lines = [*_connections(talkers, view.picture, width), EMPTY]
    lines += [heading("what its log tells", width), *_log(view.picture, width)]
    return Page(TITLE, lines, first)


def _connections(talkers: Talkers, picture: ServerPicture, width: int) -> Iterator[Line]:
    if not talkers.is_known:
        yield from wrapped(f"– unknown: {talkers.reason}", width, Tone.MUTED)
        return
    clients = [one for one in talkers.found if not one.is_watching]
    count = sum(one.count for one in clients) + talkers.hidden
    yield from wrapped(_sentence(count, len(picture.slots)), width)
    for one in talkers.found:
        yield cut(_row(one, talkers.taken_s, width), width)
    if talkers.hidden:
        why = "not visible (another user's, or in a container)"
        yield from wrapped(f"?  {_connected(talkers.hidden)} {why}", width, Tone.MUTED)


def _sentence(count: int, slots: int) -> str:
    """Return how many connections clients have, against how many slots."""
    if not count:
        return "No client is connected now."
    on = "" if not slots else f" on {slots} slot{'' if slots == 1 else 's'}"
    return f"{_connected(count)}{on}; each carries one request at a time."


def _connected(count: int) -> str:
    return "one connection" if count == 1 else f"{count:,} connections"


def _row(one: Talker, now_s: float | None, width: int) -> Line:
    cells = _NAME_CELLS if width >= _WIDE_CELLS else _NARROW_NAME_CELLS
    sign = Part("○  ", Tone.MUTED) if one.is_watching else Part("●  ", Tone.ACCENT)
    who = "another machine" if one.pid is None else f"pid {one.pid}"
    is_timed = one.since_s is not None and now_s is not None
    seen = f"  seen for {numbers.duration((now_s or 0) - (one.since_s or 0))}" if is_timed else ""
    watching = "  watching" if one.is_watching else ""
    count = f"{_connected(one.count):<{_COUNT_CELLS}}"
    return line(
        sign, filled(line(bold(one.name)), cells), f" {count}", muted(who + watching + seen)
    )


def _log(picture: ServerPicture, width: int) -> Iterator[Line]:
    log = picture.log
    if log.name is None:
        why = log.reason if picture.process is not None else picture.why_no_process
        text = (
            "– unknown: a refused request leaves no trace but in the server's log; "
            f"{why or log.reason}"
        )
        yield from wrapped(text, width, Tone.MUTED)
        return
    told = [(kind, log.of(kind)) for kind in LogKind if log.of(kind).count]
    for kind, tally in told:
        sign = LOG_SIGNS[kind.value]
        age = numbers.duration(picture.now_s - tally.newest[0].seen_s)
        text = f"{tally.count:,} {_WORDS[kind]}, the last {age} ago"
        yield cut(line(Part(f"{sign.symbol}  ", sign.tone), text), width)
    if not told:
        yield cut(line(Part("✓  ", Tone.GOOD), "nothing refused since it is read"), width)
    yield from wrapped(f"read from {log.name}", width, Tone.MUTED)
    yield from wrapped("Prompts read again for want of a checkpoint: only with -lv 4.", width)
