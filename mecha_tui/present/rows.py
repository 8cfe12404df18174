"""The slot table: its columns as data, and a slot's row as a pure function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from mecha_tui.core.fuel import FuelLevel
from mecha_tui.core.picture import SlotPicture
from mecha_tui.core.slots import Phase, Slot, reuse_ratio
from mecha_tui.present import numbers
from mecha_tui.present.bars import gauge
from mecha_tui.present.text import Line, Part, Tone, cut, filled, line, muted, width_of
from mecha_tui.present.words import GONE_SIGN, PHASE_SIGNS, REREAD_SIGN, Sign

GAP = 2


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the slot table."""

    name: str
    title: str
    width: int
    """Cells it takes at least; it grows with its content."""
    is_right: bool
    needs_gauge: int
    """It is shown when the gauge keeps at least this many cells beside it."""


COLUMNS = (
    Column("slot", "#", 1, True, 0),
    Column("state", "state", 9, False, 0),
    Column("task", "task", 5, True, 11),
    Column("gauge", "context", 6, False, 0),
    Column("percent", "", 5, True, 4),
    Column("held", "held", 6, True, 5),
    Column("window", "/ window", 8, False, 16),
    Column("reused", "reused", 6, True, 17),
    Column("rate", "tok/s", 7, True, 6),
    Column("left", "left", 7, True, 18),
    Column("time", "for", 7, True, 9),
    Column("note", "", 6, False, 24),
)
"""From left to right. Which are shown is decided by ``needs_gauge``, the smallest first."""


def placed(width: int, rows: Sequence[Cells]) -> tuple[Column, ...]:
    """Return the columns that fit into ``width`` cells, the gauge taking what is left.

    Args:
        width: Cells for the whole table.
        rows: The cells of every row of the table, visible or not, so that scrolling
            changes no width.
    """
    wide = [replace(column, width=_content_width(column, rows)) for column in COLUMNS]
    chosen = [column for column in wide if column.needs_gauge == 0]
    for column in sorted(wide, key=lambda one: one.needs_gauge):
        if column.needs_gauge and _gauge_room(width, [*chosen, column]) >= column.needs_gauge:
            chosen.append(column)
    room = max(0, _gauge_room(width, chosen))
    return tuple(
        replace(column, width=room) if column.name == "gauge" else column
        for column in wide
        if column in chosen
    )


def _content_width(column: Column, rows: Sequence[Cells]) -> int:
    return max([column.width, len(column.title), *[row.widths.get(column.name, 0) for row in rows]])


def _gauge_room(width: int, chosen: Sequence[Column]) -> int:
    others = sum(column.width for column in chosen if column.name != "gauge")
    return width - others - GAP * (len(chosen) - 1)


class Cells(dict[str, Line]):
    """A slot's cells by column name, and how wide each is."""

    def __init__(self, texts: Mapping[str, Line]) -> None:
        super().__init__(texts)
        self.widths = {name: width_of(text) for name, text in texts.items()}


def cells(one: SlotPicture, now_s: float, gone: Sign = GONE_SIGN) -> Cells:
    """Return a slot's cells by column name, without the gauge, which needs its width.

    Args:
        one: The slot.
        now_s: The picture's monotonic second, to count running times from.
        gone: What a slot is called whose model is gone from memory.
    """
    if one.is_gone:
        return _gone_cells(one, gone)
    slot = one.slot
    is_idle = slot.phase is Phase.IDLE
    seconds = None if one.since_s is None else now_s - one.since_s
    time = numbers.span(seconds) if is_idle else numbers.duration(seconds)
    shown = _Shown(
        slot.slot_id,
        slot.phase,
        slot.running_task_id,
        slot.held_tokens,
        one.fuel.ratio,
        one.fuel.level,
        slot.window_tokens,
        reuse_ratio(slot),
        one.reread_tokens is not None,
        one.tokens_per_s,
        "∞" if slot.is_unlimited else numbers.tokens(slot.remaining_tokens),
        time,
        _note(slot, was_cut=one.was_cut),
    )
    return _cells(shown)


class _Shown(NamedTuple):
    """All that a slot's cells are made of; nothing of its prompt is kept."""

    slot_id: int
    phase: Phase
    task_id: int | None
    held_tokens: int | None
    ratio: float | None
    level: FuelLevel
    window_tokens: int | None
    reuse_ratio: float | None
    is_reread: bool
    tokens_per_s: float | None
    left: str
    time: str
    note: str


@lru_cache(maxsize=1024)
def _cells(shown: _Shown) -> Cells:
    """Return the cells; most of many slots are as they were a second ago."""
    sign = PHASE_SIGNS[shown.phase]
    is_idle = shown.phase is Phase.IDLE
    quiet = Tone.MUTED if is_idle else Tone.TEXT
    texts = {
        "slot": line(muted(str(shown.slot_id))),
        "state": line(Part(str(sign), sign.tone)),
        "task": line(muted(_task(shown.task_id))),
        "percent": line(
            Part(numbers.percent(shown.ratio), quiet if is_idle else _level_tone(shown.level))
        ),
        "held": line(Part(numbers.tokens(shown.held_tokens), quiet)),
        "window": line(muted(f"/ {numbers.tokens(shown.window_tokens)}")),
        "reused": _reused(shown),
        "rate": line(Part(numbers.rate(shown.tokens_per_s), quiet)),
        "left": line(Part("–" if is_idle else shown.left, quiet)),
        "time": line(Part(shown.time, quiet)),
        "note": line(muted(shown.note)),
    }
    return Cells(texts)


def _reused(shown: _Shown) -> Line:
    """Return the reused share, with a mark when the task read again what was held before."""
    share = muted(numbers.percent(shown.reuse_ratio))
    if not shown.is_reread:
        return line(share)
    return line(share, Part(f" {REREAD_SIGN.symbol}", REREAD_SIGN.tone))


def _gone_cells(one: SlotPicture, sign: Sign) -> Cells:
    """Return the cells of a slot that is no more."""
    nothing = dict.fromkeys(
        ("task", "percent", "held", "reused", "rate", "left", "time"), line(muted(numbers.UNKNOWN))
    )
    texts: dict[str, Line] = {
        **nothing,
        "slot": line(muted(str(one.slot.slot_id))),
        "state": line(muted(str(sign))),
        "window": line(muted(f"/ {numbers.tokens(one.slot.window_tokens)}")),
        "note": (),
    }
    return Cells(texts)


def _lost(one: SlotPicture) -> Line:
    """Return what stands where a gauge would: how much went with the model."""
    return line(muted(f"lost {numbers.tokens(one.lost_tokens)} tokens" if one.lost_tokens else ""))


def gauge_tone(one: SlotPicture) -> Tone:
    """Return a gauge's tone: grey when idle, else by fullness, else by what is done."""
    if one.slot.phase is Phase.IDLE:
        return Tone.MUTED
    tone = _level_tone(one.fuel.level)
    return PHASE_SIGNS[one.slot.phase].tone if tone is Tone.TEXT else tone


def _level_tone(level: FuelLevel) -> Tone:
    levels = {FuelLevel.WARM: Tone.WARNING, FuelLevel.HOT: Tone.ERROR}
    return levels.get(level, Tone.TEXT)


def _task(task_id: int | None) -> str:
    return numbers.UNKNOWN if task_id is None else str(task_id)


def _note(slot: Slot, *, was_cut: bool) -> str:
    if slot.phase is not Phase.IDLE:
        return ""
    if slot.is_unused:
        return "unused"
    if was_cut:
        return "cut"
    return "cached" if slot.held_tokens else ""


def heading(columns: Sequence[Column]) -> Line:
    """Return the table's first line."""
    titles = {column.name: line(muted(column.title)) for column in columns}
    return assembled(columns, titles)


def row(columns: Sequence[Column], one: SlotPicture, texts: Mapping[str, Line]) -> Line:
    """Return a slot's line: its cells and its gauge."""
    width = next((column.width for column in columns if column.name == "gauge"), 0)
    if one.is_gone:
        return assembled(columns, {**texts, "gauge": cut(_lost(one), width)})
    return assembled(columns, {**texts, "gauge": gauge(one.fuel, width, gauge_tone(one))})


def assembled(columns: Sequence[Column], texts: Mapping[str, Line]) -> Line:
    """Return one line with every column's text in its place."""
    parts: list[Part] = []
    for column in columns:
        if parts:
            # A window belongs to the count before it.
            parts.append(Part(" " * (1 if column.name == "window" else GAP)))
        text = texts.get(column.name, ())
        blank = Part(" " * max(0, column.width - width_of(text)))
        placed_text = (blank, *text) if column.is_right else filled(text, column.width)
        parts.extend(part for part in placed_text if part.text)
    return tuple(parts)
