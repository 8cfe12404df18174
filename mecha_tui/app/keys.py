"""The one table of keys: bindings, key hints, help and documentation follow from it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Place(Enum):
    """Where a key works."""

    EVERYWHERE = "everywhere"
    DASHBOARD = "on the dashboard"
    PAGE = "on every other screen"
    INSPECTION = "in slot inspection"
    AGREEMENT = "in the agreement details"


@dataclass(frozen=True, slots=True)
class Key:
    """One thing that keys do."""

    id: str
    """Stable name, such as ``slot.next``."""
    keys: str
    """Textual's names of the keys, with commas between them."""
    shown: str
    """The keys as the user reads them."""
    action: str
    description: str
    """One or two words for the last line of the screen."""
    tooltip: str
    """One sentence for the help."""
    place: Place
    hint_rank: int = 0
    """Its order in the last line; 0 keeps it out."""
    is_prior: bool = False
    """Whether it works before anything else sees the key."""
    also: str = ""
    """Another key for the same, told in the help and not in the last line."""

    @property
    def names(self) -> str:
        """All its keys as the user reads them."""
        return f"{self.shown} {self.also}".rstrip()


KEYS = (
    Key(
        "slot.previous",
        "up,k",
        "↑ k",
        "move(-1)",
        "slot",
        "Choose the slot above.",
        Place.DASHBOARD,
    ),
    Key("slot.next", "down,j", "↓ j", "move(1)", "slot", "Choose the slot below.", Place.DASHBOARD),
    Key(
        "slot.page_up",
        "pageup",
        "PgUp",
        "move_page(-1)",
        "page",
        "Go a page of slots up.",
        Place.DASHBOARD,
    ),
    Key(
        "slot.page_down",
        "pagedown",
        "PgDn",
        "move_page(1)",
        "page",
        "Go a page of slots down.",
        Place.DASHBOARD,
    ),
    Key(
        "slot.first",
        "home,g",
        "Home g",
        "move_to_end(-1)",
        "first",
        "Choose the first slot.",
        Place.DASHBOARD,
    ),
    Key(
        "slot.last",
        "end,G",
        "End G",
        "move_to_end(1)",
        "last",
        "Choose the last slot.",
        Place.DASHBOARD,
    ),
    Key(
        "slot.inspect",
        "enter,2",
        "enter",
        "app.inspect",
        "inspect",
        "Look into the chosen slot, live.",
        Place.DASHBOARD,
        2,
        also="2",
    ),
    Key(
        "view.agreement",
        "a,1",
        "a",
        "app.agreement",
        "agreement",
        "Why the numbers agree or not, and every cure.",
        Place.DASHBOARD,
        3,
        also="1",
    ),
    Key(
        "view.memory",
        "m,4",
        "m",
        "app.memory",
        "memory",
        "Where the memory is, with sources and reasons.",
        Place.DASHBOARD,
        4,
        also="4",
    ),
    Key(
        "view.speed",
        "3",
        "3",
        "app.speed",
        "speed",
        "Speed over the last minutes.",
        Place.DASHBOARD,
    ),
    Key(
        "view.events",
        "e,5",
        "e",
        "app.events",
        "events",
        "Everything that happened.",
        Place.DASHBOARD,
        7,
        also="5",
    ),
    Key(
        "server.next",
        "s",
        "s",
        "app.next_server(1)",
        "server",
        "Show the next server.",
        Place.EVERYWHERE,
        5,
    ),
    Key(
        "server.previous",
        "S",
        "S",
        "app.next_server(-1)",
        "server",
        "Show the previous server.",
        Place.EVERYWHERE,
    ),
    Key(
        "view.pause",
        "p,space",
        "p",
        "app.pause",
        "pause",
        "Freeze the picture or let it go on; counting never stops.",
        Place.EVERYWHERE,
        6,
        also="Space",
    ),
    Key(
        "view.theme",
        "t",
        "t",
        "app.theme",
        "theme",
        "Change between dark and light.",
        Place.EVERYWHERE,
    ),
    Key(
        "slot.show_previous",
        "left,h",
        "← h",
        "app.inspect_next(-1)",
        "slot",
        "Look into the slot before.",
        Place.INSPECTION,
    ),
    Key(
        "slot.show_next",
        "right,l",
        "→ l",
        "app.inspect_next(1)",
        "slot",
        "Look into the next slot.",
        Place.INSPECTION,
    ),
    Key(
        "cure.previous",
        "left,h",
        "← h",
        "choose(-1)",
        "cure",
        "Choose the cure before.",
        Place.AGREEMENT,
    ),
    Key(
        "cure.next",
        "right,l,tab",
        "→ l",
        "choose(1)",
        "cure",
        "Choose the next cure.",
        Place.AGREEMENT,
    ),
    Key(
        "cure.copy",
        "y",
        "y",
        "copy",
        "copy cure",
        "Copy the chosen cure to the clipboard.",
        Place.AGREEMENT,
        2,
    ),
    Key("page.up", "up,k", "↑ k", "scroll_by(-1)", "scroll", "Scroll up.", Place.PAGE),
    Key("page.down", "down,j", "↓ j", "scroll_by(1)", "scroll", "Scroll down.", Place.PAGE),
    Key(
        "page.page_up",
        "pageup,b",
        "PgUp",
        "scroll_page(-1)",
        "page",
        "Scroll a page up.",
        Place.PAGE,
    ),
    Key(
        "page.page_down",
        "pagedown,f",
        "PgDn",
        "scroll_page(1)",
        "page",
        "Scroll a page down.",
        Place.PAGE,
    ),
    Key("page.top", "home,g", "Home g", "scroll_to_end(-1)", "top", "Go to the top.", Place.PAGE),
    Key(
        "page.bottom",
        "end,G",
        "End G",
        "scroll_to_end(1)",
        "bottom",
        "Go to the bottom.",
        Place.PAGE,
    ),
    Key(
        "view.help",
        "question_mark,f1",
        "?",
        "app.help",
        "help",
        "Show this list.",
        Place.EVERYWHERE,
        8,
        also="F1",
    ),
    Key(
        "page.close",
        "q,escape",
        "q",
        "app.close",
        "close",
        "Go back to the dashboard.",
        Place.PAGE,
        9,
        also="Esc",
    ),
    Key(
        "app.quit",
        "q",
        "q",
        "app.leave",
        "quit",
        "Leave, and give the terminal back.",
        Place.DASHBOARD,
        9,
    ),
    Key(
        "app.interrupt",
        "ctrl+c",
        "Ctrl-C",
        "app.leave",
        "quit",
        "Leave from anywhere.",
        Place.EVERYWHERE,
        is_prior=True,
    ),
)
"""Every key there is."""
