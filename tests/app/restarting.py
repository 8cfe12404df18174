"""A restarter that follows a script: for screens that show a restart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from mecha_tui.core.restart import (
    Decide,
    Outcome,
    Progress,
    Question,
    Report,
    RestartOptions,
    RestartPlan,
    Verdict,
)


@dataclass
class ScriptedRestarter:
    """Gives one plan, and lives through its script: progress to report, questions to ask."""

    its_plan: RestartPlan
    script: Sequence[Progress | Question] = ()
    outcome: Outcome = field(default_factory=lambda: Outcome(Verdict.UNKNOWN))
    left: tuple[str, ...] = ()
    load_s: float | None = None
    ran: list[tuple[RestartPlan, RestartOptions]] = field(default_factory=list)
    answers: list[bool] = field(default_factory=list)
    is_cancelled: bool = False
    _last: Progress = field(default_factory=Progress)

    async def plan(self, key: str) -> RestartPlan:
        del key
        return self.its_plan

    async def run(
        self, plan: RestartPlan, options: RestartOptions, report: Report, decide: Decide
    ) -> Outcome:
        self.ran.append((plan, options))
        for one in self.script:
            if isinstance(one, Question):
                self.answers.append(await decide(one))
                continue
            self._last = one
            report(one)
            if self.is_cancelled:
                return Outcome(Verdict.CANCELLED, marks=one.marks)
        return self.outcome

    def cancel(self) -> bool:
        self.is_cancelled = self._last.can_cancel
        return self.is_cancelled

    async def left_over(self) -> tuple[str, ...]:
        return self.left

    async def usual_load_s(self, key: str) -> float | None:
        del key
        return self.load_s
