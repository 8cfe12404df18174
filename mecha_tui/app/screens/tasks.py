"""All tasks of the server."""

from __future__ import annotations

from mecha_tui.app.key_uses import bindings
from mecha_tui.app.keys import Place
from mecha_tui.app.screens.page_screen import PageScreen
from mecha_tui.present.pages.page import Page
from mecha_tui.present.pages.tasks import TaskOrder, tasks_page
from mecha_tui.present.view import View


class TasksScreen(PageScreen):
    """The list of tasks, sorted and filtered."""

    BINDINGS = bindings(Place.PAGE, Place.TASKS)
    PLACES = (Place.TASKS, Place.PAGE)

    order = TaskOrder.NEWEST
    is_of_slot = False
    """Whether only the chosen slot's tasks are shown."""

    def page(self, view: View, width: int) -> Page:
        """Return the page."""
        slot_id = view.chosen_slot if self.is_of_slot else None
        return tasks_page(view, width, self.order, slot_id, self.first)

    def action_order(self) -> None:
        """Sort the list in the next way."""
        orders = list(TaskOrder)
        self.order = orders[(orders.index(self.order) + 1) % len(orders)]
        self.first = 0
        self.draw()

    def action_filter(self) -> None:
        """Show the chosen slot's tasks alone, or all."""
        self.is_of_slot = not self.is_of_slot
        self.first = 0
        self.draw()
