"""What a screen is to show: the picture, and what the user chose."""

from __future__ import annotations

from dataclasses import dataclass

from mecha_tui.core.picture import ServerPicture, SlotPicture
from mecha_tui.present.slot_order import SlotOrder, listed


@dataclass(frozen=True, slots=True)
class Hint:
    """One key in the last line of a screen."""

    shown: str
    word: str
    action: str


@dataclass(frozen=True, slots=True)
class View:
    """Everything a screen is drawn from."""

    picture: ServerPicture | None = None
    """None until the first round is in."""
    pictures: tuple[ServerPicture, ...] = ()
    """Every server's picture, in the order of the round."""
    position: int = 1
    """Which of the servers this is, from one."""
    count: int = 1
    interval_s: float = 1.0
    chosen_slot: int | None = None
    """The chosen slot's id; None while there is none."""
    first_row: int = 0
    """How many rows of the slot table are scrolled away above."""
    slot_order: SlotOrder = SlotOrder.NUMBER
    is_busy_only: bool = False
    """Whether idle slots are left out of the table."""
    paused_wall_s: float | None = None
    """When the picture was frozen; None while it moves."""
    hints: tuple[Hint, ...] = ()
    store_trouble: str | None = None
    """What is wrong with the state file, in words; None while all is well."""

    @property
    def slots(self) -> tuple[SlotPicture, ...]:
        """The slots of the table in their order."""
        slots = self.picture.slots if self.picture else ()
        return listed(slots, self.slot_order, is_busy_only=self.is_busy_only)

    @property
    def is_stale(self) -> bool:
        """Whether for two rounds nothing has shown that the picture still holds."""
        unseen_s = self.picture.unseen_s if self.picture else None
        return unseen_s is not None and unseen_s > 2 * self.interval_s


@dataclass(frozen=True, slots=True)
class Hit:
    """A stretch of the screen that answers to the mouse."""

    x: int
    y: int
    width: int
    slot_id: int | None = None
    action: str | None = None
