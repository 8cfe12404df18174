"""The screen one leaves open for days."""

from __future__ import annotations

from mecha_tui.app.key_uses import bindings
from mecha_tui.app.keys import Place
from mecha_tui.app.screens.picture_screen import PictureScreen
from mecha_tui.present.dashboard import dashboard
from mecha_tui.present.frame import Frame
from mecha_tui.present.view import View

_EVERY_SLOT = 1_000_000


class DashboardScreen(PictureScreen):
    """Numbers, slots, speed, memory and events."""

    BINDINGS = bindings(Place.DASHBOARD)
    PLACES = (Place.DASHBOARD,)

    def frame(self, view: View, width: int, height: int) -> Frame:
        """Return the dashboard."""
        return dashboard(view, width, height)

    async def slot_clicked(self, slot_id: int, *, is_double: bool) -> None:
        """Choose the slot; a second click looks into it."""
        self.desk.choose(slot_id)
        self.draw()
        if is_double:
            await self.run_action("app.inspect")

    def on_mouse_scroll_down(self) -> None:
        """Choose the slot below."""
        self.action_move(1)

    def on_mouse_scroll_up(self) -> None:
        """Choose the slot above."""
        self.action_move(-1)

    def action_move(self, step: int) -> None:
        """Choose the slot some rows further."""
        self.desk.move(step, self.canvas.frame.visible_rows)
        self.draw()

    def action_sort_slots(self) -> None:
        """List the slots in the next order."""
        self.desk.sort_slots()
        self.draw()

    def action_busy_only(self) -> None:
        """Leave idle slots out, or list all."""
        self.desk.toggle_busy_only()
        self.draw()

    def action_move_page(self, direction: int) -> None:
        """Choose the slot a page further."""
        self.action_move(direction * max(1, self.canvas.frame.visible_rows))

    def action_move_to_end(self, direction: int) -> None:
        """Choose the first or the last slot."""
        self.action_move(direction * _EVERY_SLOT)
