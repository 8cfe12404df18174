"""What the user looks at: which server, which slot, and whether the picture is frozen."""

from __future__ import annotations

from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.sample import Round
from mecha_tui.core.usual import SpeedMemory
from mecha_tui.core.watch import Pictures, next_pictures
from mecha_tui.present.slot_order import SlotOrder, listed
from mecha_tui.present.view import View


class Desk:
    """Folds the rounds into pictures and remembers what was chosen for each server."""

    def __init__(self, interval_s: float = 1.0, speeds: SpeedMemory | None = None) -> None:
        self._interval_s = interval_s
        self._speeds = speeds
        self._pictures: Pictures = {}
        self._frozen: Pictures | None = None
        self._paused_wall_s: float | None = None
        self._key: str | None = None
        self._slots: dict[str, int] = {}
        self._order = SlotOrder.NUMBER
        self._is_busy_only = False
        self._first_rows: dict[str, int] = {}

    def take(self, taken: Round) -> None:
        """Count one more round, also while the picture is frozen."""
        speeds = self._speeds
        if speeds is None:
            self._pictures = next_pictures(self._pictures, taken)
            return
        self._pictures = next_pictures(self._pictures, taken, speeds.recall)
        speeds.learn([one for each in self._pictures.values() for one in each.paces.learned])

    @property
    def shown(self) -> Pictures:
        """The pictures on the screen: the newest, or those of the moment of the pause."""
        return self._pictures if self._frozen is None else self._frozen

    @property
    def picture(self) -> ServerPicture | None:
        """The picture of the server that is looked at; None before the first round."""
        shown = self.shown
        if self._key in shown:
            return shown[self._key]
        return next(iter(shown.values()), None)

    @property
    def view(self) -> View:
        """Everything a screen is drawn from, except its key hints."""
        picture = self.picture
        keys = list(self.shown)
        return View(
            picture=picture,
            pictures=tuple(self.shown.values()),
            position=keys.index(picture.key) + 1 if picture else 1,
            count=max(1, len(keys)),
            interval_s=self._interval_s,
            chosen_slot=self.chosen_slot,
            first_row=self._first_rows.get(picture.key, 0) if picture else 0,
            slot_order=self._order,
            is_busy_only=self._is_busy_only,
            paused_wall_s=self._paused_wall_s,
            store_trouble=None if self._speeds is None else self._speeds.trouble,
        )

    @property
    def chosen_slot(self) -> int | None:
        """The chosen slot's id: the one the user chose while it exists, else the first."""
        ids = self._slot_ids()
        if not ids or self.picture is None:
            return None
        chosen = self._slots.get(self.picture.key)
        return chosen if chosen in ids else ids[0]

    def choose(self, slot_id: int, visible_rows: int = 0) -> None:
        """Choose a slot by its id and scroll the table so that it can be seen."""
        ids = self._slot_ids()
        if self.picture is None or slot_id not in ids:
            return
        key = self.picture.key
        self._slots[key] = slot_id
        if visible_rows > 0:
            row, first = ids.index(slot_id), self._first_rows.get(key, 0)
            self._first_rows[key] = max(0, min(max(first, row - visible_rows + 1), row))

    def move(self, step: int, visible_rows: int = 0) -> None:
        """Choose another slot, some rows below or above; the ends hold."""
        ids = self._slot_ids()
        chosen = self.chosen_slot
        if chosen is None:
            return
        row = max(0, min(len(ids) - 1, ids.index(chosen) + step))
        self.choose(ids[row], visible_rows)

    def next_server(self, step: int) -> None:
        """Look at another server; after the last comes the first."""
        keys = list(self.shown)
        picture = self.picture
        if picture is not None:
            self._key = keys[(keys.index(picture.key) + step) % len(keys)]

    def choose_server(self, index: int) -> bool:
        """Look at a server by its place, from zero; return whether there is one."""
        keys = list(self.shown)
        if not 0 <= index < len(keys):
            return False
        self._key = keys[index]
        return True

    def toggle_pause(self) -> None:
        """Freeze the picture, or go on with the newest."""
        if self._frozen is None:
            picture = self.picture
            self._frozen = self._pictures
            self._paused_wall_s = picture.now_wall_s if picture else None
        else:
            self._frozen = self._paused_wall_s = None

    def sort_slots(self) -> None:
        """List the slots in the next order, from the top."""
        self._order = self._order.next
        self._first_rows.clear()

    def toggle_busy_only(self) -> None:
        """Leave idle slots out of the table, or list all."""
        self._is_busy_only = not self._is_busy_only
        self._first_rows.clear()

    def _slot_ids(self) -> list[int]:
        slots = self.picture.slots if self.picture else ()
        shown = listed(slots, self._order, is_busy_only=self._is_busy_only)
        return [one.slot.slot_id for one in shown]
