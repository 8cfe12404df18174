"""``mecha-tui bench`` on real servers: what it measures, what it refuses, and how it ends."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.servers import BUILDS, OLD, RunningServer, free_port, running_server, wait_until

COMMAND = [sys.executable, "-m", "mecha_tui", "bench"]
needs_binary = pytest.mark.skipif(OLD not in BUILDS, reason="there is no binary for this machine")


def bench(
    server: RunningServer, *arguments: str, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, "--url", server.url, *arguments],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=300,
        check=False,
        env={**os.environ, **(environment or {})},
    )


def measured(server: RunningServer, *arguments: str) -> Any:  # noqa: ANN401  # JSON
    ran = bench(server, "--yes", "--json", *arguments)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def counted(server: RunningServer, name: str) -> float:
    (value,) = re.findall(rf"^llamacpp:{name} (\S+)$", server.get("/metrics")[1], re.MULTILINE)
    return float(value)


def is_busy(server: RunningServer) -> bool:
    return '"is_processing":true' in server.get("/slots")[1]


@pytest.fixture(scope="module", params=BUILDS)
def server(request: pytest.FixtureRequest, tiny_model: Path) -> Iterator[RunningServer]:
    flags = ("-c", "4096", "-np", "2", "--metrics")
    with running_server(request.param, tiny_model, *flags) as running:
        yield running


@pytest.fixture(scope="module")
def slow(slow_model: Path) -> Iterator[RunningServer]:
    with running_server(BUILDS[0], slow_model, "-c", "4096", "-np", "2", "--metrics") as running:
        yield running


def test_all_parts_cost_what_was_said_and_no_more(server: RunningServer) -> None:
    names = ("tokens_predicted_total", "prompt_tokens_total")
    before = [counted(server, name) for name in names]
    ran = bench(server, "--yes", "--tokens", "40", "--prompt-tokens", "600", "--turns", "4")
    assert ran.returncode == 0, ran.stderr
    written, read = (counted(server, name) - before[place] for place, name in enumerate(names))
    said = re.search(r"It writes ([\d,]+) tokens and reads ([\d,]+)", ran.stderr)
    assert said is not None
    assert written == int(said[1].replace(",", ""))
    # The last token of each answer is first processed in the next turn; and a random prompt
    # may begin by chance with a token that is held.
    assert 0 <= read - int(said[2].replace(",", "")) <= 3
    for row in ("single stream", "2 streams, wall clock", "reading a prompt", "affinity"):
        assert row in ran.stdout


def test_the_conversation_is_reused_turn_by_turn(server: RunningServer) -> None:
    found = measured(server, "--only", "affinity", "--turns", "4")["affinity"]
    assert found["reread_tokens_most"] == 0
    assert [turn["reread_tokens"] for turn in found["turns"]] == [0] * 4
    assert found["turns"][3]["reused_tokens"] > 900


def test_alone_it_agrees_with_what_the_server_timed(slow: RunningServer) -> None:
    names = ("tokens_predicted_seconds_total", "prompt_seconds_total")
    before = [counted(slow, name) for name in names]
    wished = ("--only", "single,reading", "--tokens", "60", "--prompt-tokens", "500")
    found = measured(slow, *wished)
    writing_s, reading_s = (counted(slow, name) - before[n] for n, name in enumerate(names))
    single, reading = found["single"], found["reading"]
    assert [run["tokens"] for run in single["runs"]] == [60] * 3
    assert [run["tokens"] for run in reading["runs"]] == [500] * 3
    # The counters hold the other part's few tokens as well: three to write, thrice 32 to read.
    told_s = sum(run["seconds"] for run in single["runs"])
    assert told_s * 0.99 < writing_s < told_s * 1.2
    told_s = sum(run["seconds"] for run in reading["runs"])
    assert told_s * 0.99 < reading_s < told_s * 1.5
    rates = [60 / run["seconds"] for run in single["runs"]]
    assert single["tokens_per_s"] == pytest.approx(sorted(rates)[1], rel=1e-3)
    assert (single["low"], single["high"]) == pytest.approx((min(rates), max(rates)), rel=1e-3)


def test_streams_are_tokens_over_wall_clock_so_a_queue_is_not_hidden(slow: RunningServer) -> None:
    began_s = time.monotonic()
    before_s = counted(slow, "tokens_predicted_seconds_total")
    found = measured(slow, "--only", "streams", "--streams", "6", "--tokens", "30")["streams"]
    took_s = time.monotonic() - began_s
    spent_s = counted(slow, "tokens_predicted_seconds_total") - before_s
    assert found["streams"] == 6
    assert [run["tokens"] for run in found["runs"]] == [180] * 3
    # Six answers wait in turn for two slots, of whose own seconds two pass at a time.
    wall_s = sum(run["seconds"] for run in found["runs"])
    assert spent_s / 2.2 < wall_s < took_s
    slowest = min(run["tokens"] / run["seconds"] for run in found["runs"])
    assert slowest == pytest.approx(found["low"], rel=1e-3)


def test_without_a_yes_and_without_a_terminal_nothing_is_asked_of_the_server(
    server: RunningServer,
) -> None:
    before = counted(server, "prompt_tokens_total")
    ran = bench(server)
    assert ran.returncode == 3
    assert "add --yes" in ran.stderr
    assert counted(server, "prompt_tokens_total") == before


def test_read_only_forbids_it(server: RunningServer) -> None:
    before = counted(server, "prompt_tokens_total")
    ran = bench(server, "--yes", "--read-only")
    assert ran.returncode == 4
    assert "--read-only forbids that" in ran.stderr
    assert counted(server, "prompt_tokens_total") == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--tokens", "3000"], "use --tokens 2008 or fewer"),
        (["--prompt-tokens", "3000"], "use --prompt-tokens 2039 or fewer"),
        (["--only", "speed"], "--only is 'speed': use some of single,streams,reading,affinity"),
        (["--streams", "0"], "'0' is not a number from 1"),
        (["--model", "other"], "no watched server has a model called 'other'"),
    ],
)
def test_what_cannot_be_run_is_one_sentence(
    server: RunningServer, arguments: list[str], words: str
) -> None:
    ran = bench(server, "--yes", *arguments)
    assert ran.returncode == 3
    assert words in ran.stderr
    assert ran.stderr.count("\n") == 1
    assert ran.stdout == ""


def test_a_busy_server_is_left_alone_unless_told(slow: RunningServer) -> None:
    slow.complete_in_background("abc", 900)
    wait_until(lambda: is_busy(slow), "a slot is busy")
    ran = bench(slow, "--yes")
    assert ran.returncode == 4
    assert "1 of 2 slots busy" in ran.stderr
    assert "--busy" in ran.stderr
    found = measured(slow, "--busy", "--only", "single", "--tokens", "5")
    assert found["busy_before"] == 1
    assert len(found["single"]["runs"]) == 3
    wait_until(lambda: not is_busy(slow), "it rests")


def started(
    server: RunningServer, *arguments: str, environment: dict[str, str] | None = None
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, "--url", server.url, "--yes", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **(environment or {})},
    )


def read_until(running: subprocess.Popen[str], words: str) -> None:
    assert running.stderr is not None
    for line in running.stderr:
        if words in line:
            return
    raise AssertionError(f"never said: {words}")


def test_ctrl_c_keeps_what_was_measured_and_ends_the_servers_work(slow: RunningServer) -> None:
    running = started(slow, "--only", "single", "--tokens", "80", "--json")
    read_until(running, "run 2 of 3")
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130
    found = json.loads(out)
    assert len(found["single"]["runs"]) == 1
    assert found["is_complete"] is False
    assert "cut short" in err
    wait_until(lambda: not is_busy(slow), "the server rests")


def test_a_server_that_dies_in_the_middle_costs_one_sentence(slow_model: Path) -> None:
    with running_server(BUILDS[0], slow_model, "-c", "4096", "-np", "1") as server:
        running = started(server, "--only", "single", "--tokens", "80")
        read_until(running, "run 2 of 3")
        server.process.kill()
        out, err = running.communicate(timeout=60)
    assert running.returncode == 1
    assert "single stream" in out
    assert err.splitlines()[-1].startswith("mecha-tui: not all was measured: ")
    assert "Traceback" not in err


def test_a_locked_server_and_nobody_are_said(tiny_model: Path) -> None:
    with running_server(BUILDS[-1], tiny_model, "-c", "512", "--api-key", "s3cret") as server:
        locked = bench(server, "--yes")
        assert locked.returncode == 1
        assert "wants an API key" in locked.stderr
        key = {"LLAMA_API_KEY": "s3cret"}
        opened = bench(server, "--yes", "--only", "single", "--tokens", "5", environment=key)
        assert opened.returncode == 0, opened.stderr
        several = bench(server, "--yes", "--url", f"http://127.0.0.1:{free_port()}")
    assert several.returncode == 3
    assert "several could be meant; name one with --url" in several.stderr
    gone = bench(server, "--yes")
    assert gone.returncode == 1
    assert "Nothing answers at this address" in gone.stderr


@needs_binary
def test_a_server_of_embeddings_has_no_speed_of_writing(tiny_model: Path) -> None:
    with running_server(OLD, tiny_model, "-c", "512", "--embeddings") as server:
        ran = bench(server, "--yes")
    assert ran.returncode == 1
    assert "writes no text" in ran.stderr


def is_asleep(server: RunningServer) -> bool:
    props = server.json("/props")
    return isinstance(props, dict) and props["is_sleeping"] is True


def test_a_sleeper_is_woken_only_where_that_is_allowed(tiny_model: Path) -> None:
    flags = ("-c", "1024", "-np", "1", "--sleep-idle-seconds", "1")
    with running_server(BUILDS[-1], tiny_model, *flags) as server:
        wait_until(lambda: is_asleep(server), "it sleeps")
        ran = bench(server, "--yes")
        assert ran.returncode == 4
        assert "asleep, and measuring loads it: add --wake" in ran.stderr
        assert is_asleep(server)
        found = measured(server, "--wake", "--only", "single", "--tokens", "20")
        assert len(found["single"]["runs"]) == 3


@needs_binary
def test_a_routers_model_is_loaded_only_where_that_is_allowed(
    tiny_model: Path, tmp_path: Path
) -> None:
    (tmp_path / "one.gguf").write_bytes(tiny_model.read_bytes())
    flags = ("--models-dir", str(tmp_path), "-c", "1024", "-np", "1")
    with running_server(OLD, None, *flags) as server:
        assert "name one with --model" in bench(server, "--yes").stderr
        ran = bench(server, "--yes", "--model", "one")
        assert ran.returncode == 4
        assert "one is not loaded" in ran.stderr
        assert '"loaded"' not in server.get("/models")[1]
        wished = ("--wake", "--model", "one", "--only", "single", "--tokens", "20")
        found = measured(server, *wished)
        assert found["model"] == "one"
        assert len(found["single"]["runs"]) == 3


@pytest.mark.parametrize(("answer", "status"), [("y", 0), ("n", 4)])
def test_on_a_terminal_it_says_the_cost_and_asks(
    server: RunningServer, answer: str, status: int
) -> None:
    before = counted(server, "tokens_predicted_total")
    main, terminal = pty.openpty()
    command = [*COMMAND, "--url", server.url, "--only", "single", "--tokens", "10"]
    running = subprocess.Popen(
        command, stdin=terminal, stderr=terminal, stdout=subprocess.PIPE, text=True
    )
    os.close(terminal)
    said: list[bytes] = []
    reader = threading.Thread(target=_read, args=(main, said), daemon=True)
    reader.start()
    wait_until(lambda: b"Start? [y/N]" in b"".join(said), "it asks")
    assert b"It writes 30 tokens and reads 96" in b"".join(said)
    assert counted(server, "tokens_predicted_total") == before
    os.write(main, f"{answer}\n".encode())
    out, _ = running.communicate(timeout=60)
    assert running.returncode == status
    assert ("single stream" in out) is (status == 0)
    wait_until(lambda: not reader.is_alive(), "the terminal ends")
    os.close(main)
    assert counted(server, "tokens_predicted_total") == before + (30 if status == 0 else 0)


def _read(main: int, said: list[bytes]) -> None:
    try:
        while data := os.read(main, 4096):
            said.append(data)
    except OSError:
        return


def saved_rows(folder: Path) -> list[tuple[int, int]]:
    """Return count and tokens of every group of speeds in a state file that must be whole."""
    with closing(sqlite3.connect(folder / "state.sqlite3")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return connection.execute("SELECT count, tokens FROM speed").fetchall()


def test_what_is_saved_is_found_and_being_killed_meanwhile_costs_nothing(
    server: RunningServer, tmp_path: Path
) -> None:
    state = {"MECHA_TUI_STATE": str(tmp_path)}
    wished = ("--yes", "--save", "--only", "single", "--tokens", "60")
    first = bench(server, *wished, environment=state)
    assert first.returncode == 0, first.stderr
    assert "saving 3 speeds in" in first.stderr
    assert sum(count for count, _ in saved_rows(tmp_path)) == 3
    assert sum(tokens for _, tokens in saved_rows(tmp_path)) == 180
    for _ in range(3):
        running = started(server, *wished[1:], environment=state)
        read_until(running, "saving")
        running.kill()
        running.communicate(timeout=60)
        kept = sum(count for count, _ in saved_rows(tmp_path))
        assert kept % 3 == 0
        assert kept >= 3
    last = bench(server, *wished, environment=state)
    assert last.returncode == 0, last.stderr
    assert sum(count for count, _ in saved_rows(tmp_path)) > kept
    assert not list(tmp_path.glob("*.broken"))


def test_a_state_that_cannot_be_kept_is_said_and_the_result_is_still_printed(
    server: RunningServer, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way", "utf-8")
    state = {"MECHA_TUI_STATE": str(tmp_path / "file")}
    ran = bench(server, "--yes", "--save", "--only", "single", "--tokens", "60", environment=state)
    assert ran.returncode == 1
    assert "single stream" in ran.stdout
    assert "cannot be used" in ran.stderr


def test_a_speed_beside_other_work_is_never_saved(server: RunningServer) -> None:
    ran = bench(server, "--yes", "--save", "--busy")
    assert ran.returncode == 3
    assert "leave out --save or --busy" in ran.stderr
