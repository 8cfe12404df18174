"""The one table of keys: bindings, key hints, help and documentation follow from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum


class Place(Enum):
    """Where a key works."""

    DASHBOARD = "on the dashboard"
    EVERYWHERE = "everywhere"
    INSPECTION = "in slot inspection"
    AGREEMENT = "in the agreement details"
    OVERVIEW = "in the overview of the servers"
    TASKS = "in the list of tasks"
    PAGE = "on every other screen"


@dataclass(frozen=True, slots=True)
class Key:
    """One thing that keys do."""

    names: str
    """The keys as the user reads them, the first of them in the last line of the screen."""
    tooltip: str
    """One sentence for the help."""
    id: str
    """Stable name, such as ``slot.next``."""
    action: str
    description: str
    """One or two words for the last line of the screen."""
    hint_rank: int = 0
    """Its order in the last line; 0 keeps it out."""
    is_prior: bool = False
    """Whether it works before anything else sees the key."""

    @property
    def shown(self) -> str:
        """The first of its keys, as the user reads it."""
        return self.names.split(" ")[0]

    @property
    def keys(self) -> str:
        """Textual's names of the keys, with commas between them."""
        return ",".join(_TEXTUAL.get(name, name) for name in self.names.split(" "))


_TEXTUAL = {
    "↑": "up",
    "↓": "down",
    "←": "left",
    "→": "right",
    "PgUp": "pageup",
    "PgDn": "pagedown",
    "Home": "home",
    "End": "end",
    "Esc": "escape",
    "Space": "space",
    "Tab": "tab",
    "F1": "f1",
    "Ctrl-C": "ctrl+c",
    "?": "question_mark",
    "/": "slash",
}
"""Textual's name of each key that the user reads under another."""

# fmt: off
KEYS_BY_PLACE: Mapping[Place, tuple[Key, ...]] = {
    Place.DASHBOARD: (
        Key("↑ k", "Choose the slot above.", "slot.previous", "move(-1)", "slot"),
        Key("↓ j", "Choose the slot below.", "slot.next", "move(1)", "slot"),
        Key("PgUp", "Go a page of slots up.", "slot.page_up", "move_page(-1)", "page"),
        Key("PgDn", "Go a page of slots down.", "slot.page_down", "move_page(1)", "page"),
        Key("Home g", "Choose the first slot.", "slot.first", "move_to_end(-1)", "first"),
        Key("End G", "Choose the last slot.", "slot.last", "move_to_end(1)", "last"),
        Key("v", "Sort the slots: by number, fullest first, longest first.", "slot.sort", "sort_slots", "sort"),
        Key("f", "List only the busy slots, or all.", "slot.busy_only", "busy_only", "busy only"),
        Key("enter 2", "Look into the chosen slot, live.", "slot.inspect", "app.inspect", "inspect", 2),
        Key("a 1", "Why the numbers agree or not, and every cure.", "view.agreement", "app.agreement", "agreement", 3),
        Key("m 4", "Where the memory is, with sources and reasons.", "view.memory", "app.memory", "memory", 4),
        Key("3", "Speed over the last minutes.", "view.speed", "app.speed", "speed"),
        Key("t", "All tasks: what each reused, read and wrote, and how it ended.", "view.tasks", "app.tasks", "tasks"),
        Key("e 5", "Everything that happened.", "view.events", "app.events", "events", 7),
        Key("c 6", "Who talks to the server, by name.", "view.talkers", "app.talkers", "who talks"),
        Key("q", "Leave, and give the terminal back.", "app.quit", "app.leave", "quit", 9),
    ),
    Place.EVERYWHERE: (
        Key("s", "Show the next server.", "server.next", "app.next_server(1)", "server", 5),
        Key("S", "Show the previous server.", "server.previous", "app.next_server(-1)", "server"),
        Key("o", "Show every server in one row.", "server.overview", "app.overview", "servers", 5),
        Key("p Space", "Freeze the picture or let it go on; counting never stops.", "view.pause", "app.pause", "pause", 6),
        Key("T", "Change between dark and light.", "view.theme", "app.theme", "theme"),
        Key("? F1", "Show this list.", "view.help", "app.help", "help", 8),
        Key("Ctrl-C", "Leave from anywhere.", "app.interrupt", "app.leave", "quit", is_prior=True),
    ),
    Place.INSPECTION: (
        Key("← h", "Look into the slot before.", "slot.show_previous", "app.inspect_next(-1)", "slot"),
        Key("→ l", "Look into the next slot.", "slot.show_next", "app.inspect_next(1)", "slot"),
    ),
    Place.AGREEMENT: (
        Key("← h", "Choose the cure before.", "cure.previous", "choose(-1)", "cure"),
        Key("→ l Tab", "Choose the next cure.", "cure.next", "choose(1)", "cure"),
        Key("y", "Copy the chosen cure to the clipboard.", "cure.copy", "copy", "copy cure", 2),
    ),
    Place.OVERVIEW: (
        Key("↑ k", "Choose the server above.", "overview.previous", "move(-1)", "server"),
        Key("↓ j", "Choose the server below.", "overview.next", "move(1)", "server"),
        *(Key(str(number), f"Show server {number}.", f"overview.show_{number}", f"show({number - 1})", "show") for number in range(1, 10)),
        Key("enter q Esc", "Show the chosen server's dashboard.", "overview.close", "app.close", "show", 2),
    ),
    Place.TASKS: (
        Key("Tab", "Sort by another thing: newest, slowest, most read again.", "tasks.order", "order", "order", 2),
        Key("/", "Show the chosen slot's tasks alone, or all.", "tasks.filter", "filter", "slot or all", 3),
    ),
    Place.PAGE: (
        Key("↑ k", "Scroll up.", "page.up", "scroll_by(-1)", "scroll"),
        Key("↓ j", "Scroll down.", "page.down", "scroll_by(1)", "scroll"),
        Key("PgUp b", "Scroll a page up.", "page.page_up", "scroll_page(-1)", "page"),
        Key("PgDn f", "Scroll a page down.", "page.page_down", "scroll_page(1)", "page"),
        Key("Home g", "Go to the top.", "page.top", "scroll_to_end(-1)", "top"),
        Key("End G", "Go to the bottom.", "page.bottom", "scroll_to_end(1)", "bottom"),
        Key("q Esc", "Go back to the dashboard.", "page.close", "app.close", "close", 9),
    ),
}
"""Every key there is, by where it works, in the order of the help."""
# fmt: on
