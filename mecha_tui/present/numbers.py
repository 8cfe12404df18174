"""Numbers as text: the one place that rounds. Unknown is always an en dash, never zero."""

from __future__ import annotations

from datetime import datetime, timezone
from math import floor

UNKNOWN = "–"
GIB = 1024**3
MINUTE_S = 60
HOUR_S = 3600
DAY_S = 86400


def tokens(count: int | None) -> str:
    """Return a count with thousands separators."""
    return UNKNOWN if count is None else f"{count:,}"


def percent(ratio: float | None) -> str:
    """Return a ratio of one as a whole percentage, rounded down.

    So 100 % is said of nothing less than full, and no figure outruns the colour beside it.
    """
    return UNKNOWN if ratio is None else f"{floor(ratio * 100 + 1e-9)} %"


def rate(tokens_per_s: float | None) -> str:
    """Return a rate with one decimal, from a thousand on with none."""
    if tokens_per_s is None:
        return UNKNOWN
    return f"{tokens_per_s:,.1f}" if tokens_per_s < 999.95 else f"{tokens_per_s:,.0f}"


def gib(count_bytes: int | None) -> str:
    """Return bytes in GiB with one decimal, below a tenth of one with two."""
    if count_bytes is None:
        return UNKNOWN
    value = count_bytes / GIB
    return f"{value:.2f}" if 0 < abs(value) < 0.1 else f"{value:,.1f}"


def duration(seconds: float | None) -> str:
    """Return a running time that is worth watching, such as ``0:21`` or ``1:02:03``."""
    if seconds is None:
        return UNKNOWN
    whole = max(0, int(seconds))
    if whole >= DAY_S:
        return span(seconds)
    hours, rest = divmod(whole, HOUR_S)
    minutes, left = divmod(rest, MINUTE_S)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"


def span(seconds: float | None) -> str:
    """Return a long time coarsely, so that it rarely changes: ``4 min``, ``2h 5m``, ``3d 4h``."""
    if seconds is None:
        return UNKNOWN
    whole = max(0, int(seconds))
    if whole < MINUTE_S:
        return "<1 min"
    if whole < HOUR_S:
        return f"{whole // MINUTE_S} min"
    if whole < DAY_S:
        return f"{whole // HOUR_S}h {whole % HOUR_S // MINUTE_S}m"
    return f"{whole // DAY_S}d {whole % DAY_S // HOUR_S}h"


def age(seconds: float) -> str:
    """Return how old something is, in seconds first and coarsely later."""
    return f"{max(0, seconds):.0f} s" if seconds < 2 * MINUTE_S else span(seconds)


def clock(wall_s: float) -> str:
    """Return the local time of day in hours and minutes."""
    return f"{_local(wall_s):%H:%M}"


def clock_with_seconds(wall_s: float) -> str:
    """Return the local time of day to the second."""
    return f"{_local(wall_s):%H:%M:%S}"


def _local(wall_s: float) -> datetime:
    return datetime.fromtimestamp(wall_s, tz=timezone.utc).astimezone()
