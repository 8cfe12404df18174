"""What stands in the terminal after many small updates is what one whole drawing would show."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.e2e.tmux import PROJECT, terminal
from tests.servers import wait_until

RECORDING = PROJECT / "tests" / "data" / "demo-run.jsonl.gz"
SCRIPT = """
import asyncio, sys
from dataclasses import replace
from pathlib import Path
from mecha_tui.app.app import MechaApp
from mecha_tui.collect.recording import read_rounds
from tests.app.support import text_of

recording, told = Path(sys.argv[1]), Path(sys.argv[2])


class Replay:
    def __init__(self):
        self.left = read_rounds(recording)

    async def sample(self):
        if not self.left:
            unfinished = told.with_suffix(".part")
            unfinished.write_text(text_of(app), "utf-8")
            unfinished.replace(told)
            while told.exists():
                await asyncio.sleep(0.01)
            app.exit()
            await asyncio.Event().wait()
        await asyncio.sleep(0.02)
        return self.left.pop(0)

    async def aclose(self):
        pass


app = MechaApp(Replay(), interval_s=0.0)
app.run()
"""


def stripped(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip("\n").split("\n")]


def test_a_whole_run_leaves_no_wrong_cell_behind(tmp_path: Path) -> None:
    script, told = tmp_path / "replay.py", tmp_path / "screen.txt"
    script.write_text(SCRIPT, "utf-8")
    for size in ((120, 40), (80, 24), (30, 8)):
        with terminal(tmp_path, size=size) as window:
            window.start(sys.executable, str(script), str(RECORDING), str(told))
            wait_until(told.exists, "the end of the run")
            wanted = stripped(told.read_text("utf-8"))
            wait_until(lambda: stripped(window.text()) == wanted, f"{window.text()}\n{wanted}")  # noqa: B023
            told.unlink()
            window.ends_with(0)
