"""A series of fixed length in which a missing value stays a gap."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Series:
    """Values over time, one for each bucket of equal length; None is a gap."""

    bucket_s: float
    """Length of one bucket in seconds."""
    length: int
    """How many buckets are kept."""
    newest: int | None = None
    """Number of the newest bucket since the clock's zero; None while empty."""
    values: tuple[float | None, ...] = ()
    """Oldest first; a bucket's last value wins."""

    def with_value(self, at_s: float, value: float | None, since_s: float | None = None) -> Series:
        """Return the series with one more value; buckets nobody filled become gaps.

        Args:
            at_s: Monotonic seconds. A time before the newest bucket is ignored.
            value: The value; None marks a gap.
            since_s: Since when the value holds, for one that speaks for a stretch of
                time, such as a rate; None for one that speaks for its moment only.
        """
        bucket = int(at_s // self.bucket_s)
        if self.newest is None:
            return Series(self.bucket_s, self.length, bucket, (value,))
        if bucket < self.newest:
            return self
        if bucket == self.newest:
            kept = self.values[-1] if value is None else value
            return Series(self.bucket_s, self.length, bucket, (*self.values[:-1], kept))
        skipped = range(max(self.newest + 1, bucket - self.length), bucket)
        first = bucket if since_s is None else int(since_s // self.bucket_s)
        filler = tuple(value if one >= first else None for one in skipped)
        values = (*self.values, *filler, value)[-self.length :]
        return Series(self.bucket_s, self.length, bucket, values)


HOURS_BUCKET_S = 60.0
HOURS_LENGTH = 1440
"""A day of minutes."""


@dataclass(frozen=True, slots=True)
class Hours:
    """The same over a day, coarser: the mean of each minute. Its size is fixed."""

    minutes: Series = field(default_factory=lambda: Series(HOURS_BUCKET_S, HOURS_LENGTH))
    """The minutes that are over; one in which nothing was known is a gap."""
    bucket: int | None = None
    """Number of the minute under way; None while empty."""
    total: float = 0.0
    count: int = 0

    def with_value(self, at_s: float, value: float | None) -> Hours:
        """Return the hours with one more value; None is not known and weighs nothing."""
        bucket = int(at_s // HOURS_BUCKET_S)
        if self.bucket is not None and bucket < self.bucket:
            return self
        kept = self if bucket == self.bucket else Hours(self.shown, bucket)
        if value is None:
            return kept
        return Hours(kept.minutes, bucket, kept.total + value, kept.count + 1)

    @property
    def shown(self) -> Series:
        """The minutes, with the one under way as far as it is known."""
        if self.bucket is None:
            return self.minutes
        mean = self.total / self.count if self.count else None
        return self.minutes.with_value(self.bucket * HOURS_BUCKET_S, mean)

    def since(self, length: int) -> Series:
        """Return the newest minutes only.

        Args:
            length: How many.
        """
        shown = self.shown
        return Series(shown.bucket_s, length, shown.newest, shown.values[-length:])
