"""Clients told by hand: ``[clients.NAME]`` in the settings, and flags of the command line."""

from __future__ import annotations

from mecha_tui.collect.clients.reach import is_same_place
from mecha_tui.config import ClientSetting
from mecha_tui.core.client import SILENT, ClientPromise, Promise, Setting
from mecha_tui.core.reading import Reading, known, unknown

_FLAGS = {Promise.CONTEXT_WINDOW: "--context-window", Promise.MAX_TOKENS: "--max-tokens"}


def hand_clients(told: tuple[ClientSetting, ...], url: str) -> tuple[ClientPromise, ...]:
    """Return the clients told by hand that speak to one server."""
    return tuple(
        _promise(one) for one in told if one.base_url is None or is_same_place(one.base_url, url)
    )


def _promise(told: ClientSetting) -> ClientPromise:
    settings = {
        promise: Setting(f"{promise.value} = {{}}", f"{told.name}'s own settings")
        for promise in _FLAGS
    }
    return ClientPromise(
        name=told.name,
        context_window=_number(told, told.context_window, Promise.CONTEXT_WINDOW),
        max_tokens=_number(told, told.max_tokens, Promise.MAX_TOKENS),
        thinking=unknown(SILENT) if told.thinking is None else known(told.thinking, told.source),
        settings=settings,
    )


def _number(told: ClientSetting, value: int | None, promise: Promise) -> Reading[int]:
    """Return a value told, or that it was not told, which is not the client's own silence."""
    if value is not None:
        return known(value, told.source)
    return unknown(f"not told: add {promise.value} to [clients.NAME], or {_FLAGS[promise]}")
