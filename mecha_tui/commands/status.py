"""``mecha-tui status``: one report of every server, for people, scripts and pipes."""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import sys

from mecha_tui.commands.ink import is_utf8
from mecha_tui.commands.looking import FIRST_LOOK_PATIENCE_S, is_whole, looked_until
from mecha_tui.commands.setup import make_sampler, settings_of
from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.sample import Sampler
from mecha_tui.core.slots import Phase
from mecha_tui.core.watch import Pictures
from mecha_tui.errors import UsageError
from mecha_tui.present.report import is_answering, status_json, status_text
from mecha_tui.present.tmux_status import tmux_status

MAX_SAMPLE_S = 60.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what only this command takes."""
    parser.add_argument(
        "--format",
        choices=("text", "json", "tmux"),
        default="text",
        help="for people, for scripts, or one short line for tmux's status line",
    )
    parser.add_argument(
        "--json", action="store_const", const="json", dest="format", help="same as --format json"
    )
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
    sample_s = 0.0 if options.format == "tmux" else options.sample  # it shows no speed
    pictures = asyncio.run(_looked(make_sampler(settings_of(options), is_once=True), sample_s))
    if options.format == "json":
        print(json.dumps(status_json(pictures.values()), indent=2))
    elif options.format == "tmux":
        print(tmux_status(pictures.values(), is_ascii=not is_utf8(sys.stdout)))
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
        pictures = await looked_until(sampler, {}, FIRST_LOOK_PATIENCE_S, is_whole)
        if sample_s and any(picture.busy for picture in pictures.values()):
            await asyncio.sleep(sample_s)
            pictures = await looked_until(sampler, pictures, FIRST_LOOK_PATIENCE_S, _has_rates)
        return pictures
    finally:
        await sampler.aclose()


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
