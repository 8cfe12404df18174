"""A restart as data: what it shows, and what it must never show."""

from __future__ import annotations

import pytest

from mecha_tui.core.restart import (
    Method,
    Outcome,
    Progress,
    Question,
    Restarter,
    RestartOptions,
    RestartPlan,
    Step,
    Verdict,
    Way,
)
from tests.app.restarting import ScriptedRestarter


def test_a_steps_command_is_shown_without_its_secrets() -> None:
    step = Step("restart", ("llama-server", "--api-key", "sk-7", "HF_TOKEN=hf_7", "-c", "1"))
    assert step.shown_argv == ("llama-server", "--api-key", "***", "HF_TOKEN=***", "-c", "1")
    assert "sk-7" not in repr(step)


def test_a_plan_can_run_only_by_a_way_that_is_not_refused() -> None:
    way = Way(Method.PROCESS, "pid 7")
    refused = Way(Method.SYSTEMD, "llama.service", refusal="it needs root")
    assert RestartPlan("k", "u", chosen=way).can_run
    assert not RestartPlan("k", "u", refusal="another machine").can_run
    assert RestartPlan("k", "u", chosen=refused).why_not == "it needs root"


@pytest.mark.parametrize(
    ("verdict", "status"),
    [
        (Verdict.AS_USUAL, 0),
        (Verdict.UNKNOWN, 0),
        (Verdict.SLOWER, 1),
        (Verdict.NOT_BACK, 2),
        (Verdict.REFUSED, 4),
        (Verdict.CANCELLED, 4),
    ],
)
def test_the_exit_status_follows_the_verdict(verdict: Verdict, status: int) -> None:
    assert Outcome(verdict).exit_status == status


async def test_a_scripted_restarter_asks_and_tells_what_it_was_given() -> None:
    restarter: Restarter = ScriptedRestarter(
        RestartPlan("k", "u"), (Progress(note="stopping"), Question.FORCE)
    )
    seen: list[Progress] = []

    async def yes(question: Question) -> bool:
        return question is Question.FORCE

    plan = await restarter.plan("k")
    outcome = await restarter.run(plan, RestartOptions(), seen.append, yes)
    assert [one.note for one in seen] == ["stopping"]
    assert outcome.verdict is Verdict.UNKNOWN
    assert isinstance(restarter, ScriptedRestarter)
    assert restarter.answers == [True]
