"""A restart in words: its plan, its progress, how it ended, and the history."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator

from mecha_tui.core.restart import (
    Method,
    Outcome,
    PastRestart,
    Progress,
    RestartPlan,
    Step,
    Verdict,
    Way,
)
from mecha_tui.core.text import plain_text

COMMAND_LIMIT = 4000


def plan_lines(plan: RestartPlan) -> Iterator[str]:
    """Return what would be done, and by whom."""
    if plan.chosen is None:
        yield f"{plan.key} cannot be restarted from here: {plain_text(plan.refusal, 1000)}"
    else:
        yield f"{plan.key} would be restarted by {_way_words(plan.chosen)}:"
        if plan.in_flight:
            yield f"  {plan.in_flight} in flight now, which would be cut"
        for number, step in enumerate(plan.chosen.steps, 1):
            yield f"  {number}. {step_words(step)}"
        yield from (f"  note: {plain_text(note, 1000)}" for note in plan.chosen.notes)
        if plan.chosen.refusal:
            yield f"  not from here: {plain_text(plan.chosen.refusal, 1000)}"
    for way in plan.others:
        why = plain_text(way.refusal, 1000) or "the outermost owner goes first"
        yield f"  not chosen: {_way_words(way)} ({why})"


def step_words(step: Step) -> str:
    """Return a step with its exact command, secrets replaced."""
    if not step.argv:
        return plain_text(step.words, 1000)
    shown = step.shown_argv
    command = shown[0] if step.has_shell else shlex.join(shown)
    return f"{plain_text(step.words, 1000)}: {plain_text(command, COMMAND_LIMIT)}"


def _way_words(way: Way) -> str:
    owner = plain_text(way.owner)
    if way.method is Method.PROCESS:
        return "mecha-tui itself, since nobody else owns it"
    return owner if way.method.value in owner else f"{way.method.value} ({owner})"


def progress_line(progress: Progress) -> str:
    """Return where a restart stands, in one line."""
    stage = progress.stage
    words = "beginning" if stage is None else stage.value
    note = f": {plain_text(progress.note)}" if progress.note else ""
    return f"{progress.now_s:6.1f} s  {words}{note}"


def outcome_lines(outcome: Outcome) -> Iterator[str]:
    """Return how it ended, why, and what to do next."""
    yield verdict_line(outcome)
    if outcome.old_pid is not None and outcome.new_pid is not None:
        yield f"  pid {outcome.old_pid} → {outcome.new_pid}"
    if outcome.load_s is not None:
        yield f"  loaded in {outcome.load_s:.1f} s"
    yield from (f"  not as before: {plain_text(one)}" for one in outcome.changes)
    if outcome.verdict is Verdict.NOT_BACK and outcome.tail:
        yield f"  last lines of {plain_text(outcome.log_name)}:"
        yield from (f"    {plain_text(line)}" for line in outcome.tail)
    if outcome.state_now:
        yield f"  now: {plain_text(outcome.state_now)}"
    if outcome.next_step:
        yield f"  next: {plain_text(outcome.next_step)}"


def verdict_line(outcome: Outcome) -> str:
    """Return the verdict and its cause in one line."""
    words = outcome.verdict.value
    slower = slower_percent(outcome)
    if outcome.verdict is Verdict.SLOWER and slower is not None:
        words = f"back, but slower by {slower} %"
    return f"{words}: {plain_text(outcome.cause, 1000)}" if outcome.cause else words


def slower_percent(outcome: Outcome) -> int | None:
    """Return by how many percent it writes slower than usual; None when not known."""
    if outcome.tokens_per_s is None or not outcome.usual_tokens_per_s:
        return None
    return round(100 * (1 - outcome.tokens_per_s / outcome.usual_tokens_per_s))


def plan_json(plan: RestartPlan) -> dict[str, object]:
    """Return a plan for scripts; secrets are replaced."""
    return {
        "server": plan.key,
        "pid": plan.pid,
        "in_flight": plan.in_flight,
        "can_run": plan.can_run,
        "why_not": plan.why_not or None,
        "chosen": None if plan.chosen is None else _way_json(plan.chosen),
        "others": [_way_json(way) for way in plan.others],
    }


def _way_json(way: Way) -> dict[str, object]:
    return {
        "method": way.method.value,
        "owner": way.owner,
        "refusal": way.refusal or None,
        "notes": list(way.notes),
        "steps": [{"words": one.words, "argv": list(one.shown_argv)} for one in way.steps],
    }


def outcome_json(plan: RestartPlan, outcome: Outcome) -> dict[str, object]:
    """Return how a restart ended, for scripts; what is not known is None."""
    return {
        "schema": 1,
        "plan": plan_json(plan),
        "verdict": outcome.verdict.name.lower().replace("_", "-"),
        "cause": outcome.cause or None,
        "next_step": outcome.next_step or None,
        "state_now": outcome.state_now or None,
        "stages": [{"stage": one.stage.value, "at_s": round(one.at_s, 3)} for one in outcome.marks],
        "old_pid": outcome.old_pid,
        "new_pid": outcome.new_pid,
        "changes": list(outcome.changes),
        "load_s": outcome.load_s,
        "tokens_per_s": outcome.tokens_per_s,
        "usual_tokens_per_s": outcome.usual_tokens_per_s,
        "slower_percent": slower_percent(outcome),
        "log": outcome.log_name or None,
        "log_tail": list(outcome.tail),
    }


def past_lines(past: Iterable[PastRestart], when: Iterable[str]) -> Iterator[str]:
    """Return the history, one restart a line.

    Args:
        past: The restarts.
        when: When each began, in words.
    """
    for one, began in zip(past, when, strict=True):
        reason = f"  because {plain_text(one.reason)}" if one.reason else ""
        cause = f": {plain_text(one.cause)}" if one.cause else ""
        yield (
            f"{began}  {plain_text(one.key)}  {one.method}  {one.total_s:.1f} s  "
            f"{plain_text(one.verdict)}{cause}{reason}"
        )
