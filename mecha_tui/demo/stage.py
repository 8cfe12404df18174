"""Sets the demo up, a server and its agents in two child processes, and takes it down."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO

from mecha_tui.demo.cache import cached_model
from mecha_tui.demo.pace import USUAL, ModelSize, fitting_size, reading_speed
from mecha_tui.errors import MechaTuiError, UsageError

CONTEXT_TOKENS = 32768
SLOTS = 4
REASONING_BUDGET_TOKENS = 4096
CLIENT_CONTEXT_WINDOW = 32768
"""What the demo's client believes, against the 8,192 tokens that a slot really holds."""
CLIENT_MAX_TOKENS = 4096
"""What the demo's client allows an answer: all of it may go to thinking."""
EXTRA = ("gguf", "xllamacpp")
"""The modules of the ``demo`` extra."""
_NICENESS = 5
_LOG_TAIL_BYTES = 2000


@dataclass(frozen=True, slots=True)
class Stage:
    """A demo that runs."""

    url: str
    server_pid: int
    agents_pid: int


def check_extra() -> None:
    """Make sure that the ``demo`` extra is there.

    Raises:
        UsageError: It is not; the text says how to install it.
    """
    missing = [name for name in EXTRA if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"The demo needs {' and '.join(missing)}; install it with: "
            "pip install 'mecha-tui[demo]'"
        )


@contextlib.contextmanager
def stage(model_folder: Path | None = None, *, sends_texts: bool = True) -> Iterator[Stage]:
    """Run the demo for the length of a ``with`` block.

    Both children hold a pipe from this process and end when it closes, so they end too
    when this process is killed. The server's log goes to a file that has no name.

    Args:
        model_folder: Where the model is kept; the user's cache folder by default.
        sends_texts: Whether the server shows prompts and answers, which few servers do.

    Raises:
        UsageError: The extra is missing, or the model cannot be written.
        MechaTuiError: The server did not start; the text has the end of its log.
    """
    check_extra()
    with contextlib.ExitStack() as server_life, tempfile.TemporaryFile() as log:
        environment = _environment(sends_texts=sends_texts)
        server, url = _served(server_life, USUAL, model_folder, log, environment)
        speed = reading_speed(url)
        size = fitting_size(speed, USUAL) if speed else USUAL
        if size != USUAL:
            server_life.close()
            server, url = _served(server_life, size, model_folder, log, environment)
        with _child(_agents_command(url), log, environment) as agents:
            yield Stage(url, server.pid, agents.pid)


def _served(
    life: contextlib.ExitStack,
    size: ModelSize,
    folder: Path | None,
    log: IO[bytes],
    environment: dict[str, str],
) -> tuple[subprocess.Popen[bytes], str]:
    """Start a server that ends with ``life``, and return it with its address."""
    command = _server_command(cached_model(size, folder), size)
    server = life.enter_context(_child(command, log, environment))
    return server, _listening_url(server, log)


def _environment(*, sends_texts: bool) -> dict[str, str]:
    """Return our own environment without what it says to the user's servers."""
    package_parent = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, (package_parent, os.environ.get("PYTHONPATH"))))
    kept = {name: text for name, text in os.environ.items() if not name.startswith("LLAMA_")}
    texts = {"LLAMA_SERVER_SLOTS_DEBUG": "1"} if sends_texts else {}
    return {**kept, **texts, "PYTHONPATH": path}


def _server_command(model: Path, size: ModelSize) -> list[str]:
    return [
        *(sys.executable, "-m", "mecha_tui.demo.server", "-m", str(model), "-a", size.name),
        *("-c", str(CONTEXT_TOKENS), "-np", str(SLOTS), "-b", "128", "-t", "1", "-cram", "512"),
        *("--reasoning-budget", str(REASONING_BUDGET_TOKENS), "--metrics", "--port", "0"),
        *("--nice", str(_NICENESS), "--until-eof"),
    ]


def _agents_command(url: str) -> list[str]:
    nice = ("--nice", str(_NICENESS))
    return [sys.executable, "-m", "mecha_tui.demo.agents", url, *nice, "--until-eof"]


@contextlib.contextmanager
def _child(
    command: list[str], log: IO[bytes], environment: dict[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a child that ends with the block; the terminal's signals do not reach it."""
    process = subprocess.Popen(  # noqa: S603  # our own modules
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
        start_new_session=True,
        env=environment,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def _listening_url(server: subprocess.Popen[bytes], log: IO[bytes]) -> str:
    assert server.stdout is not None  # noqa: S101  # it was opened as a pipe
    line = server.stdout.readline().decode("utf-8", "replace")
    prefix, _, url = line.strip().partition("listening on ")
    if not prefix and url:
        return url
    log.seek(max(0, log.seek(0, os.SEEK_END) - _LOG_TAIL_BYTES))
    tail = log.read().decode("utf-8", "replace").strip()
    raise MechaTuiError(f"The demo's server did not start. The end of its log: {tail}")
