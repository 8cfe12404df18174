"""The first line: which model, which server, how it stands."""

from __future__ import annotations

from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.server import Role
from mecha_tui.core.state import ServerState
from mecha_tui.present import numbers
from mecha_tui.present.text import Line, Part, Tone, bold, cut, line, muted, spread, width_of
from mecha_tui.present.view import View
from mecha_tui.present.words import is_embedding, server_name, state_sign

_GAP = "   "
_NAME_CELLS = 24
"""A longer name gives way to the address and the time."""


def header(view: View, width: int) -> Line:
    """Return the first line of every screen, in exactly ``width`` cells."""
    picture = view.picture
    if picture is None:
        return spread(
            line(" ", bold("mecha-tui"), muted("   waiting for the first look")), (), width
        )
    state = _state(picture, is_calm=not view.is_stale)
    name = bold(server_name(picture))
    least = min(width_of(line(name)), _NAME_CELLS) + width_of(state) + len(_GAP)
    right = _right(view, picture, width - least)
    left = _left(picture, name, state, width - width_of(right) - 1)
    return spread(left, right, width)


def _state(picture: ServerPicture, *, is_calm: bool) -> Line:
    sign = state_sign(picture)
    return line(Part(str(sign), sign.tone, is_bold=not is_calm))


def _left(picture: ServerPicture, name: Part, state: Line, room: int) -> Line:
    """Return name, origin, state and uptime, without what does not fit; the state stays."""
    origin = line(*[part for text in _origin(picture) for part in ("  ", muted(text))])
    up = _uptime(picture)
    after = line(muted(f"  {up}")) if up else ()
    for whole in (
        line(" ", name, origin, _GAP, state, after),
        line(" ", name, _GAP, state, after),
        line(" ", name, "  ", state),
    ):
        if width_of(whole) <= room:
            return whole
    return line(" ", cut(line(name), max(1, room - 3 - width_of(state))), "  ", state)


def _origin(picture: ServerPicture) -> list[str]:
    if picture.props is None:
        return []
    kind = Role.EMBEDDINGS.value if is_embedding(picture) else None
    told = [text for text in (kind, picture.props.quantization, picture.props.build) if text]
    return [" · ".join(told)] if told else []


def _uptime(picture: ServerPicture) -> str | None:
    process = picture.process
    if process is None or process.started_wall_s is None:
        return None
    if picture.condition.state is ServerState.DOWN:
        return None
    return f"up {numbers.span(picture.now_wall_s - process.started_wall_s)}"


def _right(view: View, picture: ServerPicture, room: int) -> Line:
    """Return which server, its address and the time, without what does not fit."""
    clock = muted(numbers.clock(picture.now_wall_s))
    paused, short_paused = _paused(view)
    which, short_which = _which(view)
    address = picture.url.rstrip("/")
    port = address.rsplit("/", 1)[-1]
    for whole in (
        line(paused, which, muted(address), _GAP, clock, " "),
        line(short_paused, short_which, muted(port), "  ", clock, " "),
        line(short_paused, short_which, clock, " "),
        line(short_paused, clock, " "),
    ):
        if width_of(whole) <= room:
            return whole
    return short_paused


def _paused(view: View) -> tuple[Line, Line]:
    if view.paused_wall_s is None:
        return (), ()
    since = numbers.clock_with_seconds(view.paused_wall_s)
    long, short = bold(f"‖ paused at {since}", Tone.WARNING), bold("‖ paused", Tone.WARNING)
    return line(long, "  "), line(short, "  ")


def _which(view: View) -> tuple[Line, Line]:
    if view.count < 2:
        return (), ()
    place = f"{view.position} of {view.count}"
    return line(muted(f"server {place}"), _GAP), line(muted(f"{place}  "))
