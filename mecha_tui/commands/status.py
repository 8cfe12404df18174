"""``mecha-tui status``: one report of every server, for people, scripts and pipes."""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import sys
from collections.abc import Callable

from mecha_tui.commands.setup import make_sampler, settings_of
from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.sample import Sampler
from mecha_tui.core.slots import Phase
from mecha_tui.core.state import ServerState
from mecha_tui.core.watch import Pictures, next_pictures
from mecha_tui.errors import UsageError
from mecha_tui.present.report import is_answering, status_json, status_text

FIRST_LOOK_PATIENCE_S = 6.0
"""How long the first answers may take before a report says that there are none."""
LOOK_INTERVAL_S = 0.1
MAX_SAMPLE_S = 60.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what only this command takes."""
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument(
        "--sample",
        type=_seconds,
        default=1.0,
        metavar="SECONDS",
        help="time between the two looks that a speed needs, taken only while something is busy "
        "(default 1; 0 takes one look)",
    )


def run(options: argparse.Namespace) -> int:
    """Print one report; 0 when every server answered, 1 when one did not."""
    pictures = asyncio.run(_looked(make_sampler(settings_of(options)), options.sample))
    if options.format == "json":
        print(json.dumps(status_json(pictures.values()), indent=2))
    else:
        sys.stdout.write(status_text(pictures.values()))
    return 0 if pictures and all(map(is_answering, pictures.values())) else 1


def run_plain(sampler: Sampler) -> int:
    """Print the plain report in place of a screen."""
    pictures = asyncio.run(_looked(sampler, 1.0))
    sys.stdout.write(status_text(pictures.values()))
    return 0 if pictures and all(map(is_answering, pictures.values())) else 1


async def _looked(sampler: Sampler, sample_s: float) -> Pictures:
    try:
        pictures = await _until(sampler, {}, FIRST_LOOK_PATIENCE_S, _is_whole)
        if sample_s and any(picture.busy for picture in pictures.values()):
            await asyncio.sleep(sample_s)
            pictures = await _until(sampler, pictures, FIRST_LOOK_PATIENCE_S, _has_rates)
        return pictures
    finally:
        await sampler.aclose()


async def _until(
    sampler: Sampler, pictures: Pictures, patience_s: float, met: Callable[[ServerPicture], bool]
) -> Pictures:
    """Look until every server meets a condition, or the patience ends."""
    loop = asyncio.get_running_loop()
    deadline_s = loop.time() + patience_s
    while True:
        pictures = next_pictures(pictures, await sampler.sample())
        if all(map(met, pictures.values())) or loop.time() > deadline_s:
            return pictures
        await asyncio.sleep(LOOK_INTERVAL_S)


def _is_whole(picture: ServerPicture) -> bool:
    """Whether a first report has all its parts, or the state that explains their absence."""
    if picture.condition.state in (ServerState.CONNECTING, ServerState.NOT_ANSWERING):
        return False
    return picture.memory.taken_s is not None or picture.condition.state is ServerState.DOWN


def _has_rates(picture: ServerPicture) -> bool:
    return not is_answering(picture) or all(
        one.tokens_per_s is not None
        for one in picture.slots
        if one.slot.phase in (Phase.READING, Phase.WRITING)
    )


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds <= MAX_SAMPLE_S:
        raise UsageError(f"--sample is {text!r}: use 0 to {MAX_SAMPLE_S:g} seconds")
    return seconds
