"""Clients told by hand: ``[clients.NAME]`` in the settings, and flags of the command line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

from mecha_tui.collect.clients.reach import is_same_place
from mecha_tui.core.client import SILENT, ClientPromise, Promise, Setting
from mecha_tui.core.reading import Reading, known, unknown
from mecha_tui.core.text import plain_text

T = TypeVar("T")

_FLAGS = {Promise.CONTEXT_WINDOW: "--context-window", Promise.MAX_TOKENS: "--max-tokens"}


class ToldByHand(Protocol):
    """What a user says of a client; a value that was not told is None."""

    @property
    def name(self) -> str:
        """What the user calls it."""
        ...

    @property
    def base_url(self) -> str | None:
        """The server it talks to; None stands for every server watched."""
        ...

    @property
    def context_window(self) -> int | None:
        """Tokens it believes a request may hold."""
        ...

    @property
    def max_tokens(self) -> int | None:
        """Tokens it allows one answer."""
        ...

    @property
    def thinking(self) -> bool | None:
        """Whether it lets the model think."""
        ...

    @property
    def compact_at_tokens(self) -> int | None:
        """Where it compacts its transcript."""
        ...

    @property
    def vision(self) -> bool | None:
        """Whether it sends images."""
        ...

    @property
    def requests_at_once(self) -> int | None:
        """How many requests it sends at the same time."""
        ...

    @property
    def source(self) -> str:
        """Where it was told."""
        ...


def hand_clients(told: Iterable[ToldByHand], url: str) -> tuple[ClientPromise, ...]:
    """Return the clients told by hand that speak to one server."""
    return tuple(
        _promise(one) for one in told if one.base_url is None or is_same_place(one.base_url, url)
    )


def _promise(told: ToldByHand) -> ClientPromise:
    name = plain_text(told.name)
    own = f"{name}'s own settings"
    settings = {promise: Setting(f"{promise.value} = {{}}", own) for promise in _FLAGS}
    settings[Promise.REQUESTS_AT_ONCE] = Setting(
        "requests_at_once = {}", "mecha-tui's settings [clients.NAME], if that is so"
    )
    return ClientPromise(
        name=name,
        context_window=_number(told, told.context_window, Promise.CONTEXT_WINDOW),
        max_tokens=_number(told, told.max_tokens, Promise.MAX_TOKENS),
        thinking=unknown("not told: add thinking to [clients.NAME]")
        if told.thinking is None
        else known(told.thinking, told.source),
        compact_at_tokens=_optional(told.compact_at_tokens, told.source),
        vision=_optional(told.vision, told.source),
        requests_at_once=_optional(told.requests_at_once, told.source),
        settings=settings,
    )


def _number(told: ToldByHand, value: int | None, promise: Promise) -> Reading[int]:
    """Return a value told, or that it was not told, which is not the client's own silence."""
    if value is not None:
        return known(value, told.source)
    return unknown(f"not told: add {promise.value} to [clients.NAME], or {_FLAGS[promise]}")


def _optional(value: T | None, source: str) -> Reading[T]:
    return unknown(SILENT) if value is None else known(value, source)
