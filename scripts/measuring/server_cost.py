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

from mecha_tui.demo.model import write_model
from scripts.measuring.terminal import in_terminal
from scripts.measuring.watcher import SLOT_WINDOW, Watcher

STREAMS = 4
TOKENS = 1200
_WINDOW_TOKENS = 8192
_FLAGS = ("-t", "1", "--metrics", "--port", "0")
_NULL = "nobody (control)"


def speed_with_and_without(watchers: Sequence[Watcher], rounds: int) -> str:
    """Return a table of speeds, each watcher paired with a run without any beside it."""
    ratios: dict[str, list[float]] = {name: [] for name in (*[one.name for one in watchers], _NULL)}
    unwatched: list[float] = []
    with quiet_server() as url:
        _tokens_per_s(url)  # the first run warms caches up
        for number in range(rounds * 2):
            for watcher in (*watchers, None):
                # The first of a pair changes, so that a machine that drifts favours neither.
                alone = None if number % 2 else _tokens_per_s(url)
                watched = _watched_tokens_per_s(watcher, url)
                alone = alone or _tokens_per_s(url)
                ratios[watcher.name if watcher else _NULL].append(watched / alone)
                unwatched.append(alone)
    noise = statistics.pstdev(unwatched) / statistics.mean(unwatched)
    lines = [
        f"{STREAMS} streams, {statistics.median(unwatched):.1f} tok/s unwatched "
        f"(runs differ by {noise:.1%}); speed watched ÷ unwatched, median of {rounds * 2} pairs:"
    ]
    lines += [f"{name:24}{statistics.median(ratios[name]):12.3f}" for name in ratios]
    return "\n".join(lines)


def _watched_tokens_per_s(watcher: Watcher | None, url: str) -> float:
    if watcher is None:
        return _tokens_per_s(url)
    with in_terminal(watcher.command(url), SLOT_WINDOW) as terminal:
        terminal.wait_for(SLOT_WINDOW)
        return _tokens_per_s(url)


@contextlib.contextmanager
def quiet_server(slots: int = STREAMS) -> Iterator[str]:
    """Run a server that nobody asks anything, and give its address."""
    context = ("-c", str(slots * _WINDOW_TOKENS), "-np", str(slots))
    with tempfile.TemporaryDirectory(prefix="mecha-tui-bench-") as folder:
        model = Path(folder) / "model.gguf"
        write_model(model, embedding=256, blocks=4)
        command = (
            sys.executable,
            "-m",
            "mecha_tui.demo.server",
            "-m",
            str(model),
            *context,
            *_FLAGS,
        )
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
