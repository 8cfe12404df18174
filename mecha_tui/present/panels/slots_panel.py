"""The slots: one row each, and above them the pool when they share one."""

from __future__ import annotations

from dataclasses import dataclass

from mecha_tui.core.fuel import Fuel, FuelLevel, fuel
from mecha_tui.core.numbers import KvMode
from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.router import unwatched_count
from mecha_tui.present import numbers
from mecha_tui.present.bars import gauge
from mecha_tui.present.clean import cell_width, clean
from mecha_tui.present.rows import cells, heading, placed, row
from mecha_tui.present.slot_order import SlotOrder
from mecha_tui.present.text import (
    Line,
    Part,
    Tone,
    bold,
    cut,
    faded,
    filled,
    line,
    lit,
    muted,
    wrapped,
)
from mecha_tui.present.view import View
from mecha_tui.present.words import (
    REREAD_SIGN,
    busy_words,
    gone_sign,
    no_slots_sentence,
    state_sentence,
    state_sign,
    unwatched_words,
)

_MARGIN = 2
"""Cells before a row for the mark of the chosen one."""


@dataclass(frozen=True, slots=True)
class SlotLines:
    """The panel's content."""

    lines: tuple[Line, ...]
    slot_ids: tuple[int | None, ...]
    """Which slot each line shows; None for a line that shows none."""
    above: int = 0
    """Rows scrolled away above."""
    below: int = 0
    """Rows that did not fit below."""


def slots_need(picture: ServerPicture | None) -> int:
    """Return how many lines the panel's content would like to have."""
    if picture is None or not picture.slots:
        models = len(picture.models) if picture is not None and picture.is_router else 0
        return 4 + models
    has_words = state_sentence(picture) is not None or picture.slots_reason is not None
    return len(picture.slots) + 1 + has_pool(picture) + has_words + (picture.thrash is not None)


def seen_s(picture: ServerPicture) -> float:
    """Return the monotonic second that running times are counted to: the last look's."""
    return picture.now_s if picture.slots_taken_s is None else picture.slots_taken_s


def has_pool(picture: ServerPicture) -> bool:
    """Whether all slots draw on one pool."""
    return picture.numbers.kv_mode.value is KvMode.SHARED


def slots_lines(view: View, width: int, room: int) -> SlotLines:
    """Return the panel's content in ``room`` lines of ``width`` cells."""
    picture = view.picture
    if picture is None:
        return _sentence_lines([line(muted("Waiting for the first look."))], room)
    if not picture.slots:
        return _sentence_lines(_without_slots(view, picture, width), room)
    if not view.slots:
        return _sentence_lines([line(muted("no slot is busy; f lists all"))], room)
    return _table(view, picture, width, room)


def _sentence_lines(lines: list[Line], room: int) -> SlotLines:
    shown = tuple(lines[: max(0, room)])
    return SlotLines(shown, (None,) * len(shown))


def _without_slots(view: View, picture: ServerPicture, width: int) -> list[Line]:
    sign = state_sign(picture)
    sentence = state_sentence(picture)
    lines = [cut(line(Part(str(sign), sign.tone, is_bold=True), muted(since(picture))), width)]
    if sentence is not None:
        lines += wrapped(sentence, width)
        if picture.condition.reason:
            lines += wrapped(picture.condition.reason, width, Tone.MUTED)
    else:
        lines += wrapped(no_slots_sentence(picture), width)
    if picture.is_router:
        lines += _models(picture, width)
        if view.count > 1:
            lines.append(line(muted("s shows the loaded models one by one")))
        if unwatched_count(picture.models):
            lines.append(line(muted(unwatched_words(picture))))
    return lines


def _models(picture: ServerPicture, width: int) -> list[Line]:
    words = []
    for model in picture.models:
        code = "" if model.exit_code is None else f", exit code {model.exit_code}"
        words.append(f"{clean(model.status or numbers.UNKNOWN)}{code}")
    room = max((cell_width(word) for word in words), default=0) + 2
    return [
        cut(line(filled(line(muted(word)), room), model.model_id), width)
        for word, model in zip(words, picture.models, strict=True)
    ]


def since(picture: ServerPicture) -> str:
    """Return since when the server is in its state, with how long that is."""
    seconds = picture.now_s - picture.state_since_s
    began = numbers.clock_with_seconds(picture.now_wall_s - seconds)
    return f"  since {began}, {numbers.span(seconds)}"


def _table(view: View, picture: ServerPicture, width: int, room: int) -> SlotLines:
    gone, slots = gone_sign(picture), view.slots
    rows = [cells(one, seen_s(picture), gone) for one in slots]
    columns = placed(width - _MARGIN, rows)
    lines: list[Line] = []
    sentence = state_sentence(picture)
    if sentence is not None:
        lines.append(_lost_line(picture, sentence, width))
    elif view.is_stale and picture.slots_reason:
        lines.append(cut(line(muted("no newer picture: "), picture.slots_reason), width))
    if has_pool(picture):
        lines.append(cut(_pool_line(picture, width), width))
    if picture.thrash is not None and room - len(lines) > len(rows):
        sign = Part(f"{REREAD_SIGN.symbol} ", REREAD_SIGN.tone, is_bold=True)
        lines.append(cut(line(sign, picture.thrash.finding.message), width))
    if room - len(lines) > min(3, len(rows)):
        lines.append(line("  ", heading(columns)))
    visible = max(0, room - len(lines))
    first = max(0, min(view.first_row, len(rows) - visible))
    ids: list[int | None] = [None] * len(lines)
    for one, texts in zip(slots[first : first + visible], rows[first:], strict=False):
        drawn = row(columns, one, texts)
        is_chosen = one.slot.slot_id == view.chosen_slot
        mark = bold("› ", Tone.ACCENT) if is_chosen else Part("  ")
        whole = line(mark, drawn)
        whole = faded(whole) if picture.is_lost or view.is_stale else whole
        lines.append(lit(whole) if is_chosen else whole)
        ids.append(one.slot.slot_id)
    below = max(0, len(rows) - first - visible)
    return SlotLines(
        tuple(lines[: max(0, room)]),
        tuple(ids[: max(0, room)]),
        first,
        below,
    )


def _lost_line(picture: ServerPicture, sentence: str, width: int) -> Line:
    sign = state_sign(picture)
    why = picture.condition.reason or sentence
    state = Part(str(sign), sign.tone, is_bold=True)
    return cut(line(state, muted(f"{since(picture)}: "), why), width)


def _pool_line(picture: ServerPicture, width: int) -> Line:
    pool = pool_fuel(picture)
    tones = {FuelLevel.WARM: Tone.WARNING, FuelLevel.HOT: Tone.ERROR}
    tone = tones.get(pool.level, Tone.ACCENT)
    figures = line(
        Part(f"{numbers.percent(pool.ratio):>6}", Tone.TEXT if tone is Tone.ACCENT else tone),
        f"  {numbers.tokens(pool.held_tokens)} ",
        muted(f"/ {numbers.tokens(pool.scale_tokens)}"),
    )
    label = "  pool of all slots  " if width >= 70 else "  pool  "
    room = width - len(label) - sum(len(part.text) for part in figures)
    return line(muted(label), gauge(pool, room, tone), figures)


def pool_fuel(picture: ServerPicture) -> Fuel:
    """Return how full the shared pool is: what all slots hold over its size."""
    return fuel(picture.held_tokens, picture.numbers.pool_tokens.value)


def slots_footer(view: View, content: SlotLines) -> Line:
    """Return the counts for the panel's lower border, and the picture's age when it is old."""
    picture = view.picture
    if picture is None or not picture.slots:
        return ()
    parts: list[str | Part] = []
    if content.above or content.below:
        total = len(view.slots)
        shown = total - content.above - content.below
        first = content.above + 1
        arrows = ("↑" if content.above else "") + ("↓" if content.below else "")
        parts.append(muted(f"{arrows} {first}–{first + shown - 1} of {total} · "))
    if view.is_busy_only:
        parts.append(muted("busy only · "))
    if view.slot_order is not SlotOrder.NUMBER:
        parts.append(muted(f"{view.slot_order.value} · "))
    is_gone = any(one.is_gone for one in picture.slots)
    if view.is_stale and picture.age_s is not None and not is_gone:
        # A server that is left alone on purpose is no cause for alarm.
        is_calm = not picture.is_lost and picture.slots_reason is not None
        tone = Tone.MUTED if is_calm else Tone.WARNING
        parts.append(Part(f"picture {numbers.age(picture.age_s)} old · ", tone))
    if picture.may_keep_awake:
        parts.append(muted("may keep it awake, see --gentle · "))
    parts.append(muted(busy_words(picture)))
    return line(*parts)
