"""``mecha-tui check`` on real servers: the right verdicts, and every printed cure cures."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from mecha_tui.core.flag_table import VARIABLES
from tests.servers import (
    BUILDS,
    NEW,
    OLD,
    RunningServer,
    free_port,
    running_server,
    wait_until,
)

MODE = {"-c": "LLAMA_ARG_CTX_SIZE", "-np": "LLAMA_ARG_N_PARALLEL", "-cram": "LLAMA_ARG_CACHE_RAM"}
MODE["--reasoning-budget"] = "LLAMA_ARG_THINK_BUDGET"

SITUATIONS = {
    "clean": ("-c 32768 -np 4 --reasoning-budget 1024", 8192, 4096, set()),
    "over": ("-c 32768 -np 4", 32768, 4096, {"window-over-slot"}),
    "under": ("-c 32768 -np 4", 4096, 2048, {"window-under-slot"}),
    "shared": ("-c 32768", 32768, 4096, {"pool-oversold"}),
    "missing": ("-c 32768 -np 4", None, 4096, {"window-missing"}),
    "none": ("-c 65536 -np 4 --reasoning-budget 4096", 16384, 4096, {"answer-room-none"}),
    "small": ("-c 65536 -np 4 --reasoning-budget 4096", 16384, 4608, {"answer-room-small"}),
    "one": ("-c 8192 -np 1", 8192, 4096, {"one-slot-many-talkers"}),
    "capped": ("-c 1000000 -np 4", 131072, 64000, {"division-unexpected"}),
    "cache": ("-c 131072 -np 4 -cram 1", 32768, 4096, {"prompt-cache-small"}),
    "long": ("-c 32768 -np 4", 8192, None, {"output-over-slot"}),
}


def write_settings(home: Path, port: int, window: int | None, limit: int | None) -> Path:
    file = home / ".mecha" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(
        f'[providers.local]  # the box\nkind = "local"\nbase_url = "http://localhost:{port}/v1"\n'
        + (f"context_window = {window}\n" if window else "")
        + "[agent]\n"
        + (f"max_tokens = {limit}  # enough\n" if limit else "")
    )
    return file


def check(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mecha_tui", "check", *arguments],
        capture_output=True,
        text=True,
        cwd=home,
        env={**os.environ, "HOME": str(home), "PYTHONPATH": os.getcwd()},
        stdin=subprocess.DEVNULL,
    )


def report(home: Path, server: RunningServer) -> tuple[int, dict[str, Any]]:
    done = check(home, "--json", "--url", server.url)
    assert done.stderr == ""
    (found,) = json.loads(done.stdout)["servers"]
    return done.returncode, found


def facts(found: dict[str, Any]) -> set[str]:
    weighty = ("error", "warning")
    return {
        one["code"]
        for one in found["findings"]
        if one["verdict"] == "disagree" and one["severity"] in weighty
    }


def as_environment(flags: list[str]) -> dict[str, str]:
    return {MODE[flag]: value for flag, value in zip(flags[::2], flags[1::2], strict=True)}


def with_cure(
    flags: list[str], environment: dict[str, str], line: str
) -> tuple[list[str], dict[str, str]]:
    """Apply a printed line of the server's side."""
    flags, environment = list(flags), dict(environment)
    for part in line.split():
        variable, equals, value = part.partition("=")
        if equals and variable in VARIABLES:
            environment[variable] = value
        else:
            flags.append(part)
    return flags, environment


TOLD = [(situation, False) for situation in sorted(SITUATIONS)]
TOLD += [(situation, True) for situation in ("clean", "over", "shared", "none", "cache")]


@pytest.mark.parametrize(
    ("situation", "is_told_by_environment"),
    TOLD,
    ids=[f"{situation}-{'environment' if told else 'argv'}" for situation, told in TOLD],
)
@pytest.mark.parametrize("build", BUILDS)
def test_the_verdict_is_right_and_after_each_cure_the_numbers_agree(
    build: str, situation: str, is_told_by_environment: bool, tiny_model: Path, tmp_path: Path
) -> None:
    text, window, limit, codes = SITUATIONS[situation]
    flags, environment, port = text.split(), {}, free_port()
    if is_told_by_environment:
        flags, environment = [], as_environment(flags)
    with running_server(build, tiny_model, *flags, environment=environment, port=port) as server:
        write_settings(tmp_path, port, window, limit)
        status, found = report(tmp_path, server)
        assert facts(found) == codes
        assert not [one for one in found["findings"] if one["verdict"] == "unknown"]
        assert (status, found["agreement"]) == ((1, "disagree") if codes else (0, "agree"))
        (client,) = found["clients"]
        assert (client["name"], client["context_window"]["value"]) == ("local", window)
        source = found["numbers"]["context_tokens"]["source"]
        assert source == ("environment LLAMA_ARG_CTX_SIZE" if is_told_by_environment else "argv")
    cures = [
        cure
        for one in found["findings"]
        if one["code"] in codes
        for cure in one["cures"]
        if not cure["line"].startswith("--concurrency")
    ]
    assert len(cures) >= len(codes)
    for cure in cures:
        line, more, variables = cure["line"], flags, environment
        file = write_settings(tmp_path, port, window, limit)
        if " = " in line:
            place = "[agent]" if "[agent]" in cure["place"] else "[providers.local]"
            key = line.partition(" = ")[0]
            kept = [one for one in file.read_text().splitlines() if not one.startswith(key)]
            at = next(number for number, one in enumerate(kept) if one.startswith(place))
            file.write_text("\n".join([*kept[: at + 1], line, *kept[at + 1 :]]))
        else:
            more, variables = with_cure(flags, environment, line)
        with running_server(build, tiny_model, *more, environment=variables, port=port) as server:
            status, found = report(tmp_path, server)
            assert (status, facts(found)) == (0, set()), line


def test_fix_cures_the_settings_and_keeps_the_old_ones(tiny_model: Path, tmp_path: Path) -> None:
    with running_server(NEW, tiny_model, "-c", "32768", "-np", "4") as server:
        file = write_settings(tmp_path, server.port, 32768, 4096)
        before = file.read_text()
        asked = check(tmp_path, "--fix", "--url", server.url)
        assert asked.returncode == 1
        assert "-context_window = 32768" in asked.stdout
        assert "+context_window = 8192" in asked.stdout
        assert file.read_text() == before
        fixed = check(tmp_path, "--fix", "--yes", "--url", server.url)
        assert fixed.returncode == 0, fixed.stdout
        assert file.read_text() == before.replace("32768", "8192")
        assert (file.parent / "config.toml.bak").read_text() == before
        again = check(tmp_path, "--fix", "--yes", "--url", server.url)
        assert (again.returncode, "Nothing to fix" in again.stdout) == (0, True)


def test_fix_touches_the_projects_file_only_where_the_value_stands_there(
    tiny_model: Path, tmp_path: Path
) -> None:
    project = tmp_path / "mecha.toml"
    with running_server(NEW, tiny_model, "-c", "32768", "-np", "4") as server:
        provider = f'[providers.local]\nbase_url = "{server.url}"\n'
        project.write_text(provider)
        fixed = check(tmp_path, "--fix", "--yes", "--url", server.url)
        assert fixed.returncode == 0, fixed.stdout
        own = tmp_path / ".mecha" / "config.toml"
        assert project.read_text() == provider
        assert "context_window = 8192" in own.read_text()
        assert "max_tokens = 4096" in own.read_text()
        project.write_text(f"{provider}context_window = 9000 # here\n")
        before = own.read_text()
        fixed = check(tmp_path, "--fix", "--yes", "--url", server.url)
        assert fixed.returncode == 0, fixed.stdout
        assert project.read_text() == f"{provider}context_window = 8192 # here\n"
        assert own.read_text() == before


def test_several_servers_are_judged_and_one_that_disagrees_decides(
    tiny_model: Path, tmp_path: Path
) -> None:
    with (
        running_server(NEW, tiny_model, "-c", "32768", "-np", "4") as one,
        running_server(NEW, tiny_model, "-c", "4096", "-np", "4") as other,
    ):
        by_hand = ("--context-window", "8192", "--max-tokens", "4096")
        done = check(tmp_path, "--json", "--url", one.url, "--url", other.url, *by_hand)
        judged = [found["agreement"] for found in json.loads(done.stdout)["servers"]]
        assert (judged, done.returncode) == (["agree", "disagree"], 1)
        assert check(tmp_path, "--url", one.url, *by_hand).returncode == 0


def test_what_cannot_be_told_is_exit_status_2(tiny_model: Path, tmp_path: Path) -> None:
    with running_server(NEW, tiny_model, "-c", "32768", "-np", "4") as server:
        done = check(tmp_path, "--url", server.url)
        assert done.returncode == 2
        assert "client-unknown" in done.stdout
    down = check(tmp_path, "--url", server.url, "--context-window", "8192", "--max-tokens", "9")
    assert down.returncode == 2
    assert "down" in down.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--yes",), "--fix"),
        (("--fix", "--json"), "--json"),
        (("--fix", "--watch"), "--watch"),
        (("--client",), "--client"),
        (("--url", "ftp://x"), "ftp://x"),
        (("--client", "nobody", "--url", "http://127.0.0.1:9"), "nobody"),
    ],
)
def test_wrong_usage_is_one_sentence_and_exit_status_3(
    tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    done = check(tmp_path, *arguments)
    assert done.returncode == 3
    assert done.stdout == ""
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def test_one_client_may_be_judged_alone(tiny_model: Path, tmp_path: Path) -> None:
    with running_server(NEW, tiny_model, "-c", "32768", "-np", "4") as server:
        file = write_settings(tmp_path, server.port, 8192, 4096)
        other = f'[providers.other]\nbase_url = "{server.url}"\ncontext_window = 1\n'
        file.write_text(file.read_text() + other)
        assert check(tmp_path, "--url", server.url).returncode == 1
        assert check(tmp_path, "--url", server.url, "--client", "local").returncode == 0
        assert check(tmp_path, "--url", server.url, "--client", "other").returncode == 1


def test_watch_prints_what_comes_and_goes(tiny_model: Path, tmp_path: Path) -> None:
    with running_server(NEW, tiny_model, "-c", "32768", "-np", "4") as server:
        write_settings(tmp_path, server.port, 8192, 4096)
        watching = subprocess.Popen(
            [sys.executable, "-m", "mecha_tui", "check", "--watch", "--url", server.url],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
            cwd=tmp_path,
            env={**os.environ, "HOME": str(tmp_path), "PYTHONPATH": os.getcwd()},
        )
        try:
            assert watching.stdout is not None
            assert "the numbers agree" in watching.stdout.readline()
            write_settings(tmp_path, server.port, 9000, 4096)
            seen = _line_with("window-over-slot", watching)
            assert "appeared" in seen
            write_settings(tmp_path, server.port, 8192, 4096)
            assert "cleared" in _line_with("window-over-slot", watching)
        finally:
            watching.kill()
            watching.communicate()


def _line_with(words: str, process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return next(line for line in process.stdout if words in line)


@pytest.mark.skipif(os.getuid() != 0, reason="another user can only be taken on by root")
def test_a_server_of_another_user_is_unknown_and_says_why(tiny_model: Path, tmp_path: Path) -> None:
    run_as_nobody = (
        "import contextlib, io, os, sys\n"
        "from mecha_tui import cli\n"
        "with contextlib.redirect_stdout(io.StringIO()):  # loads all that nobody may not read\n"
        "    cli.main(['check', *sys.argv[1:]])\n"
        "os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        "sys.exit(cli.main(['check', '--json', *sys.argv[1:]]))"
    )
    by_hand = ("--context-window", "8192", "--max-tokens", "4096")
    with running_server(NEW, tiny_model, "-c", "32768", "-np", "4") as server:
        done = subprocess.run(
            [sys.executable, "-c", run_as_nobody, "--url", server.url, *by_hand],
            capture_output=True,
            text=True,
            env={**os.environ, "HOME": str(tmp_path), "PYTHONPATH": os.getcwd()},
        )
        assert done.stderr == ""
        (found,) = json.loads(done.stdout)["servers"]
    assert (done.returncode, found["agreement"]) == (2, "unknown")
    assert found["numbers"]["context_tokens"]["value"] is None
    assert "runs as user root" in found["numbers"]["context_tokens"]["reason"]
    assert found["numbers"]["reasoning_budget"]["value"] is None
    assert found["slot_window_tokens"] == 8192


@pytest.mark.skipif(OLD not in BUILDS, reason="the binary runs on Linux x86-64 only")
def test_a_routers_models_are_judged_by_preset_and_environment(
    tiny_model: Path, tmp_path: Path
) -> None:
    models = tmp_path / "models"
    models.mkdir()
    for name in ("alpha", "beta"):
        (models / f"{name}.gguf").symlink_to(tiny_model)
    preset = tmp_path / "preset.ini"
    preset.write_text(
        "version = 1\n[*]\nctx-size = 16384\n[alpha]\nnp = 2\nreasoning-budget = 512\n"
    )
    flags = ("--models-dir", str(models), "--models-preset", str(preset))
    environment = {"LLAMA_ARG_CACHE_RAM": "77"}
    by_hand = ("--context-window", "8192", "--max-tokens", "4096", "--json")
    with running_server(OLD, None, *flags, environment=environment) as server:
        unloaded = check(tmp_path, *by_hand, "--url", server.url)
        assert unloaded.returncode == 2
        request = urllib.request.Request(
            f"{server.url}/models/load",
            b'{"model": "alpha"}',
            {"Content-Type": "application/json"},
        )
        urllib.request.urlopen(request).close()
        wait_until(lambda: '"loaded"' in server.get("/models")[1], "alpha loaded")
        done = check(tmp_path, *by_hand, "--url", server.url)
        router, alpha = json.loads(done.stdout)["servers"]
        assert done.returncode == 0
        assert (router["role"], router["agreement"]) == ("router", "unknown")
        assert (alpha["model"], alpha["agreement"]) == ("alpha", "agree")
        assert alpha["numbers"]["context_tokens"]["value"] == 16384
        assert alpha["numbers"]["reasoning_budget"]["value"] == 512
        over = check(tmp_path, *by_hand[2:], "--context-window", "9000", "--url", server.url)
        assert over.returncode == 1
        cures = json.loads(over.stdout)["servers"][1]["findings"][0]["cures"]
        assert [one["line"] for one in cures] == ["context_window = 8192", "-c 18000"]
        assert "router's preset" in cures[1]["place"]
        assert '"id":"beta"' in server.get("/models")[1]
        assert server.get("/models")[1].count('"loaded"') == 1
