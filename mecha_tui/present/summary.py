"""A few lines for a screen too small for panels: the most important first."""

from __future__ import annotations

from collections.abc import Sequence

from mecha_tui.core.picture import ServerPicture
from mecha_tui.present import numbers
from mecha_tui.present.panels.numbers_panel import verdict_part
from mecha_tui.present.panels.slots_panel import slots_lines
from mecha_tui.present.text import (
    EMPTY,
    Line,
    Part,
    Tone,
    bold,
    cut,
    filled,
    line,
    muted,
    width_of,
    wrapped,
)
from mecha_tui.present.view import View
from mecha_tui.present.words import server_name, state_sentence, state_sign

_GAP = "  "


def summary_lines(view: View, width: int, height: int) -> list[Line]:
    """Return exactly ``height`` lines of ``width`` cells that answer what they can."""
    lines = _content(view, width, height)
    return [filled(one, width) for one in (*lines, *[EMPTY] * height)][: max(0, height)]


def _content(view: View, width: int, height: int) -> list[Line]:
    picture = view.picture
    if picture is None:
        return [_as_fits([line(muted("○ waiting")), line(muted("○"))], width)]
    sign = state_sign(picture)
    state = [line(Part(str(sign), sign.tone)), line(Part(sign.symbol, sign.tone))]
    paused = [line(Part("‖ paused", Tone.WARNING))] if view.paused_wall_s is not None else []
    first = _joined([*paused, _as_fits(state, width)], width)
    queue, verdict = _queue(view, picture), line(verdict_part(picture))
    rates, memory = _rates(picture), _memory(picture)
    name = line(bold(server_name(picture)))
    sentence = state_sentence(picture)
    if height == 1:
        return [_joined([first, *queue, verdict, rates[-1], name], width)]
    head = _joined([first, name], width)
    if sentence is not None and not picture.slots:
        reason = wrapped(picture.condition.reason or "", width, Tone.MUTED)
        return [head, *wrapped(sentence, width), *reason, verdict]
    lines = [
        head,
        _joined(queue, width),
        cut(verdict, width),
        _as_fits(rates, width),
        _as_fits(memory, width),
    ]
    room = height - len(lines)
    return [*lines, *slots_lines(view, width, room).lines] if room > 0 else lines


def _queue(view: View, picture: ServerPicture) -> list[Line]:
    pieces = [line(f"{numbers.tokens(picture.busy)}/{len(picture.slots)} busy")]
    waiting = picture.waiting
    if waiting.count:
        pieces.append(line(f"{'' if waiting.is_exact else '≤ '}{waiting.count:,} waiting"))
    if view.is_stale and picture.age_s is not None:
        pieces.append(line(Part(f"{numbers.age(picture.age_s)} old", Tone.WARNING)))
    return pieces


def _rates(picture: ServerPicture) -> list[Line]:
    writing = line(bold(numbers.rate(picture.writing_tokens_per_s)), muted(" tok/s"))
    reading = line(bold(numbers.rate(picture.reading_tokens_per_s)), muted(" read"))
    return [line(writing, muted(" written  "), reading), line(writing)]


def _memory(picture: ServerPicture) -> list[Line]:
    memory = picture.memory
    available = bold(numbers.gib(memory.pool_available_bytes.value))
    total = numbers.gib(memory.pool_total_bytes.value)
    return [
        line(available, muted(f" of {total} GiB available")),
        line(available, muted(" GiB free")),
    ]


def _as_fits(choices: Sequence[Line], width: int) -> Line:
    """Return the first choice that fits, else the last one cut."""
    return next((one for one in choices if width_of(one) <= width), cut(choices[-1], width))


def _joined(pieces: Sequence[Line], width: int) -> Line:
    """Return as many pieces as fit in order; one that does not fit is left out whole."""
    whole: Line = EMPTY
    for piece in pieces:
        longer = line(whole, _GAP, piece) if whole else piece
        if width_of(longer) <= width:
            whole = longer
    return whole or cut(pieces[0], width)
