"""A real server that is loaded, stopped, killed and restarted as a random choice has it."""

from __future__ import annotations

import contextlib
import json
import random
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path

LAUNCHES = (
    ("-c", "32768", "-np", "4", "--metrics"),
    ("-c", "32768", "--metrics"),
    ("-c", "8192", "-np", "2"),
    ("-c", "16384", "-np", "8", "--metrics", "--no-slots"),
    ("-c", "8192", "-np", "1", "--metrics", "--api-key", "secret"),
    ("-c", "8192", "-np", "2", "--metrics", "--sleep-idle-seconds", "4"),
    ("-c", "65536", "-np", "64", "--metrics"),
)
USUAL = LAUNCHES[0]


@dataclass
class MoodyServer:
    """A server at one address whose process comes and goes."""

    model: Path
    chosen: random.Random
    port: int = 0
    process: subprocess.Popen[bytes] | None = None
    is_stopped: bool = False
    _threads: list[threading.Thread] = field(default_factory=list)

    def __post_init__(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.port = listener.getsockname()[1]

    @property
    def url(self) -> str:
        """Its address, the same for all processes."""
        return f"http://127.0.0.1:{self.port}"

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Start it; at the end of the block it is gone."""
        self.start(USUAL)
        try:
            yield
        finally:
            self.kill()
            for thread in self._threads:
                thread.join(20)

    def change(self) -> str:
        """Do something to it at random, and say what."""
        if self.process is None:
            launch = self.chosen.choice(LAUNCHES)
            self.start(launch)
            return f"started with {' '.join(launch)}"
        if self.is_stopped:
            self.process.send_signal(signal.SIGCONT)
            self.is_stopped = False
            return "goes on"
        action = self.chosen.choice((self.load, self.load, self.load, self.stop, self.kill))
        action()
        return {self.load: "loaded", self.stop: "stopped", self.kill: "killed"}[action]

    def calm_down(self) -> None:
        """Bring it into its usual state."""
        self.kill()
        self.start(USUAL)

    def start(self, launch: tuple[str, ...]) -> None:
        """Start a process at the address."""
        flags = ("-m", str(self.model), "--port", str(self.port), "-t", "1", *launch)
        self.process = subprocess.Popen(
            (sys.executable, "-m", "mecha_tui.demo.server", *flags, "--until-eof"),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def stop(self) -> None:
        """Freeze it: it keeps its connections and says nothing."""
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)
        self.is_stopped = True

    def kill(self) -> None:
        """End the process at once, whatever it does."""
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
        self.process, self.is_stopped = None, False

    def load(self) -> None:
        """Send it some completions and do not wait for them."""
        for _ in range(self.chosen.randint(1, 6)):
            body = {
                "prompt": "abcdefgh " * self.chosen.randint(1, 400),
                "n_predict": self.chosen.randint(20, 4000),
            }
            thread = threading.Thread(target=self._complete, args=(body,), daemon=True)
            thread.start()
            self._threads.append(thread)

    def _complete(self, body: dict[str, object]) -> None:
        data, headers = json.dumps(body).encode(), {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.url}/completion", data, headers)
        with (
            contextlib.suppress(OSError, HTTPException),
            urllib.request.urlopen(request, timeout=300) as reply,
        ):
            reply.read()
