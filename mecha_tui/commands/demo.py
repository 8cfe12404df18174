"""``mecha-tui demo``: a real server on a tiny model, busy agents, and the dashboard on it."""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NoReturn

from mecha_tui.config import ClientSetting, Settings
from mecha_tui.errors import UsageError

REPORT_EVERY_S = 5.0
"""Time between two plain reports where there is no terminal."""
WARM_UP_S = 3.0
"""How long the agents have before the first plain report, so that it shows them at work."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what only this command takes."""
    parser.add_argument(
        "--seconds", type=_seconds, metavar="N", help="end after N seconds (default: when told to)"
    )


def run(options: argparse.Namespace) -> int:
    """Show the demo until the user quits, or its time is over."""
    from mecha_tui.commands.dashboard import has_terminal
    from mecha_tui.commands.setup import settings_of

    if options.url:
        raise UsageError("demo starts a server of its own: leave out --url")
    # A key in the environment is for the user's own servers, not for this one.
    os.environ.pop("LLAMA_API_KEY", None)
    settings = settings_of(options)
    from mecha_tui.demo.stage import stage

    with stage() as running, _ending_after(options.seconds) as is_over:
        settings = _settings(settings, options, running.url)
        status = _draw(settings) if has_terminal() else _report(settings, options.seconds)
        return 0 if is_over() else status


def _settings(settings: Settings, options: argparse.Namespace, url: str) -> Settings:
    """Return settings for the demo's server alone, and a client that disagrees with it."""
    from mecha_tui.demo.stage import CLIENT_CONTEXT_WINDOW, CLIENT_MAX_TOKENS

    client = ClientSetting(
        name="demo",
        context_window=options.context_window or CLIENT_CONTEXT_WINDOW,
        max_tokens=options.max_tokens or CLIENT_MAX_TOKENS,
        source="the demo's client",
    )
    return replace(settings, urls=(url,), api_key_file=None, clients=(client,))


def _draw(settings: Settings) -> int:
    from mecha_tui.commands.dashboard import show
    from mecha_tui.commands.setup import make_sampler

    return show(make_sampler(settings), settings, keeps_speeds=False)


def _report(settings: Settings, seconds: float | None) -> int:
    """Print one plain report, or one every few seconds for as long as the demo lasts."""
    from mecha_tui.commands.setup import make_sampler
    from mecha_tui.commands.status import run_plain

    time.sleep(WARM_UP_S)
    status = run_plain(make_sampler(settings))
    while seconds is not None:
        sys.stdout.flush()
        time.sleep(REPORT_EVERY_S)
        status = run_plain(make_sampler(settings))
    return status


@contextlib.contextmanager
def _ending_after(seconds: float | None) -> Iterator[Callable[[], bool]]:
    """End the block after some time, by the same SIGTERM that anyone else might send.

    The dashboard takes the signal while it draws. At any other moment it unwinds the
    block, so that the demo is taken down.

    Yields:
        Whether the time is over.
    """
    over = threading.Event()

    def end() -> None:
        over.set()
        os.kill(os.getpid(), signal.SIGTERM)

    def leave(number: int, _frame: object) -> NoReturn:
        raise SystemExit(0 if over.is_set() else 128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, leave)
    timer = threading.Timer(seconds or 0.0, end)
    timer.daemon = True
    if seconds is not None:
        timer.start()
    try:
        yield over.is_set
    finally:
        timer.cancel()


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < threading.TIMEOUT_MAX:
        raise UsageError(f"--seconds is {text!r}: use a number of seconds above 0")
    return seconds
