"""Remakes ``screenshots/*.svg`` from a recorded run of the demo, or records a new one.

The recording holds rounds as the real sampler took them from the demo's real server; the
pictures are what the screen makes of them.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from mecha_tui.app.app import MechaApp
from mecha_tui.collect.recording import read_rounds, write_rounds
from mecha_tui.core.sample import Round

PROJECT = Path(__file__).parents[2]
RECORDING = PROJECT / "tests" / "data" / "demo-run.jsonl.gz"
FOLDER = PROJECT / "screenshots"
SECONDS = 150
ROUNDS = 145
"""The pictures show this round of the recording: slots that write, read, and are nearly full."""


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture: its name, its size, its theme, and the keys that lead to it."""

    name: str
    width: int
    height: int
    theme: str = "mecha-dark"
    keys: tuple[str, ...] = ()


PICTURES = (
    Picture("dashboard-120", 120, 40),
    Picture("dashboard-120-light", 120, 40, "mecha-light"),
    Picture("dashboard-80", 80, 24),
    Picture("dashboard-60", 60, 15),
    Picture("summary-30", 30, 8),
    Picture("inspection", 120, 40, keys=("enter",)),
    Picture("agreement", 120, 40, keys=("a",)),
    Picture("memory", 120, 40, keys=("m",)),
    Picture("help", 100, 50, keys=("question_mark",)),
)


class Replay:
    """Hands out recorded rounds and then waits."""

    def __init__(self, rounds: list[Round]) -> None:
        self._left = list(rounds)
        self.is_over = asyncio.Event()

    async def sample(self) -> Round:
        """Return the next round."""
        if not self._left:
            self.is_over.set()
            await asyncio.Event().wait()
        return self._left.pop(0)

    async def aclose(self) -> None:
        """Close nothing."""


async def picture(wanted: Picture, rounds: list[Round]) -> str:
    """Return one picture as SVG."""
    replay = Replay(rounds)
    app = MechaApp(replay, interval_s=0.0, theme=wanted.theme)
    app.desk = type(app.desk)(interval_s=1.0)
    async with app.run_test(size=(wanted.width, wanted.height), notifications=True) as pilot:
        await replay.is_over.wait()
        await pilot.press(*wanted.keys)
        await pilot.pause()
        svg = app.export_screenshot(title="mecha-tui", simplify=True)
    return re.sub(r"terminal-\d+", "terminal", svg)


async def record(seconds: int) -> None:
    """Run the demo and write down what the real sampler sees of it."""
    from mecha_tui.commands.setup import make_sampler
    from mecha_tui.config import ClientSetting, Settings
    from mecha_tui.demo.stage import CLIENT_CONTEXT_WINDOW, CLIENT_MAX_TOKENS, stage

    client = ClientSetting(
        name="demo",
        context_window=CLIENT_CONTEXT_WINDOW,
        max_tokens=CLIENT_MAX_TOKENS,
        source="the demo's client",
    )
    rounds = []
    with stage() as running:
        sampler = make_sampler(Settings(urls=(running.url,), clients=(client,)))
        for _ in range(seconds):
            rounds.append(await sampler.sample())
            await asyncio.sleep(1.0)
        await sampler.aclose()
    write_rounds(RECORDING, rounds)


def main() -> int:
    """Make all pictures."""
    parser = argparse.ArgumentParser(prog="scripts/screenshots", description=__doc__)
    parser.add_argument("--record", action="store_true", help="record a new run first")
    parser.add_argument("--seconds", type=int, default=SECONDS, help="how long to record")
    options = parser.parse_args()
    os.environ["TZ"] = "UTC"
    time.tzset()
    if options.record:
        asyncio.run(record(options.seconds))
    rounds = read_rounds(RECORDING)[:ROUNDS]
    FOLDER.mkdir(exist_ok=True)
    for wanted in PICTURES:
        path = FOLDER / f"{wanted.name}.svg"
        path.write_text(asyncio.run(picture(wanted, rounds)), "utf-8")
        print(path.relative_to(PROJECT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
