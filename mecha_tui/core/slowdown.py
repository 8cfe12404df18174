"""Judges measured speeds against the usual ones, and finds a slowdown that lasts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from mecha_tui.core.agreement.findings import Cure, Finding, Severity, Verdict
from mecha_tui.core.usual import (
    Comparison,
    Direction,
    Measurement,
    Pace,
    Usual,
    Usuals,
    compare,
)

SLOW_S = 30.0
"""Slow for this long, in measured seconds, is a finding."""
RECOVERED_S = 20.0
"""As fast as usual again for this long ends it."""
OLD_S = 900.0
"""What was measured longer ago says nothing about now."""
LEARN_AFTER_S = 86_400.0
"""While a slowdown is told its speeds do not count as usual, but for no longer than this."""

CODES: Mapping[Direction, str] = {
    Direction.WRITING: "slow-writing",
    Direction.READING: "slow-reading",
}


@dataclass(frozen=True, slots=True)
class Judgement:
    """Where one direction stands."""

    last: Measurement | None = None
    """The newest measurement that could be compared."""
    usual: Usual | None = None
    """What it was compared with."""
    comparison: Comparison = field(
        default_factory=lambda: Comparison(Pace.UNKNOWN, reason="not measured yet")
    )
    slow_s: float = 0.0
    """Seconds measured slower in a row."""
    fine_s: float = 0.0
    """Seconds measured as usual, or faster, in a row."""
    found_wall_s: float | None = None
    """Since when a slowdown is told; None while there is none."""

    @property
    def is_slow(self) -> bool:
        """Whether a slowdown is told."""
        return self.found_wall_s is not None

    def may_teach(self, measurement: Measurement) -> bool:
        """Whether a measurement may count as usual."""
        since_s = self.found_wall_s
        return since_s is None or measurement.wall_s - since_s > LEARN_AFTER_S


def judged(before: Judgement, measurement: Measurement, usuals: Usuals) -> Judgement:
    """Return the judgement after one more measurement.

    One that cannot be compared changes nothing: it speaks neither for nor against.
    """
    usual = usuals.get((measurement.direction, measurement.load))
    found = compare(measurement.tokens_per_s, measurement.tokens, usual, was_slower=before.is_slow)
    if found.verdict is Pace.UNKNOWN:
        return before if before.last is not None else replace(before, comparison=found)
    if before.last is not None and measurement.wall_s - before.last.wall_s > OLD_S:
        before = replace(before, slow_s=0.0, fine_s=0.0)
    is_slow = found.verdict is Pace.SLOWER
    slow_s = before.slow_s + measurement.seconds if is_slow else 0.0
    fine_s = 0.0 if is_slow else before.fine_s + measurement.seconds
    since_s = before.found_wall_s
    if since_s is None and slow_s >= SLOW_S:
        since_s = measurement.wall_s
    elif since_s is not None and fine_s >= RECOVERED_S:
        since_s = None
    return Judgement(measurement, usual, found, slow_s, fine_s, since_s)


def slowdown_finding(judgement: Judgement) -> Finding | None:
    """Return the finding with both figures; None while there is no slowdown."""
    last, usual, ratio = judgement.last, judgement.usual, judgement.comparison.ratio
    if not judgement.is_slow or last is None or usual is None or ratio is None:
        return None
    verb = "Writes" if last.direction is Direction.WRITING else "Reads"
    busy = last.load.busy_slots
    message = (
        f"{verb} {last.tokens_per_s:,.1f} tok/s with {busy} busy "
        f"{'slot' if busy == 1 else 'slots'}, usual here {usual.tokens_per_s:,.1f}: "
        f"{(1 - ratio) * 100:.0f} % slower."
    )
    return Finding(
        CODES[last.direction],
        Severity.WARNING,
        Verdict.DISAGREE,
        message,
        "The same model, build, window and load were faster before. Another program on the "
        "same GPU or cores, little memory, heat, or changed launch flags do that.",
        (Cure("look who else computes, then restart the server", "this machine"),),
    )
