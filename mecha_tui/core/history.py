"""A series of fixed length in which a missing value stays a gap."""

from __future__ import annotations

from dataclasses import dataclass


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
