"""Each rule fires on its side of its threshold, and its cure clears it."""

from __future__ import annotations

import shlex

import pytest

from mecha_tui.core.agreement import Agreement, Severity, Verdict, judge
from mecha_tui.core.client import SILENT, ClientPromise
from mecha_tui.core.command_line import launch_flags
from mecha_tui.core.numbers import ServerNumbers, server_numbers
from mecha_tui.core.reading import Reading, known, unknown
from mecha_tui.core.server import Model, Props, Role

TRAINED = 131_072


def server(flags: str, slots: int, window: int, trained: int = TRAINED) -> ServerNumbers:
    return server_numbers(
        launch_flags(shlex.split(flags), {}),
        Props(
            model_alias="tiny",
            slot_count=slots,
            slot_window_tokens=window,
            has_slots_endpoint=True,
            has_metrics_endpoint=True,
            sees_images=False,
            thinks=False,
        ),
        None,
        (Model("tiny", training_window_tokens=trained),),
    )


def number(value: int | None) -> Reading[int]:
    return unknown(SILENT) if value is None else known(value, "the client's file")


def client(window: int | None = 8192, limit: int | None = None) -> ClientPromise:
    return ClientPromise("local", context_window=number(window), max_tokens=number(limit))


def codes(judged: Agreement) -> list[str]:
    return [one.code for one in judged.findings if one.verdict is Verdict.DISAGREE]


@pytest.mark.parametrize(
    ("window", "code"),
    [
        (8192, None),
        (8193, "window-over-slot"),
        (32768, "window-over-slot"),
        (7936, None),
        (7935, "window-under-slot"),
        (None, "window-missing"),
    ],
)
def test_the_window_is_compared_with_the_slots(window: int | None, code: str | None) -> None:
    judged = judge(server("-c 32768 -np 4", 4, 8192), (client(window),))
    assert codes(judged) == ([] if code is None else [code])
    assert judged.verdict is (Verdict.AGREE if code is None else Verdict.DISAGREE)


@pytest.mark.parametrize(
    ("budget", "limit", "code"),
    [
        (4096, 4095, "answer-room-none"),
        (4096, 4096, "answer-room-none"),
        (4096, 4097, "answer-room-small"),
        (4096, 5119, "answer-room-small"),
        (4096, 5120, None),
        (6000, 7499, "answer-room-small"),
        (6000, 7500, None),
        (512, 1535, "answer-room-small"),
        (512, 1536, None),
        (0, 1, None),
        (-1, 64, None),
    ],
)
def test_the_answers_room_is_what_thinking_leaves(
    budget: int, limit: int, code: str | None
) -> None:
    flags = f"-c 32768 -np 4 --reasoning-budget {budget}"
    judged = judge(server(flags, 4, 8192), (client(8192, limit),))
    assert codes(judged) == ([] if code is None else [code])


def test_a_finding_says_both_numbers_and_how_to_cure_it() -> None:
    judged = judge(server("-c 32768 -np 4", 4, 8192), (client(32768),))
    (finding,) = judged.disagreements
    assert finding.severity is Severity.ERROR
    assert "32,768" in finding.message
    assert "8,192" in finding.message
    assert [cure.line for cure in finding.cures] == ["context_window = 8192", "-c 131072"]


def test_a_value_in_the_environment_is_cured_there() -> None:
    launch = launch_flags(["-np", "4"], {"LLAMA_ARG_CTX_SIZE": "32768"})
    numbers = server_numbers(launch, Props(slot_count=4, slot_window_tokens=8192), None, ())
    (finding,) = judge(numbers, (client(16384),)).disagreements
    assert finding.cures[1].line == "LLAMA_ARG_CTX_SIZE=65536"


def test_no_cure_promises_more_than_the_model_was_trained_for() -> None:
    judged = judge(server("-c 32768 -np 4", 4, 8192, trained=16384), (client(32768),))
    assert [cure.line for cure in judged.findings[0].cures] == ["context_window = 8192"]


def test_unknown_inputs_are_named_and_never_agree() -> None:
    numbers = server_numbers(
        launch_flags(None, None, "it runs as user alice"),
        Props(slot_count=4, slot_window_tokens=8192),
        None,
        (),
    )
    judged = judge(numbers, (client(8192, 4096),))
    assert judged.verdict is Verdict.UNKNOWN
    assert all("it runs as user alice" in one.message for one in judged.findings)


def test_a_server_without_any_known_client_is_unknown_and_says_what_to_do() -> None:
    judged = judge(server("-c 32768 -np 4", 4, 8192), ())
    assert judged.verdict is Verdict.UNKNOWN
    assert "--context-window" in judged.findings[0].message


def test_rules_about_writing_are_silent_on_an_embeddings_server() -> None:
    numbers = server_numbers(
        launch_flags(["--reasoning-budget", "4096"], {}),
        Props(role=Role.EMBEDDINGS, slot_count=1, slot_window_tokens=512),
        None,
        (),
    )
    assert judge(numbers, (client(8192, 64),)).findings == ()
