"""The panel of numbers says what decides the verdict before it says anything else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mecha_tui.core.agreement import Finding, Severity, Verdict
from mecha_tui.core.agreement.findings import agreement
from mecha_tui.core.server import Role
from mecha_tui.present.panels.numbers_panel import numbers_lines
from mecha_tui.present.text import plain
from tests.app import scenes

NOTE = Finding("metrics-off", Severity.INFO, Verdict.DISAGREE, "/metrics is off.")
QUESTION = Finding("client-unknown", Severity.WARNING, Verdict.UNKNOWN, "No client is known.")
OTHER_QUESTION = Finding("pool-oversold", Severity.WARNING, Verdict.UNKNOWN, "Not known: all.")
FACT = Finding("context-shift-on", Severity.WARNING, Verdict.DISAGREE, "It shifts.")


def shown(*findings: Finding) -> list[str]:
    picture = replace(scenes.busy(), agreement=agreement(findings))
    return [plain(one).rstrip() for one in numbers_lines(picture, 100, 9)[1:]]


def test_the_first_open_question_comes_before_notes() -> None:
    found = shown(NOTE, QUESTION, OTHER_QUESTION)
    assert found == ["– No client is known.", "· /metrics is off."]


def test_open_questions_are_left_out_where_a_fact_decides() -> None:
    assert shown(QUESTION, FACT, NOTE) == ["! It shifts.", "· /metrics is off."]


@pytest.mark.parametrize("role", [Role.ROUTER, Role.EMBEDDINGS])
def test_numbers_that_no_rule_judges_are_not_called_right(role: Role) -> None:
    picture = replace(scenes.busy(), agreement=agreement((NOTE,)))
    assert "✓" in plain(numbers_lines(picture, 120, 1)[0])
    other = replace(picture, numbers=replace(picture.numbers, role=role))
    assert "✓" not in plain(numbers_lines(other, 120, 1)[0])
