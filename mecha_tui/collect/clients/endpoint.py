"""What a client's settings say of one server: its address and what is promised there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mecha_tui.collect.clients.documents import Document
from mecha_tui.collect.clients.values import Found, read_value
from mecha_tui.core.client import SILENT, ClientPromise, Promise, Setting
from mecha_tui.core.reading import Reading, unknown
from mecha_tui.core.text import plain_text


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One server of one client."""

    base_url: str
    promise: ClientPromise


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that one client's files say."""

    endpoints: tuple[Endpoint, ...] = ()
    unread: tuple[tuple[str, Document], ...] = ()
    """Files that could not be understood, by the client's name."""


@dataclass(frozen=True, slots=True)
class Told:
    """One promised value: what is written, where, and how the line reads."""

    value: object
    place: str
    line: str
    """The line with ``{}`` for the value."""


def promise_of(name: str, group: str, told: Mapping[Promise, Told]) -> ClientPromise:
    """Return a promise from what a client's files say; absent values are the client's silence.

    Args:
        name: What to call it.
        group: What unites it with the client's other models at the same server.
        told: What the files say, by what it promises.
    """

    def number(promise: Promise) -> Reading[int]:
        return read_value(_table(told, promise), promise.value, int)

    model = told.get(Promise.MODEL)
    return ClientPromise(
        name=plain_text(name),
        context_window=number(Promise.CONTEXT_WINDOW),
        max_tokens=number(Promise.MAX_TOKENS),
        compact_at_tokens=number(Promise.COMPACT_AT),
        model=unknown(SILENT)
        if model is None
        else read_value(_table(told, Promise.MODEL), Promise.MODEL.value, str),
        requests_at_once=number(Promise.REQUESTS_AT_ONCE),
        group=group,
        settings={promise: Setting(one.line, one.place) for promise, one in told.items()},
    )


def unread_promise(name: str, document: Document) -> ClientPromise:
    """Return a promise of which nothing is known, because its file could not be read."""
    number: Reading[int] = unknown(document.problem or "")
    text: Reading[str] = unknown(document.problem or "")
    switch: Reading[bool] = unknown(document.problem or "")
    return ClientPromise(name, number, number, number, text, switch, switch, number)


def _table(told: Mapping[Promise, Told], promise: Promise) -> dict[str, Found]:
    one = told.get(promise)
    return {} if one is None else {promise.value: Found(one.value, one.place)}
