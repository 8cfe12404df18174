"""``mecha-tui restart``: restart one server, and say whether it came back as fast."""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import sys
from collections.abc import Callable

from mecha_tui.commands.setup import make_restarter, restart_keys, settings_of
from mecha_tui.core.restart import (
    Decide,
    Method,
    Outcome,
    Progress,
    Question,
    RestartOptions,
    RestartPlan,
    Verdict,
)
from mecha_tui.core.text import plain_text
from mecha_tui.errors import UsageError
from mecha_tui.present.restart import (
    outcome_json,
    outcome_lines,
    plan_json,
    plan_lines,
    progress_line,
)

MAX_TIMEOUT_S = 86_400.0
EXIT_REFUSED = 4


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what only this command takes."""
    parser.add_argument("--dry-run", action="store_true", help="show what would be done, and end")
    parser.add_argument("--yes", action="store_true", help="do not ask before it is stopped")
    parser.add_argument(
        "--force",
        action="store_true",
        help="with --yes: end it by force (SIGKILL) if it does not stop",
    )
    parser.add_argument(
        "--when-idle",
        type=_seconds,
        nargs="?",
        const=600.0,
        metavar="SECONDS",
        help="first wait until nothing is in flight, at most so long (default 600)",
    )
    parser.add_argument("--no-measure", action="store_true", help="do not measure its speed after")
    parser.add_argument(
        "--timeout",
        type=_seconds,
        default=600.0,
        metavar="SECONDS",
        help="how long it may take to be ready again (default 600)",
    )
    parser.add_argument(
        "--patience",
        type=_seconds,
        default=20.0,
        metavar="SECONDS",
        help="how long it may take to stop before force is offered (default 20)",
    )
    parser.add_argument(
        "--method", choices=[one.value for one in Method], help="who is asked, if not the owner"
    )
    parser.add_argument("--model", metavar="ID", help="the router's model to load again")
    parser.add_argument("--reason", default="", metavar="TEXT", help="kept in the history")
    parser.add_argument("--json", action="store_true", help="print one JSON object at the end")


def run(options: argparse.Namespace) -> int:
    """Restart; 0 back (as fast, or not yet known), 1 back but slow, 2 not back, 4 refused."""
    if options.force and not options.yes:
        raise UsageError("--force goes with --yes: add --yes")
    return asyncio.run(_restart(options))


async def _restart(options: argparse.Namespace) -> int:
    settings = settings_of(options)
    keys = restart_keys(settings)
    if len(keys) != 1:
        raise UsageError(f"{len(keys)} servers are watched: say with --url which one is meant")
    key = keys[0] if options.model is None else f"{keys[0]}#{options.model}"
    restarter = make_restarter(settings, Method(options.method) if options.method else None)
    for words in await restarter.left_over():
        _say(f"mecha-tui: {words}")
    plan = await restarter.plan(key)
    if options.dry_run:
        _print_plan(plan, as_json=options.json)
        return 0 if plan.can_run else EXIT_REFUSED
    for line in plan_lines(plan):
        _say(line)
    decide = _decider(is_agreed=options.yes, may_force=options.force)
    if not plan.can_run:
        outcome = Outcome(Verdict.REFUSED, plan.why_not)
    elif not (options.yes or await _asked("Restart it now?")):
        outcome = Outcome(Verdict.CANCELLED, "nothing was changed; --yes restarts without asking")
    else:
        chosen = RestartOptions(
            options.when_idle,
            options.timeout,
            options.patience,
            may_measure=not options.no_measure,
            reason=options.reason,
        )
        outcome = await restarter.run(plan, chosen, _reporter(), decide)
    _print_outcome(plan, outcome, as_json=options.json)
    return outcome.exit_status


def _print_plan(plan: RestartPlan, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"schema": 1, **plan_json(plan)}, indent=2))
    else:
        print("\n".join(plan_lines(plan)))


def _print_outcome(plan: RestartPlan, outcome: Outcome, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(outcome_json(plan, outcome), indent=2))
    else:
        print("\n".join(outcome_lines(outcome)))


def _reporter() -> Callable[[Progress], None]:
    """Return what writes a line whenever stage or note changed."""
    said: list[str] = []

    def report(progress: Progress) -> None:
        line = progress_line(progress)
        news = line.partition(" s  ")[2]
        if said[-1:] != [news]:
            said[:] = [news]
            _say(line)

    return report


def _decider(*, is_agreed: bool, may_force: bool) -> Decide:
    """Return what answers questions: by the flags, else by whoever sits at the terminal."""

    async def decide(question: Question) -> bool:
        if question is Question.FORCE and may_force:
            return True
        if is_agreed and not sys.stdin.isatty():
            return False
        return await _asked(question.value)

    return decide


async def _asked(question: str) -> bool:
    """Ask at the terminal; without one the answer is no."""
    if not sys.stdin.isatty():
        return False
    _say(f"{question} [y/N] ", end="")
    answer = await asyncio.to_thread(sys.stdin.readline)
    return answer.strip().lower() in ("y", "yes")


def _say(words: str, end: str = "\n") -> None:
    print(plain_text(words, 8000) if end else words, end=end, file=sys.stderr, flush=True)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds <= MAX_TIMEOUT_S:
        raise UsageError(f"{text!r} is no number of seconds above 0 and below a day")
    return seconds
