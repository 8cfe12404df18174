"""What follows from the table of keys: bindings, key hints and documentation."""

from __future__ import annotations

from collections.abc import Iterable

from textual.binding import Binding, BindingType

from mecha_tui.app.keys import KEYS_BY_PLACE, Key, Place
from mecha_tui.present.view import Hint

_MOVES = {
    Place.DASHBOARD: Hint("↑↓", "slot", "move(1)"),
    Place.PAGE: Hint("↑↓", "scroll", "scroll_page(1)"),
    Place.OVERVIEW: Hint("↑↓", "server", "move(1)"),
    Place.INSPECTION: Hint("←→", "slot", "app.inspect_next(1)"),
    Place.AGREEMENT: Hint("←→", "cure", "choose(1)"),
}


def bindings(*places: Place) -> list[BindingType]:
    """Return Textual's bindings of every key that works in some places."""
    return [
        Binding(
            key.keys,
            key.action,
            key.description,
            id=key.id,
            tooltip=key.tooltip,
            priority=key.is_prior,
        )
        for place in places
        for key in KEYS_BY_PLACE[place]
    ]


def hints(*places: Place, is_alone: bool = False, is_paused: bool = False) -> tuple[Hint, ...]:
    """Return the key hints of a screen in order.

    Args:
        places: Where the screen's keys come from.
        is_alone: Leave out the keys that only several servers need.
        is_paused: Whether the picture is frozen now, so that the same key lets it go on.
    """
    moves = [hint for place, hint in _MOVES.items() if place in places]
    shown = sorted(_ranked(places, is_alone=is_alone), key=lambda key: key.hint_rank)
    words = {"view.pause": "go on"} if is_paused else {}
    return (
        *moves,
        *(Hint(key.shown, words.get(key.id, key.description), key.action) for key in shown),
    )


def _ranked(places: Iterable[Place], *, is_alone: bool) -> list[Key]:
    return [
        key
        for place in (*places, Place.EVERYWHERE)
        for key in KEYS_BY_PLACE[place]
        if key.hint_rank and not (is_alone and key.id.startswith("server."))
    ]


def markdown_table() -> str:
    """Return all keys as a Markdown table, for the documentation."""
    rows = ["| key | what it does | where |", "| --- | --- | --- |"]
    rows += [
        f"| `{key.names}` | {key.tooltip} | {place.value} |"
        for place, keys in KEYS_BY_PLACE.items()
        for key in keys
    ]
    return "\n".join(rows) + "\n"
