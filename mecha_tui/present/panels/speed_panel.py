"""How fast the server writes and reads, now and over the last minutes."""

from __future__ import annotations

from mecha_tui.core.history import Series
from mecha_tui.core.picture import ServerPicture
from mecha_tui.present import numbers
from mecha_tui.present.charts import chart
from mecha_tui.present.text import EMPTY, Line, Tone, bold, cut, faint, line, muted, spread


def speed_lines(picture: ServerPicture, width: int, room: int) -> list[Line]:
    """Return both rates, and below them as much of a chart as fits."""
    writing = _rate_line(picture.writing_tokens_per_s, "writing")
    reading = _rate_line(picture.reading_tokens_per_s, "reading")
    if room < 4:
        return [writing, reading][:room]
    if room < 14:
        drawn = _chart(picture.writing_history, width, room - 2, Tone.ACCENT)
        return [writing, reading, *drawn]
    each = room // 2
    return [
        writing,
        *_chart(picture.writing_history, width, each - 1, Tone.ACCENT),
        reading,
        *_chart(picture.reading_history, width, room - each - 1, Tone.READING),
    ]


def speed_line(picture: ServerPicture, width: int) -> Line:
    """Return both rates in one line."""
    return cut(
        line(
            muted("speed   "),
            _rate_line(picture.writing_tokens_per_s, "writing"),
            "   ",
            _rate_line(picture.reading_tokens_per_s, "reading"),
        ),
        width,
    )


def _rate_line(tokens_per_s: float | None, word: str) -> Line:
    return line(bold(numbers.rate(tokens_per_s)), muted(f" tok/s {word}"))


def _chart(series: Series, width: int, height: int, tone: Tone) -> list[Line]:
    if height < 2:
        return []
    minutes = series.length * series.bucket_s / 60
    axis = spread(line(faint(f"{minutes:g} min ago")), line(faint("now")), width)
    if height < 4:
        return chart(series, width, height, tone)
    return [*chart(series, width, height - 1, tone), axis if width > 16 else EMPTY]
