"""``mecha-tui bench``: how fast a server writes and reads, alone and for many at once."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from typing import TYPE_CHECKING

from mecha_tui.commands.bench_saving import save
from mecha_tui.commands.bench_subject import (
    RefusedError,
    chosen,
    refuse_busy,
    refuse_unfit,
    room_of,
)
from mecha_tui.commands.ink import write_lines
from mecha_tui.commands.looking import is_settled, looked_until
from mecha_tui.commands.progress import Progress
from mecha_tui.commands.setup import make_sampler, settings_of, targets_of
from mecha_tui.config import Settings
from mecha_tui.core.bench import SINGLE_TOKENS
from mecha_tui.core.bench_plan import BenchPlan, NoRoomError, Part, Wishes, bench_plan, quiet_slot
from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.state import ServerState
from mecha_tui.core.text import plain_text
from mecha_tui.core.watch import Pictures
from mecha_tui.errors import MechaTuiError, UsageError
from mecha_tui.present.bench import bench_json, cost_lines, progress_text, result_lines

if TYPE_CHECKING:
    from mecha_tui.control.measuring import Subject

EXIT_MEASURED, EXIT_FAILED, EXIT_REFUSED, EXIT_CUT = 0, 1, 4, 130
_LOOK_PATIENCE_S = 20.0
"""How long a server may take to say what it is, also just after it loaded its model."""
_LIMIT = 1_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what only this command takes."""
    add = parser.add_argument
    add("--model", metavar="NAME", help="which model of a router")
    parts = ",".join(part.value for part in Part)
    add("--only", type=_parts, metavar="PARTS", default=tuple(Part), help=f"some of {parts}")
    add(
        "--tokens",
        type=_count,
        metavar="N",
        default=SINGLE_TOKENS,
        help=f"tokens that each answer writes (default {SINGLE_TOKENS})",
    )
    add("--streams", type=_count, metavar="N", help="answers at once (default one a slot)")
    add("--prompt-tokens", type=_count, metavar="N", help="tokens of the prompt that is read")
    add("--turns", type=_count, metavar="N", help="turns of the conversation")
    add("--json", action="store_true", help="print one JSON object")
    add("--save", action="store_true", help="keep the speeds of one request among the usual ones")
    add("--yes", action="store_true", help="start without asking")
    add("--busy", action="store_true", help="also while the server is at work")
    add("--wake", action="store_true", help="also where a model must be loaded for it")


def run(options: argparse.Namespace) -> int:
    """Measure one server; 0 when all was measured, 1 on failure, 4 when it was not to be."""
    may_ask = not options.yes and sys.stdin.isatty() and sys.stderr.isatty()
    if not options.yes and not may_ask:
        raise UsageError("bench makes work for the server and nobody can be asked here: add --yes")
    if options.save and options.busy:
        raise UsageError("a speed beside other work is no usual one: leave out --save or --busy")
    settings = settings_of(options)
    try:
        if settings.is_read_only:
            raise RefusedError("bench makes work for the server, and --read-only forbids that")
        picture = _seen(settings, options)
        subject = _subject(settings, picture, options.model)
        if picture.is_router or picture.condition.state is ServerState.ASLEEP:
            picture = _woken(settings, options, subject, picture, may_ask=may_ask)
        plan = _plan(options, picture)
        slot_id = quiet_slot(picture)
        write_lines(cost_lines(plan, picture, slot_id), sys.stderr)
        if may_ask:
            _ask("Start?")
            _seen(settings, options)
    except RefusedError as refusal:
        print(f"mecha-tui: {plain_text(str(refusal))}", file=sys.stderr)
        return EXIT_REFUSED
    return _measure(subject, picture, plan, slot_id, options)


def _seen(settings: Settings, options: argparse.Namespace) -> ServerPicture:
    """Look at the server that is meant; refuse it where it cannot or should not be measured."""
    picture = chosen(asyncio.run(_looked(settings)).values(), options.model)
    refuse_unfit(picture)
    if not options.busy:
        refuse_busy(picture)
    return picture


async def _looked(settings: Settings) -> Pictures:
    sampler = make_sampler(settings)
    try:
        return await looked_until(sampler, {}, _LOOK_PATIENCE_S, _is_known)
    finally:
        await sampler.aclose()


def _is_known(picture: ServerPicture) -> bool:
    has_slots = bool(picture.slots) or picture.slots_reason is not None or picture.is_router
    return is_settled(picture) and (has_slots or picture.condition.state is not ServerState.READY)


def _subject(settings: Settings, picture: ServerPicture, model: str | None) -> Subject:
    from mecha_tui.control.measuring import Subject

    target = next((one for one in targets_of(settings) if one.address.url == picture.url), None)
    if target is None:
        raise MechaTuiError(f"{picture.url} is gone: try again")
    return Subject(target, model if picture.is_router else picture.model_id)


def _woken(
    settings: Settings,
    options: argparse.Namespace,
    subject: Subject,
    picture: ServerPicture,
    *,
    may_ask: bool,
) -> ServerPicture:
    """Have the model loaded, after a yes, and look again."""
    name = options.model or picture.model_name or picture.url
    why = "not loaded" if picture.is_router else "asleep"
    if not options.wake and not may_ask:
        raise RefusedError(f"{name} is {why}, and measuring loads it: add --wake")
    if not options.wake:
        _ask(f"{plain_text(name)} is {why}. Load it?")
    print(f"loading {plain_text(name)} ...", file=sys.stderr)
    asyncio.run(_wake(subject))
    return _seen(settings, options)


async def _wake(subject: Subject) -> None:
    """Ask for one token, since nothing less wakes every build."""
    await subject.learn(may_load=True)
    await subject.run(subject.prompt(1), 1)


def _plan(options: argparse.Namespace, picture: ServerPicture) -> BenchPlan:
    wishes = Wishes(
        options.only, options.tokens, options.streams, options.prompt_tokens, options.turns
    )
    try:
        return bench_plan(wishes, room_of(picture))
    except NoRoomError as error:
        raise UsageError(str(error)) from None


def _measure(
    subject: Subject,
    picture: ServerPicture,
    plan: BenchPlan,
    slot_id: int | None,
    options: argparse.Namespace,
) -> int:
    """Run the plan, and print what was measured however it ends."""
    from mecha_tui.control.benchmark import Benchmark
    from mecha_tui.control.measuring import MeasuringError

    progress = Progress()

    def tell(part: Part, number: int, count: int, elapsed_s: float) -> None:
        progress.tell(f"{part} {number}", progress_text(part, number, count, elapsed_s))

    benchmark = Benchmark(subject, plan, slot_id, tell)

    async def measure() -> None:
        await subject.learn()
        await benchmark.run()

    status, why = EXIT_MEASURED, None
    try:
        asyncio.run(measure())
    except KeyboardInterrupt:
        status, why = EXIT_CUT, "it was cut short"
    except MeasuringError as error:
        status, why = EXIT_FAILED, str(error)
    progress.end()
    if options.json:
        print(json.dumps(bench_json(benchmark.results, picture, plan, why), indent=2))
    else:
        write_lines(result_lines(benchmark.results, picture))
    sys.stdout.flush()
    if options.save and not save(benchmark.results, picture):
        status = status or EXIT_FAILED
    if why is not None:
        print(f"mecha-tui: not all was measured: {plain_text(why)}", file=sys.stderr)
    return status


def _ask(question: str) -> None:
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise RefusedError("nothing was measured")


def _parts(text: str) -> tuple[Part, ...]:
    try:
        return tuple(dict.fromkeys(Part(word.strip()) for word in text.split(",")))
    except ValueError:
        known = ",".join(part.value for part in Part)
        raise UsageError(f"--only is {text!r}: use some of {known}") from None


def _count(text: str) -> int:
    count = int(text) if text.isascii() and text.isdecimal() and len(text) < 9 else 0
    if not 0 < count <= _LIMIT:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {_LIMIT:,}")
    return count
