"""How fast the server writes and reads, now and over the last minutes."""

from __future__ import annotations

from mecha_tui.core.history import Series
from mecha_tui.core.picture import ServerPicture
from mecha_tui.present import numbers
from mecha_tui.present.charts import chart, first_cell, label_cells
from mecha_tui.present.text import EMPTY, Line, Tone, bold, cut, line, muted, spread
from mecha_tui.present.usual_words import usual_line

HIGHEST_CHART = 6
"""Lines of a chart in the panel; a taller one would shout."""


def speed_lines(
    picture: ServerPicture, width: int, room: int, highest: int = HIGHEST_CHART
) -> list[Line]:
    """Return both rates, each over its chart where there is room, else as much as fits.

    Args:
        picture: The server.
        width: Cells in a line.
        room: Lines there are.
        highest: Lines a chart takes at most.
    """
    writing = _rate_line(picture.writing_tokens_per_s, "writing")
    reading = _rate_line(picture.reading_tokens_per_s, "reading")
    written, read = picture.writing_history, picture.reading_history
    has_seen = any(value is not None for value in (*written.values, *read.values))
    usual = usual_line(picture)
    told = [] if usual is None or room < 3 else [cut(usual, width)]
    if room < 4 + len(told) or not has_seen:
        return [writing, reading, *told][:room]
    room -= len(told)
    if room < 9:
        height = room - 2 if room < 6 else room - 3
        axis = [] if room < 6 else [_axis(written, width, label_cells(written))]
        return [writing, reading, *told, *chart(written, width, height, Tone.ACCENT), *axis]
    height = min(highest, (room - 3) // 2)
    labels = max(label_cells(written), label_cells(read))
    return [
        writing,
        *told,
        *chart(written, width, height, Tone.ACCENT, label_cells=labels),
        reading,
        *chart(read, width, height, Tone.READING, label_cells=labels),
        _axis(written, width, labels),
    ]


def speed_line(picture: ServerPicture, width: int) -> Line:
    """Return both rates in one line."""
    writing = _rate_line(picture.writing_tokens_per_s, "writing")
    reading = _rate_line(picture.reading_tokens_per_s, "reading")
    return cut(line(muted("speed   "), writing, "   ", reading), width)


def _rate_line(tokens_per_s: float | None, word: str) -> Line:
    return line(bold(numbers.rate(tokens_per_s)), muted(f" tok/s {word}"))


def _axis(series: Series, width: int, labels: int) -> Line:
    """Return what the first and the last column of a chart stand for."""
    if width < 24:
        return EMPTY
    minutes = series.length * series.bucket_s / 60
    oldest = line(" " * first_cell(series, width, labels), muted(f"{minutes:g} min ago"))
    return spread(oldest, line(muted("now")), width)
