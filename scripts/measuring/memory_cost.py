"""What one look at memory costs, over one look at a server: processor time, as a ratio.

Run it with ``scripts/bench-memory``. Both looks are the program's own, at a real server that
writes; the memory reader's clock moves two seconds from look to look, as it does on the
dashboard, so that what is kept for some seconds is read as often as it is there.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

from mecha_tui.collect.address import parse_address
from mecha_tui.collect.memory.reader import MemoryReader
from mecha_tui.collect.sampler import HttpSampler
from mecha_tui.collect.target import Target
from mecha_tui.core.server import ServerProcess
from mecha_tui.demo.model import write_model

_FLAGS = ("-c", "32768", "-np", "4", "-t", "1", "--metrics", "--port", "0", "--until-eof")
MEMORY_STEP_S = 2.0


def main() -> int:
    """Measure, and print the three figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=300)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory(prefix="mecha-tui-bench-") as folder:
        model = Path(folder) / "model.gguf"
        write_model(model, embedding=256, blocks=4)
        command = [sys.executable, "-m", "mecha_tui.demo.server", "-m", str(model), *_FLAGS]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as server:
            assert server.stdin is not None
            assert server.stdout is not None
            url = server.stdout.readline().split()[-1]
            threading.Thread(target=_write, args=(url,), daemon=True).start()
            server_ms = asyncio.run(_server_round_ms(url, rounds))
            memory_ms = _memory_round_ms(server.pid, rounds)
            server.stdin.close()
    print(f"one look at the server  {server_ms:8.2f} ms of processor time")
    print(f"one look at memory      {memory_ms:8.2f} ms")
    print(f"ratio                   {memory_ms / server_ms:8.2f}")
    return 0


def _write(url: str) -> None:
    body = json.dumps({"prompt": "hello", "n_predict": 100_000, "ignore_eos": True}).encode()
    request = urllib.request.Request(
        f"{url}/completion", body, {"Content-Type": "application/json"}
    )
    try:
        urllib.request.urlopen(request, timeout=600).read()
    except OSError:
        return


async def _server_round_ms(url: str, rounds: int) -> float:
    sampler = HttpSampler([Target(parse_address(url), None)])
    for _ in range(20):
        await sampler.sample()
    began_s = time.process_time()
    for _ in range(rounds):
        await sampler.sample()
    spent_s = time.process_time() - began_s
    await sampler.aclose()
    return spent_s * 1000 / rounds


def _memory_round_ms(pid: int, rounds: int) -> float:
    now = [time.monotonic()]
    reader = MemoryReader(clock=lambda: now[0])
    process = ServerProcess(pid)
    reader.read(process)
    began_s = time.process_time()
    for _ in range(rounds):
        now[0] += MEMORY_STEP_S
        reader.read(process)
    return (time.process_time() - began_s) * 1000 / rounds


if __name__ == "__main__":
    sys.exit(main())
