"""Writing and reading over minutes and hours, and how they stand to the usual."""

from __future__ import annotations

from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.server import acceptance_ratio
from mecha_tui.core.usual import Direction, Setup
from mecha_tui.present import numbers
from mecha_tui.present.charts import chart, first_cell, label_cells
from mecha_tui.present.pages.page import Page, heading
from mecha_tui.present.panels.speed_panel import speed_lines
from mecha_tui.present.text import Line, Part, Tone, bold, cut, line, muted, spread, wrapped
from mecha_tui.present.usual_words import load_words, spread_words
from mecha_tui.present.view import View
from mecha_tui.present.words import is_embedding

HOURS = (1, 3, 6, 12, 24)
"""The stretches that the long chart shows; the shortest that holds what was seen."""
_LOWEST_MINUTES = 9
_HOURS_HEIGHT = 4


def speed_page(view: View, width: int, height: int) -> Page:
    """Return the page for content of this size."""
    title = line(bold("3 speed"))
    if view.picture is None:
        return Page(title, [line(muted("Waiting for the first look."))])
    picture = view.picture
    why = _why_unknown(picture)
    below = wrapped(why, width, Tone.MUTED) if why else []
    below += _findings(picture, width)
    below += _hours(picture, width)
    below += _usual(picture, view.store_trouble, width)
    room = max(min(height, _LOWEST_MINUTES), height - len(below))
    return Page(title, [*speed_lines(picture, width, room, highest=room), *below])


def _why_unknown(picture: ServerPicture) -> str | None:
    """Return why a rate is unknown; None when both are known."""
    if is_embedding(picture):
        return "– an embeddings server writes no text"
    if None not in (picture.writing_tokens_per_s, picture.reading_tokens_per_s):
        return None
    reason = picture.slots_reason or picture.condition.reason
    if reason:
        return f"– unknown: {reason}"
    return "– unknown: a rate needs two looks at the slots"


def _findings(picture: ServerPicture, width: int) -> list[Line]:
    lines: list[Line] = []
    for one in picture.paces.findings:
        lines += wrapped(f"! {one.message}", width, Tone.WARNING)
        lines += wrapped(one.effect, width, Tone.MUTED)
    return lines


def _hours(picture: ServerPicture, width: int) -> list[Line]:
    """Return the chart of the last hours; nothing before there are some minutes of it."""
    minutes = len(picture.writing_hours.shown.values)
    if minutes < 5:
        return []
    hours = next((one for one in HOURS if one * 60 >= minutes), HOURS[-1])
    written = picture.writing_hours.since(hours * 60)
    oldest = line(
        " " * first_cell(written, width, label_cells(written)),
        muted(f"{hours} h ago" if width >= 24 else ""),
    )
    return [
        heading("writing, mean of each minute", width),
        *chart(written, width, _HOURS_HEIGHT, Tone.ACCENT),
        spread(oldest, line(muted("now")), width),
    ]


def _usual(picture: ServerPicture, trouble: str | None, width: int) -> list[Line]:
    lines = [heading("usual, like for like", width)]
    counters = picture.counters
    ratio = acceptance_ratio(counters)
    if counters is not None and counters.drafted_tokens is not None and ratio is not None:
        drafted = numbers.tokens(int(counters.drafted_tokens))
        lines.append(line(muted(f"drafts accepted {numbers.percent(ratio)} of {drafted} tokens")))
    lines += wrapped(setup_words(picture.paces.setup), width, Tone.MUTED)
    rows = sorted(
        picture.paces.usuals.items(),
        key=lambda row: (
            row[0][0] is Direction.READING,
            row[0][1].busy_slots,
            row[0][1].depth_band,
        ),
    )
    for (direction, load), usual in rows:
        tone = Tone.TEXT if usual.is_settled else Tone.MUTED
        about = "" if usual.is_settled else "  too few to judge by"
        text = (
            f"{direction.value:<8} {load_words(load):<28}"
            f"{numbers.rate(usual.tokens_per_s):>7} tok/s  {spread_words(usual)}{about}"
        )
        lines.append(cut(line(Part(text, tone)), width))
    if not rows:
        lines.append(line(muted("nothing measured yet: a speed has to hold for 10 s")))
    return [*lines, *(wrapped(f"! {trouble}", width, Tone.WARNING) if trouble else ())]


def setup_words(setup: Setup) -> str:
    """Return what speeds are compared by, in words."""
    if not setup.is_comparable:
        return "not compared: the server does not tell its model, window or slots"
    parts = [
        setup.model,
        setup.quantization,
        setup.build,
        f"{setup.slot_count} × {setup.window_tokens:,} tokens",
        None if setup.gpu in (None, "none") else setup.gpu,
        None if setup.host is None else f"on {setup.host}",
    ]
    return "  ".join(part for part in parts if part)
