"""Which server is measured, and whether it may be: it answers, is awake, and has nothing to do."""

from __future__ import annotations

from collections.abc import Iterable

from mecha_tui.core.bench_plan import Room
from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.state import ServerState
from mecha_tui.errors import MechaTuiError, UsageError
from mecha_tui.present.words import is_embedding, state_sentence


class RefusedError(MechaTuiError):
    """A measurement that would have disturbed somebody, and how to have it all the same."""


def chosen(pictures: Iterable[ServerPicture], model: str | None) -> ServerPicture:
    """Return the one server, or model of a router, that is meant.

    For a router's model that is not loaded, the router itself is returned.

    Raises:
        UsageError: None or several could be meant.
    """
    found = list(pictures)
    routers = [one for one in found if one.is_router]
    models = [one for one in found if not one.is_router]
    if model is not None:
        models = [one for one in models if model in (one.model_id, one.model_name)]
        routers = [one for one in routers if any(model == entry.model_id for entry in one.models)]
    if len(models) == 1:
        return models[0]
    if not models and model is not None and len(routers) == 1:
        return routers[0]
    if models:
        raise UsageError(f"several could be meant; name one with {_ways(models)}")
    if model is not None:
        raise UsageError(f"no watched server has a model called {model!r}")
    if routers:
        raise UsageError(
            "the router has no model loaded: name one with --model NAME; it is loaded after a yes"
        )
    raise UsageError("there is no server to measure: name one with --url URL")


def refuse_unfit(picture: ServerPicture) -> None:
    """Refuse a server that cannot write an answer now.

    Raises:
        MechaTuiError: It does not answer, or not with text.
    """
    if picture.condition.state not in (ServerState.READY, ServerState.ASLEEP):
        raise MechaTuiError(f"{picture.url}: {state_sentence(picture)}")
    if is_embedding(picture):
        raise MechaTuiError(
            f"{picture.url} answers with vectors and writes no text: there is no speed to measure"
        )


def refuse_busy(picture: ServerPicture) -> None:
    """Refuse a server that works for somebody.

    Raises:
        RefusedError: With how many are at work.
    """
    waiting = picture.waiting.count if picture.waiting.is_exact else None
    if picture.busy or waiting:
        queue = f" and {waiting:,} waiting" if waiting else ""
        raise RefusedError(
            f"the server is at work ({picture.busy or 0} of {len(picture.slots)} slots busy"
            f"{queue}): its speed now is not its own, and others would wait; try later, or add "
            "--busy"
        )


def room_of(picture: ServerPicture) -> Room:
    """Return how much a server holds.

    Raises:
        MechaTuiError: It does not say.
    """
    numbers = picture.numbers
    slots, window = numbers.slots.value, numbers.slot_window_tokens.value
    if slots is None or window is None:
        raise MechaTuiError(
            f"{picture.url} does not say how many slots it has and how much each holds, so "
            "nothing can be made to fit"
        )
    return Room(slots, window, numbers.pool_tokens.value)


def _ways(models: list[ServerPicture]) -> str:
    urls = list(dict.fromkeys(one.url for one in models))
    if len(urls) > 1:
        return f"--url: {', '.join(urls)}"
    return f"--model: {', '.join(one.model_id or one.model_name or '–' for one in models)}"
