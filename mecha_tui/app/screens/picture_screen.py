"""What every screen has in common: it draws one frame and knows the desk."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace

from textual import events
from textual.app import ComposeResult
from textual.screen import Screen

from mecha_tui.app.desk import Desk
from mecha_tui.app.key_uses import hints
from mecha_tui.app.keys import Place
from mecha_tui.app.widgets.canvas import Canvas
from mecha_tui.present.frame import Frame
from mecha_tui.present.view import View


class PictureScreen(Screen[None], inherit_bindings=False):
    """A screen that is drawn anew, cheaply, after every round."""

    ALLOW_SELECT = False
    PLACES: tuple[Place, ...] = ()
    """Which part of the key table works here."""

    def __init__(self, desk: Desk, *, ascii_only: bool = False) -> None:
        super().__init__()
        self.desk = desk
        self.ascii_only = ascii_only
        self.canvas = Canvas(ascii_only=ascii_only)

    def compose(self) -> ComposeResult:
        """The canvas is all there is."""
        yield self.canvas

    @abstractmethod
    def frame(self, view: View, width: int, height: int) -> Frame:
        """Return what is to be drawn."""

    def draw(self) -> None:
        """Draw what is now to be seen."""
        width, height = self.app.size
        if self.canvas.is_mounted and width > 0 and height > 0:
            self.canvas.show(self.frame(self._view(), width, height))

    def on_mount(self) -> None:
        """Draw the first frame."""
        self.draw()

    def on_resize(self) -> None:
        """Draw for the new size, all of it: a terminal may clear what it showed."""
        self.canvas.forget()
        self.draw()

    def on_screen_resume(self) -> None:
        """Draw what happened while another screen was on top."""
        self.canvas.forget()
        self.draw()

    async def on_click(self, event: events.Click) -> None:
        """Run the key hint under the mouse, or choose the slot there."""
        hit = self.canvas.frame.hit(event.screen_x, event.screen_y)
        if hit is not None and hit.action is not None:
            await self.run_action(hit.action)
        elif hit is not None and hit.slot_id is not None:
            await self.slot_clicked(hit.slot_id, is_double=event.chain == 2)

    async def slot_clicked(self, slot_id: int, *, is_double: bool) -> None:
        """Do what a click on a slot's row means here; by default nothing."""

    def _view(self) -> View:
        view = self.desk.view
        is_paused = view.paused_wall_s is not None
        shown = hints(*self.PLACES, is_alone=view.count < 2, is_paused=is_paused)
        return replace(view, hints=shown)
