"""Writing and reading over the last minutes, as large as the screen allows."""

from __future__ import annotations

from mecha_tui.core.picture import ServerPicture
from mecha_tui.present.pages.page import Page
from mecha_tui.present.panels.speed_panel import speed_lines
from mecha_tui.present.text import Tone, bold, line, muted, wrapped
from mecha_tui.present.view import View
from mecha_tui.present.words import is_embedding


def speed_page(view: View, width: int, height: int) -> Page:
    """Return the page for content of this size."""
    title = line(bold("3 speed"))
    if view.picture is None:
        return Page(title, [line(muted("Waiting for the first look."))])
    picture = view.picture
    why = _why_unknown(picture)
    below = wrapped(why, width, Tone.MUTED) if why else []
    room = height - len(below)
    return Page(title, [*speed_lines(picture, width, room, highest=room), *below])


def _why_unknown(picture: ServerPicture) -> str | None:
    """Return why a rate is unknown; None when both are known."""
    if is_embedding(picture):
        return "– an embeddings server writes no text"
    if None not in (picture.writing_tokens_per_s, picture.reading_tokens_per_s):
        return None
    reason = picture.slots_reason or picture.condition.reason
    if reason:
        return f"– unknown: {reason}"
    return "– unknown: a rate needs two looks at the slots"
