"""A real server that nobody owns is ended and started again exactly as it was."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from mecha_tui.control.restart.restarter import LocalRestarter
from mecha_tui.core.restart import Method, Progress, Question, RestartOptions, Stage, Verdict
from tests.restarts import (
    Restarting,
    copied,
    ending_what_listens,
    everything_in,
    journal_step,
    pid_at,
    restart_command,
)
from tests.servers import BUILDS, OLD, PATIENCE_S, free_port, running_server, wait_until

BUILD = BUILDS[0]
FLAGS = ("-c", "8192", "-np", "2")
STAGES = [Stage.STOPPING, Stage.STOPPED, Stage.SETTLED, Stage.LOADING, Stage.READY]


@pytest.mark.parametrize("build", BUILDS)
async def test_it_comes_back_as_it_was_with_another_pid(
    build: str, tiny_model: Path, tmp_path: Path
) -> None:
    environment = {"HF_TOKEN": "hf_secret_7", "WITH_NEWLINE": "a\nb"}
    flags = (*FLAGS, "--api-key", "sk-secret-7")
    with (
        running_server(build, tiny_model, *flags, environment=environment) as server,
        ending_what_listens(server.url),
    ):
        before = psutil.Process(server.pid)
        os.setpriority(os.PRIO_PROCESS, server.pid, 5)
        before.rlimit(psutil.RLIMIT_NOFILE, (777, 778))
        was = before.cmdline(), before.environ(), before.cwd()
        restarting = Restarting(tmp_path)
        outcome = await restarting.run(server.url)
        assert outcome.verdict is Verdict.UNKNOWN, outcome
        assert [mark.stage for mark in outcome.marks] == STAGES
        assert outcome.old_pid == server.pid
        assert server.process.poll() is not None
        after = psutil.Process(outcome.new_pid)
        assert (after.cmdline(), after.environ(), after.cwd()) == was
        assert after.nice() == 5
        assert after.rlimit(psutil.RLIMIT_NOFILE) == (777, 778)
        assert os.getsid(after.pid) == after.pid
        assert pid_at(server.url) == after.pid
        said = repr(restarting.progress) + repr(outcome)
        kept = everything_in(tmp_path)
        for secret in ("sk-secret-7", "hf_secret_7"):
            assert secret not in said
            assert secret not in kept
        assert journal_step(tmp_path) is None


def test_the_command_asks_first_counts_what_is_cut_and_then_cuts(
    slow_model: Path, tmp_path: Path
) -> None:
    with (
        running_server(BUILD, slow_model, *FLAGS) as server,
        ending_what_listens(server.url),
    ):
        server.complete_in_background("a", 100_000)
        wait_until(lambda: '"is_processing":true' in server.get("/slots")[1], "a request runs")
        unasked = restart_command(server.url, tmp_path)
        output = unasked.communicate(timeout=PATIENCE_S)
        assert unasked.returncode == 4
        assert "1 in flight now, which would be cut" in output[1]
        assert "nothing was changed" in output[0]
        assert server.process.poll() is None
        flags = ("--yes", "--force", "--patience", "1", "--no-measure", "--json")
        agreed = restart_command(server.url, tmp_path, *flags)
        told = json.loads(agreed.communicate(timeout=PATIENCE_S)[0])
        assert agreed.returncode == 0, told
        assert told["old_pid"] == server.pid
        assert told["new_pid"] == pid_at(server.url) != server.pid


async def test_waiting_until_idle_can_be_cancelled_and_has_a_limit(
    slow_model: Path, tmp_path: Path
) -> None:
    with running_server(BUILD, slow_model, *FLAGS) as server:
        server.complete_in_background("a", 100_000)
        wait_until(lambda: '"is_processing":true' in server.get("/slots")[1], "a request runs")
        restarting = Restarting(tmp_path)
        late = await restarting.run(server.url, RestartOptions(when_idle_s=0.3))
        assert late.verdict is Verdict.CANCELLED
        assert "not idle within" in late.cause
        assert restarting.asked == [Question.CUT]

        def cancel(restarter: LocalRestarter, progress: Progress) -> None:
            if progress.in_flight == 1:
                assert restarter.cancel()

        cancelling = Restarting(tmp_path, on_report=cancel)
        outcome = await cancelling.run(server.url, RestartOptions(when_idle_s=600))
        assert outcome.verdict is Verdict.CANCELLED
        assert not cancelling.restarter.cancel()
        assert pid_at(server.url) == server.pid


@pytest.mark.skipif(OLD not in BUILDS, reason="the binary runs on Linux x86-64 only")
async def test_a_server_that_does_not_stop_is_ended_by_force_only_after_a_yes(
    tiny_model: Path, tmp_path: Path
) -> None:
    options = RestartOptions(timeout_s=PATIENCE_S, patience_s=0.3)
    with (
        running_server(OLD, tiny_model, *FLAGS) as server,
        ending_what_listens(server.url),
    ):

        def halt(restarter: LocalRestarter, progress: Progress) -> None:
            del restarter
            if progress.stage is Stage.STOPPING:
                os.kill(server.pid, signal.SIGSTOP)  # SIGTERM waits until it goes on

        no = Restarting(tmp_path, on_report=halt)
        outcome = await no.run(server.url, options)
        assert outcome.verdict is Verdict.NOT_BACK
        assert "not ended by force" in outcome.cause
        assert no.asked == [Question.FORCE]
        assert f"the old server (pid {server.pid}) listens there now" in outcome.state_now
        yes = Restarting(tmp_path, answers={Question.FORCE: True})
        outcome = await yes.run(server.url, options)
        assert outcome.verdict is Verdict.UNKNOWN, outcome
        assert server.process.wait(PATIENCE_S) == -signal.SIGKILL


@pytest.mark.parametrize("step", ["stopping", "stopped", "memory settled", "loading"])
def test_killed_at_any_step_it_leaves_one_server_or_none_and_says_so_next_time(
    step: str, tiny_model: Path, tmp_path: Path
) -> None:
    with (
        running_server(BUILD, tiny_model, *FLAGS) as server,
        ending_what_listens(server.url),
    ):
        killed = subprocess.Popen(
            [sys.executable, "-c", _KILLED_AT, server.url, str(tmp_path), step],
            stdin=subprocess.DEVNULL,
        )
        assert killed.wait(PATIENCE_S) == -signal.SIGKILL
        assert journal_step(tmp_path) == step
        has_new = step == "loading"
        if has_new:
            wait_until(lambda: pid_at(server.url) is not None, "the new server listens")
        else:
            assert (server.process.poll() is None) == (step == "stopping")
        listening = pid_at(server.url)
        again = restart_command(server.url, tmp_path, "--dry-run")
        words = again.communicate(timeout=PATIENCE_S)[1]
        assert f"cut short while {step}" in words
        if listening is None:
            assert "no server listens there now; start it with: cd " in words
        else:
            assert f"(pid {listening})" in words
        told_once = restart_command(server.url, tmp_path, "--dry-run")
        assert "cut short" not in told_once.communicate(timeout=PATIENCE_S)[1]


_KILLED_AT = """
import asyncio, os, signal, sys
from pathlib import Path
from tests.restarts import Restarting
url, folder, step = sys.argv[1:]
def die(restarter, progress):
    if progress.stage is not None and progress.stage.value == step:
        os.kill(os.getpid(), signal.SIGKILL)
asyncio.run(Restarting(Path(folder), on_report=die).run(url))
"""


async def test_a_model_or_folder_that_is_gone_is_told_before_anything_is_stopped(
    tiny_model: Path, tmp_path: Path
) -> None:
    model = copied(tiny_model, tmp_path)
    with running_server(BUILD, model, *FLAGS) as server:
        model.unlink()
        outcome = await Restarting(tmp_path / "state").run(server.url)
        assert outcome.verdict is Verdict.REFUSED
        assert "its model file is gone" in outcome.cause
        assert pid_at(server.url) == server.pid


async def test_a_plan_that_is_no_longer_true_is_not_run(tiny_model: Path, tmp_path: Path) -> None:
    port = free_port()
    restarting = Restarting(tmp_path)
    with running_server(BUILD, tiny_model, *FLAGS, port=port) as server:
        plan = await restarting.plan(server.url)
    with running_server(BUILD, tiny_model, *FLAGS, port=port) as server:
        outcome = await restarting.run_plan(plan)
        assert outcome.verdict is Verdict.REFUSED
        assert "not as it was" in outcome.cause
        assert pid_at(server.url) == server.pid


async def test_a_start_that_fails_names_its_cause_and_the_log(
    tiny_model: Path, tmp_path: Path
) -> None:
    model = copied(tiny_model, tmp_path)

    def spoil(restarter: LocalRestarter, progress: Progress) -> None:
        del restarter
        if progress.stage is Stage.STOPPED:
            model.write_bytes(b"GGUF is what this is not")

    with running_server(BUILD, model, *FLAGS) as server:
        restarting = Restarting(tmp_path / "state", on_report=spoil)
        outcome = await restarting.run(server.url)
        assert outcome.verdict is Verdict.NOT_BACK
        assert "could not be loaded" in outcome.cause
        assert outcome.tail
        assert outcome.state_now == "no server listens there now"
        assert outcome.next_step


async def test_nothing_is_started_while_another_takes_the_port(
    tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mecha_tui.control.restart.plain.RELEASE_PATIENCE_S", 0.5)
    taker = socket.socket()
    with running_server(BUILD, tiny_model, *FLAGS) as server:

        def take(restarter: LocalRestarter, progress: Progress) -> None:
            del restarter
            if progress.stage is Stage.STOPPED and taker.getsockname()[1] == 0:
                taker.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                taker.bind(("127.0.0.1", server.port))
                taker.listen()

        restarting = Restarting(tmp_path, on_report=take)
        outcome = await restarting.run(server.url)
        assert outcome.verdict is Verdict.NOT_BACK
        assert f"its address is taken by pid {os.getpid()}" in outcome.cause
        assert Stage.LOADING not in [mark.stage for mark in outcome.marks]
    taker.close()


async def test_a_configured_command_is_run_exactly_and_watched(
    tiny_model: Path, tmp_path: Path
) -> None:
    with (
        running_server(BUILD, tiny_model, *FLAGS) as server,
        ending_what_listens(server.url),
    ):
        command = (sys.executable, "-c", _AGAIN, str(server.pid), "with a blank; and $HOME")
        restarting = Restarting(tmp_path, command)
        plan = await restarting.plan(server.url)
        assert plan.chosen is not None
        assert plan.chosen.method is Method.COMMAND
        outcome = await restarting.run_plan(plan)
        assert outcome.verdict is Verdict.UNKNOWN, outcome
        assert outcome.new_pid == pid_at(server.url) != server.pid
        failing = Restarting(tmp_path, (sys.executable, "-c", "print('no leave'); exit(3)"))
        outcome = await failing.run(server.url)
        assert outcome.verdict is Verdict.NOT_BACK
        assert "ended with status 3: no leave" in outcome.cause


_AGAIN = """
import os, subprocess, sys, psutil
assert sys.argv[2] == "with a blank; and $HOME"
old = psutil.Process(int(sys.argv[1]))
command, environment = old.cmdline(), old.environ()
old.terminate()
while old.is_running() and old.status() != psutil.STATUS_ZOMBIE: pass
subprocess.Popen(command, env=environment, start_new_session=True,
    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
"""


async def test_a_read_only_mecha_tui_restarts_nothing(tiny_model: Path, tmp_path: Path) -> None:
    with running_server(BUILD, tiny_model, *FLAGS) as server:
        refused = restart_command(server.url, tmp_path, "--yes", "--read-only")
        assert "read-only" in refused.communicate(timeout=PATIENCE_S)[0]
        assert refused.returncode == 4
        assert pid_at(server.url) == server.pid
