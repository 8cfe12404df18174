"""``mecha-tui`` without a command: the dashboard, or one plain report into a pipe."""

from __future__ import annotations

import argparse
import os
import sys

from mecha_tui.commands.ink import is_utf8
from mecha_tui.commands.setup import make_sampler, settings_of
from mecha_tui.config import Settings
from mecha_tui.core.sample import Sampler
from mecha_tui.errors import UsageError

COLOR_SYSTEMS = ("auto", "standard", "256", "truecolor", "windows")
"""What ``TEXTUAL_COLOR_SYSTEM`` may be; Textual breaks on anything else."""


def run(options: argparse.Namespace) -> int:
    """Watch the servers until the user quits."""
    settings = settings_of(options)
    return show(make_sampler(settings, is_once=not has_terminal()), settings)


def show(sampler: Sampler, settings: Settings, *, keeps_speeds: bool = True) -> int:
    """Draw what a sampler sees, or print it once where there is no terminal.

    Args:
        sampler: What is looked at.
        settings: How it is shown.
        keeps_speeds: Whether measured speeds outlive this run.
    """
    if not has_terminal():
        from mecha_tui.commands.status import run_plain

        return run_plain(sampler)
    colors = os.environ.get("TEXTUAL_COLOR_SYSTEM", COLOR_SYSTEMS[0])
    if colors not in COLOR_SYSTEMS:
        known = ", ".join(COLOR_SYSTEMS)
        raise UsageError(f"TEXTUAL_COLOR_SYSTEM is {colors!r}: unset it, or use one of {known}")
    # The screen is slow to import, and a pipe does not need it.
    from mecha_tui.app.app import MechaApp
    from mecha_tui.app.driver import TERMINAL_GONE
    from mecha_tui.collect.talkers import LocalTalkers
    from mecha_tui.store.database import Database
    from mecha_tui.store.memory import BackgroundSpeeds
    from mecha_tui.store.speeds import StoredSpeeds

    app = MechaApp(
        sampler,
        interval_s=settings.interval_s,
        theme=f"mecha-{settings.theme}",
        ascii_only=not is_utf8(sys.stdout),
        talkers=LocalTalkers(),
        speeds=BackgroundSpeeds(StoredSpeeds(Database())) if keeps_speeds else None,
    )
    app.run()
    # Whatever else went wrong while the terminal went away is no fault to tell.
    return app.return_code or 0 if has_terminal() else TERMINAL_GONE


def has_terminal() -> bool:
    """Whether there is a screen to draw on and a keyboard to listen to."""
    # Textual draws on standard error, so that one must be the terminal too.
    return all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))
