"""``mecha-tui check``: whether clients and servers agree, and what cures it where they do not."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Iterable

from mecha_tui.commands.ink import write_lines
from mecha_tui.commands.looking import FIRST_LOOK_PATIENCE_S, is_settled, looked_until
from mecha_tui.commands.setup import make_sampler, settings_of
from mecha_tui.core.agreement import Finding, Verdict
from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.sample import Sampler
from mecha_tui.core.watch import Pictures, next_pictures
from mecha_tui.errors import UsageError
from mecha_tui.present.check import change_line, check_lines
from mecha_tui.present.report import status_json

EXIT_AGREE, EXIT_DISAGREE, EXIT_UNKNOWN = 0, 1, 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what only this command takes."""
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--client", metavar="NAME", help="judge this client only")
    parser.add_argument(
        "--watch", action="store_true", help="go on, and print every finding that comes or goes"
    )
    parser.add_argument(
        "--fix",
        action="store_true",
        help="show the change to mecha's settings that cures what can be cured there, and make "
        "it after a yes",
    )
    parser.add_argument("--yes", action="store_true", help="with --fix: make it without asking")


def run(options: argparse.Namespace) -> int:
    """Print the report; 0 when all agree, 1 when something does not, 2 when it cannot be told."""
    if options.fix and (options.json or options.watch):
        raise UsageError("--fix asks before it writes: use it without --json and --watch")
    if options.yes and not options.fix:
        raise UsageError("--yes goes with --fix: add --fix")
    settings = settings_of(options)
    if options.fix and settings.is_read_only:
        raise UsageError("--fix changes a file, and mecha-tui is read-only: leave one of them out")
    sampler = make_sampler(settings, client=options.client, is_once=not options.watch)
    if options.watch:
        return asyncio.run(_watch(sampler, options.json, settings.interval_s))
    pictures = asyncio.run(_looked(sampler))
    if options.client is not None:
        _refuse_unheard_of(options.client, pictures.values())
    _print(pictures, as_json=options.json)
    if options.fix:
        from mecha_tui.commands.fix import fix  # brings tomlkit, which nothing else needs

        if fix(pictures.values(), is_agreed=options.yes):
            sampler = make_sampler(settings, client=options.client, is_once=not options.watch)
            pictures = asyncio.run(_looked(sampler))
            write_lines([(), *check_lines(pictures.values())])
    return exit_status(pictures.values())


def exit_status(pictures: Iterable[ServerPicture]) -> int:
    """Return what a script gets to know.

    A router has no numbers of its own: it counts only where it disagrees, or where none
    of its models is loaded.
    """
    watched = list(pictures)
    models = {picture.url for picture in watched if picture.model_id is not None}
    verdicts = {
        picture.agreement.verdict
        for picture in watched
        if not (
            picture.is_router
            and picture.url in models
            and picture.agreement.verdict is Verdict.UNKNOWN
        )
    }
    if Verdict.DISAGREE in verdicts:
        return EXIT_DISAGREE
    return EXIT_AGREE if verdicts == {Verdict.AGREE} else EXIT_UNKNOWN


async def _looked(sampler: Sampler) -> Pictures:
    try:
        return await looked_until(sampler, {}, FIRST_LOOK_PATIENCE_S, is_settled)
    finally:
        await sampler.aclose()


def _refuse_unheard_of(name: str, pictures: Iterable[ServerPicture]) -> None:
    if not any(picture.clients for picture in pictures):
        raise UsageError(
            f"no client called {name!r} speaks to a watched server: leave --client out to see all"
        )


def _print(pictures: Pictures, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(status_json(pictures.values()), indent=2))
    else:
        write_lines(check_lines(pictures.values()))


async def _watch(sampler: Sampler, as_json: bool, interval_s: float) -> int:
    """Print the report, and then every change until someone ends it."""
    try:
        pictures = await looked_until(sampler, {}, FIRST_LOOK_PATIENCE_S, is_settled)
        _print_now(pictures, as_json)
        while True:
            await asyncio.sleep(interval_s)
            before, pictures = pictures, next_pictures(pictures, await sampler.sample())
            changes = _changes(before, pictures)
            if as_json and changes:
                _print_now(pictures, as_json)
            elif changes:
                clock = time.strftime("%H:%M:%S")
                write_lines(change_line(clock, *change) for change in changes)
    finally:
        await sampler.aclose()


def _print_now(pictures: Pictures, as_json: bool) -> None:
    """Print so that whoever reads along gets it at once, JSON as one line for each object."""
    if as_json:
        print(json.dumps(status_json(pictures.values())))
        sys.stdout.flush()
    else:
        write_lines(check_lines(pictures.values()))


def _changes(before: Pictures, now: Pictures) -> list[tuple[str, ServerPicture, Finding]]:
    earlier, later = _findings(before), _findings(now)
    appeared = [("appeared", *later[key]) for key in later if key not in earlier]
    cleared = [("cleared", *earlier[key]) for key in earlier if key not in later]
    return appeared + cleared


def _findings(
    pictures: Pictures,
) -> dict[tuple[object, ...], tuple[ServerPicture, Finding]]:
    return {
        (key, finding.code, finding.client, finding.verdict): (picture, finding)
        for key, picture in pictures.items()
        for finding in picture.agreement.findings
    }
