"""What a server's picture knows about its speed being as usual, or not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from mecha_tui.core.agreement.findings import Finding
from mecha_tui.core.slots import Slot
from mecha_tui.core.slowdown import Judgement, judged, slowdown_finding
from mecha_tui.core.steady import Steady, load_now, stretch_between, with_stretch
from mecha_tui.core.usual import Direction, Measurement, Setup, Usual, Usuals

Recall = Callable[[Setup], Usuals]
"""What is known to be usual for a setup, at once and without waiting."""


def nothing_usual(_setup: Setup) -> Usuals:
    """Know of no usual speeds."""
    return {}


@dataclass(frozen=True, slots=True)
class Paces:
    """Speeds being measured, and how those measured before stand to the usual ones."""

    setup: Setup = field(default_factory=Setup)
    usuals: Usuals = field(default_factory=dict)
    """What is usual for the setup, by condition."""
    sums: Steady = ()
    """Measurements under way."""
    learned: tuple[Measurement, ...] = ()
    """What this very round found and may be kept as usual."""
    writing: Judgement = field(default_factory=Judgement)
    reading: Judgement = field(default_factory=Judgement)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The slowdowns told now."""
        found = (slowdown_finding(self.writing), slowdown_finding(self.reading))
        return tuple(one for one in found if one is not None)

    def of(self, direction: Direction) -> Judgement:
        """Return where one direction stands."""
        return self.writing if direction is Direction.WRITING else self.reading

    def usual_now(self, slots: tuple[Slot, ...], direction: Direction) -> Usual | None:
        """Return what is usual under the load that the slots are under now, if it is known."""
        load = load_now(slots, direction)
        found = None if load is None else self.usuals.get((direction, load))
        return found if found is not None and found.is_settled else None

    def for_setup(self, setup: Setup, recall: Recall) -> Paces:
        """Return the paces for a round; another setup starts afresh."""
        kept = replace(self, learned=()) if setup == self.setup else Paces(setup)
        return replace(kept, usuals=recall(setup)) if setup.is_comparable else kept

    def with_looks(
        self,
        before: tuple[Slot, ...],
        before_s: float,
        now: tuple[Slot, ...],
        now_s: float,
        wall_s: float,
    ) -> Paces:
        """Return the paces after one more look at the slots."""
        stretch = stretch_between(before, before_s, now, now_s)
        if stretch is None:
            return self
        sums, found = with_stretch(self.sums, stretch, self.setup, wall_s)
        paces = replace(self, sums=sums)
        return paces if found is None else paces.with_measurement(found)

    def with_measurement(self, found: Measurement) -> Paces:
        """Return the paces after one more measurement."""
        judgement = judged(self.of(found.direction), found, self.usuals)
        learned = (found,) if judgement.may_teach(found) else ()
        paces = replace(self, learned=(*self.learned, *learned))
        if found.direction is Direction.WRITING:
            return replace(paces, writing=judgement)
        return replace(paces, reading=judgement)
