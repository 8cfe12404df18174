"""The first line: which model, which server, how it stands."""

from __future__ import annotations

from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.state import ServerState
from mecha_tui.present import numbers
from mecha_tui.present.text import Line, Part, Tone, bold, line, muted, spread, width_of
from mecha_tui.present.view import View
from mecha_tui.present.words import state_sign

_GAP = "   "


def header(view: View, width: int) -> Line:
    """Return the first line of every screen, in exactly ``width`` cells."""
    picture = view.picture
    if picture is None:
        return spread(
            line(" ", bold("mecha-tui"), muted("   waiting for the first look")), (), width
        )
    right = _right(view, picture, width)
    left = _left(picture, width - width_of(right) - 1, is_calm=not view.is_stale)
    return spread(left, right, width)


def _left(picture: ServerPicture, room: int, *, is_calm: bool) -> Line:
    sign = state_sign(picture)
    state = line(Part(str(sign), sign.tone, is_bold=not is_calm))
    name = line(" ", bold(picture.model_name or "unknown model"))
    optional = [(2, muted(text)) for text in _origin(picture)]
    up = _uptime(picture)
    after = line(muted(f"  {up}")) if up else ()
    choices = [
        line(name, *[line("  ", part) for _, part in optional], _GAP, state, after),
        line(name, _GAP, state, after),
        line(name, "  ", state),
    ]
    return next((one for one in choices if width_of(one) <= room), choices[-1])


def _origin(picture: ServerPicture) -> list[str]:
    if picture.props is None:
        return []
    told = [text for text in (picture.props.quantization, picture.props.build) if text]
    return [" · ".join(told)] if told else []


def _uptime(picture: ServerPicture) -> str | None:
    process = picture.process
    if process is None or process.started_wall_s is None:
        return None
    if picture.condition.state is ServerState.DOWN:
        return None
    return f"up {numbers.span(picture.now_wall_s - process.started_wall_s)}"


def _right(view: View, picture: ServerPicture, width: int) -> Line:
    clock = muted(numbers.clock(picture.now_wall_s))
    paused: Line = ()
    if view.paused_wall_s is not None:
        since = numbers.clock_with_seconds(view.paused_wall_s)
        text = f"‖ paused at {since}" if width >= 70 else "‖ paused"
        paused = line(bold(text, Tone.WARNING), "  ")
    which = line(muted(f"server {view.position} of {view.count}"), "  ") if view.count > 1 else ()
    short_which = line(muted(f"{view.position}/{view.count}"), "  ") if view.count > 1 else ()
    address = picture.url.rstrip("/")
    port = address.rsplit("/", 1)[-1]
    choices = [
        line(paused, which, muted(address), _GAP, clock, " "),
        line(paused, short_which, muted(port), "  ", clock, " "),
        line(paused, short_which, clock, " "),
        line(paused),
    ]
    rooms = (width * 0.55, width * 0.5, width * 0.45)
    for choice, room in zip(choices, rooms, strict=False):
        if width_of(choice) <= room:
            return choice
    return choices[-1]
