"""What being watched costs the server: its speed with a watcher, over its speed without."""

from __future__ import annotations

import contextlib
import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mecha_tui.demo.model import write_model
from scripts.measuring.terminal import in_terminal

if TYPE_CHECKING:
    from scripts.measuring.bench import Watcher

SLOT_WINDOW = r"8,?192"
"""A slot's window on these servers: once it is drawn, the screen shows the server."""
STREAMS = 4
TOKENS = 1200
_FLAGS = ("-c", "32768", "-np", str(STREAMS), "-t", "1", "--metrics", "--port", "0")


def speed_with_and_without(watchers: Sequence[Watcher], rounds: int) -> str:
    """Return a table of speeds, each watcher paired with a run without any beside it."""
    ratios: dict[str, list[float]] = {watcher.name: [] for watcher in watchers}
    unwatched: list[float] = []
    with _quiet_server() as url:
        _tokens_per_s(url)  # the first run warms caches up
        for number in range(rounds * 2):
            for watcher in watchers:
                # The first of a pair changes, so that a machine that drifts favours neither.
                alone = None if number % 2 else _tokens_per_s(url)
                watched = _watched_tokens_per_s(watcher, url)
                alone = alone or _tokens_per_s(url)
                ratios[watcher.name].append(watched / alone)
                unwatched.append(alone)
    noise = statistics.pstdev(unwatched) / statistics.mean(unwatched)
    lines = [
        f"{STREAMS} streams, {statistics.median(unwatched):.1f} tok/s unwatched "
        f"(runs differ by {noise:.1%}); speed watched ÷ unwatched, median of {rounds * 2} pairs:"
    ]
    lines += [f"{name:24}{statistics.median(ratios[name]):12.3f}" for name in ratios]
    return "\n".join(lines)


def _watched_tokens_per_s(watcher: Watcher, url: str) -> float:
    with in_terminal(watcher.command(url), SLOT_WINDOW) as terminal:
        terminal.wait_for(SLOT_WINDOW)
        return _tokens_per_s(url)


@contextlib.contextmanager
def _quiet_server() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="mecha-tui-bench-") as folder:
        model = Path(folder) / "model.gguf"
        write_model(model, embedding=256, blocks=4)
        command = (sys.executable, "-m", "mecha_tui.demo.server", "-m", str(model), *_FLAGS)
        with subprocess.Popen(
            (*command, "--until-eof"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as server:
            assert server.stdout is not None
            yield server.stdout.readline().decode().split()[-1]
            server.kill()


def _tokens_per_s(url: str) -> float:
    """Return how many tokens all streams write per second of wall clock."""
    threads = [threading.Thread(target=_complete, args=(url, slot)) for slot in range(STREAMS)]
    began_s = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return STREAMS * TOKENS / (time.monotonic() - began_s)


def _complete(url: str, slot: int) -> None:
    body = {"prompt": "a", "n_predict": TOKENS, "id_slot": slot, "cache_prompt": False}
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{url}/completion", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=600) as reply:
        reply.read()
