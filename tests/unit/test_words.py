"""Every state is a word and a symbol, and every sad one says what to do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mecha_tui.core.agreement import Finding, Severity, Verdict
from mecha_tui.core.events import Event, EventKind
from mecha_tui.core.slots import Phase
from mecha_tui.core.state import ServerState
from mecha_tui.core.waiting import Waiting
from mecha_tui.present.words import (
    PHASE_SIGNS,
    STATE_SIGNS,
    busy_words,
    event_sign,
    event_text,
    finding_sign,
    report_name,
    server_name,
    short_finding,
    state_sentence,
    state_sign,
)
from tests.app import scenes


def test_every_state_has_a_word_and_a_symbol_of_its_own() -> None:
    assert set(STATE_SIGNS) == set(ServerState)
    assert set(PHASE_SIGNS) == set(Phase)
    signs = list(STATE_SIGNS.values())
    assert len({sign.word for sign in signs}) == len({sign.symbol for sign in signs}) == len(signs)


@pytest.mark.parametrize("state", [one for one in ServerState if one is not ServerState.READY])
def test_every_state_but_ready_has_a_sentence(state: ServerState) -> None:
    sentence = state_sentence(scenes.fresh(state))
    assert sentence is not None
    assert sentence.endswith(".")


def test_a_locked_server_names_both_ways_to_give_the_key() -> None:
    sentence = state_sentence(scenes.fresh(ServerState.LOCKED)) or ""
    assert "LLAMA_API_KEY" in sentence
    assert "--api-key-file" in sentence


@pytest.mark.parametrize(
    ("alias", "path", "words"),
    [
        ("/models/q.gguf", "/models/q.gguf", "q.gguf"),
        ("C:\\models\\q.gguf", "C:\\models\\q.gguf", "q.gguf"),
        ("org/model", "/models/q.gguf", "org/model"),
        ("q", None, "q"),
    ],
)
def test_a_model_without_a_name_is_called_by_its_file(
    alias: str, path: str | None, words: str
) -> None:
    picture = scenes.busy()
    assert picture.props is not None
    props = replace(picture.props, model_alias=alias, model_path=path)
    named = replace(picture, props=props)
    assert server_name(named) == report_name(named) == words


def test_a_router_is_not_called_ready() -> None:
    assert str(state_sign(scenes.router())) == "◇ router"
    assert "router" in (state_sentence(scenes.router()) or "")


def test_a_note_in_the_events_is_not_marked_as_an_error() -> None:
    note = Event(0.0, EventKind.FINDING, "metrics-off", "/metrics is off.", Severity.INFO)
    assert event_sign(note).symbol == "·"
    assert event_sign(replace(note, severity=Severity.ERROR)).symbol == "✗"


def test_a_finding_that_cannot_be_judged_is_unknown_and_not_wrong() -> None:
    finding = Finding(
        "window-over-slot", Severity.ERROR, Verdict.UNKNOWN, "context_window is not known."
    )
    assert finding_sign(finding).symbol == "–"
    assert short_finding(finding, scenes.busy()) == finding.message


def test_a_short_finding_keeps_both_numbers() -> None:
    finding = scenes.disagreeing().findings[0]
    assert short_finding(finding, scenes.busy()) == "slot 8,192 < promise 32,768"


def test_a_finding_without_short_words_keeps_its_sentence() -> None:
    finding = Finding(
        "new-rule", Severity.WARNING, Verdict.DISAGREE, "Something new.", client="local"
    )
    assert short_finding(finding, scenes.busy()) == "Something new."


@pytest.mark.parametrize(
    ("waiting", "words"),
    [
        (Waiting(2, is_exact=True, source="metrics"), "3 of 4 busy · 2 waiting"),
        (Waiting(2, source="connections"), "3 of 4 busy · at most 2 waiting (estimate)"),
        (Waiting(None, reason="no"), "3 of 4 busy · waiting –"),
    ],
)
def test_an_estimate_is_called_one(waiting: Waiting, words: str) -> None:
    assert busy_words(replace(scenes.busy(), waiting=waiting)) == words


def test_unknown_business_is_not_zero() -> None:
    assert busy_words(replace(scenes.busy(), busy=None)).startswith("– of 4 busy")


@pytest.mark.parametrize("kind", list(EventKind))
def test_every_kind_of_event_has_words(kind: EventKind) -> None:
    assert event_text(Event(0.0, kind, "subject", "detail")).strip()
    assert event_text(Event(0.0, kind, "subject")).strip()
