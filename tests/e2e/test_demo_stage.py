"""The demo shows everything worth seeing, and nothing of it outlives the process that set it up."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from mecha_tui.demo.stage import Stage, stage
from mecha_tui.errors import MechaTuiError
from tests.servers import PATIENCE_S, wait_until

_PROJECT = Path(__file__).parents[2]
_HOLD_STAGE = """
import sys
from pathlib import Path
from mecha_tui.demo.stage import stage
with stage(Path(sys.argv[1])) as running:
    print(running.url, running.server_pid, running.agents_pid, flush=True)
    sys.stdin.read()
"""
REUSE_TOKENS = 100
"""More than the chat template's own words, which every prompt has in common."""


def get(url: str) -> str:
    with urllib.request.urlopen(url, timeout=PATIENCE_S) as reply:
        return str(reply.read().decode("utf-8", "replace"))


def is_running(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def sights(url: str) -> Iterator[str]:
    """Yield what one look at the server shows that a demo should show."""
    for slot in json.loads(get(f"{url}/slots")):
        counts = (slot.get("next_token") or [{}])[0]
        share = slot.get("n_prompt_tokens", 0) / slot["n_ctx"]
        if slot["is_processing"]:
            yield "writing" if counts.get("n_decoded") else "reading"
            yield "reuse" if slot.get("n_prompt_tokens_cache", 0) > REUSE_TOKENS else "no reuse"
            yield "limit" if counts.get("n_remain", -1) >= 0 else "no limit"
        elif share:
            yield "idle and holding"
        yield "red" if share >= 0.9 else "yellow" if share >= 0.75 else "green"
    for line in get(f"{url}/metrics").splitlines():
        if line.startswith("llamacpp:requests_deferred "):
            yield "waiting" if float(line.split()[-1]) else "nobody waiting"


def test_the_demo_shows_every_phase_colour_queue_and_reuse(tmp_path: Path) -> None:
    wanted = {
        *("reading", "writing", "idle and holding", "reuse", "no reuse", "limit", "no limit"),
        *("green", "yellow", "red", "waiting", "nobody waiting"),
    }
    seen: set[str] = set()

    def is_all_seen() -> bool:
        seen.update(sights(running.url))
        return seen >= wanted

    with stage(tmp_path) as running:
        wait_until(is_all_seen, f"all of {wanted}", PATIENCE_S * 2)


def test_the_demo_server_is_divided_as_it_claims(tmp_path: Path) -> None:
    with stage(tmp_path) as running:
        props = json.loads(get(f"{running.url}/props"))
        arguments = psutil.Process(running.server_pid).cmdline()
    assert props["total_slots"] == 4
    assert props["default_generation_settings"]["n_ctx"] == 8192
    assert arguments[arguments.index("-c") + 1] == "32768"
    assert arguments[arguments.index("--reasoning-budget") + 1] == "4096"


def test_what_the_environment_says_to_the_users_servers_does_not_reach_the_demos(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLAMA_ARG_CTX_SIZE", "4096")
    monkeypatch.setenv("LLAMA_API_KEY", "secret")
    with stage(tmp_path) as running:
        for pid in (running.server_pid, running.agents_pid):
            # Between fork and exec a process has none to show.
            wait_until(psutil.Process(pid).environ, f"process {pid} runs its program")
            environment = psutil.Process(pid).environ()
            own = {name for name in environment if name.startswith("LLAMA_")}
            assert own == {"LLAMA_SERVER_SLOTS_DEBUG"}


def test_two_demos_run_side_by_side(tmp_path: Path) -> None:
    with stage(tmp_path) as one, stage(tmp_path) as other:
        assert one.url != other.url
        for running in (one, other):
            assert json.loads(get(f"{running.url}/health")) == {"status": "ok"}


def test_nothing_is_left_once_the_demo_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models, temporary = tmp_path / "models", tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    with stage(models) as running:
        assert is_running(running.server_pid)
        assert is_running(running.agents_pid)
    assert not is_running(running.server_pid)
    assert not is_running(running.agents_pid)
    assert list(temporary.iterdir()) == []
    assert {path.suffix for path in models.iterdir()} == {".gguf"}


@pytest.fixture
def held_stage(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], Stage]]:
    """A demo whose parent is a process that can be killed."""
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLD_STAGE, str(tmp_path)],
        cwd=_PROJECT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    url, server_pid, agents_pid = holder.stdout.readline().split()
    with holder:
        yield holder, Stage(url, int(server_pid), int(agents_pid))
        holder.kill()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_both_children_end_when_their_parent_dies_while_they_work(
    held_stage: tuple[subprocess.Popen[str], Stage], number: signal.Signals
) -> None:
    holder, running = held_stage
    wait_until(lambda: "writing" in sights(running.url), "an agent at work")
    holder.send_signal(number)
    for pid in (running.server_pid, running.agents_pid):
        wait_until(lambda pid=pid: not is_running(pid), f"the end of {pid}")


def test_the_terminals_signals_do_not_reach_the_children(tmp_path: Path) -> None:
    with stage(tmp_path) as running:
        for pid in (running.server_pid, running.agents_pid):
            assert os.getpgid(pid) == pid


def test_a_server_that_cannot_start_is_told_with_the_end_of_its_log(tmp_path: Path) -> None:
    with stage(tmp_path):
        pass
    for path in tmp_path.glob("*.gguf"):
        path.write_bytes(b"no model")
    with pytest.raises(MechaTuiError, match=r"did not start.*"), stage(tmp_path):
        pass
