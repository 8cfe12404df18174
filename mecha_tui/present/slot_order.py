"""Which slots are listed, and in which order."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from mecha_tui.core.picture import SlotPicture


class SlotOrder(Enum):
    """How the slots are sorted, in the user's words."""

    NUMBER = "by number"
    FULLEST = "fullest first"
    LONGEST = "longest first"

    @property
    def next(self) -> SlotOrder:
        """The order after this one; after the last comes the first."""
        orders = list(SlotOrder)
        return orders[(orders.index(self) + 1) % len(orders)]


def listed(
    slots: Sequence[SlotPicture], order: SlotOrder, *, is_busy_only: bool
) -> tuple[SlotPicture, ...]:
    """Return the slots to show; those of which an order knows nothing come last."""
    shown = [one for one in slots if one.slot.is_processing or not is_busy_only]
    if order is SlotOrder.FULLEST:
        shown.sort(key=lambda one: -1.0 if one.fuel.ratio is None else one.fuel.ratio, reverse=True)
    elif order is SlotOrder.LONGEST:
        shown.sort(key=lambda one: (not one.slot.is_processing, one.task_since_s or 0.0))
    return tuple(shown)
