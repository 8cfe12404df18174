"""What ``systemctl show`` prints of a service stands in for a process that may not be read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mecha_tui.collect.systemd_unit import Unit, unit_at, units
from mecha_tui.core.command_line import launch_flags


def service(
    name: str = "llama.service",
    pid: int = 4711,
    command: str = "/usr/bin/llama-server -np 2 --port 39899",
    more: str = "",
) -> str:
    """Return one service as systemd 252 prints it."""
    path = command.split(" ")[0]
    return (
        f"MainPID={pid}\n"
        f"ExecStart={{ path={path} ; argv[]={command} ; ignore_errors=no ; start_time=[n/a] ; "
        f"stop_time=[n/a] ; pid={pid} ; code=(null) ; status=0/0 }}\n"
        f"{more}Id={name}\n"
    )


OTHERS = (
    "MainPID=0\nExecStart={ path=journalctl ; argv[]=journalctl --flush ; ignore_errors=no ; "
    "start_time=[n/a] ; stop_time=[n/a] ; pid=45 ; code=exited ; status=0 }\nEnvironment=\n"
    "Id=systemd-journal-flush.service\n\nMainPID=36\nId=systemd-journald.service\n"
)


def only(shown: str) -> Unit:
    (unit,) = units(shown)
    return unit


def test_a_units_command_and_environment_are_read() -> None:
    more = 'Environment=LLAMA_ARG_CTX_SIZE=8192 "OTHER=a b"\n'
    unit = only(f"{OTHERS}\n{service(more=more)}")
    assert (unit.name, unit.pid) == ("llama.service", 4711)
    assert unit.environment == {"LLAMA_ARG_CTX_SIZE": "8192", "OTHER": "a b"}
    flags = launch_flags(unit.arguments, unit.environment, source=unit.name)
    assert (flags.slots.value, flags.slots.source) == (2, "llama.service")
    assert flags.context_tokens.value == 8192


def test_an_environment_file_gives_values_and_words(tmp_path: Path) -> None:
    file = tmp_path / "llama.env"
    file.write_text(
        '# why\n; not\nEXTRA="--reasoning-budget 512"\nONE=--metrics\nLLAMA_ARG_UBATCH=64'
    )
    command = "/usr/bin/llama-server $EXTRA ${ONE} $ABSENT"
    unit = only(service(command=command, more=f"EnvironmentFiles={file} (ignore_errors=no)\n"))
    assert unit.arguments == ("/usr/bin/llama-server", "--reasoning-budget", "512", "--metrics")
    assert unit.environment is not None
    assert unit.environment["LLAMA_ARG_UBATCH"] == "64"


def test_a_file_that_may_be_missing_is_left_out(tmp_path: Path) -> None:
    unit = only(service(more=f"EnvironmentFiles={tmp_path}/gone (ignore_errors=yes)\n"))
    assert unit.environment == {}


@pytest.mark.parametrize("is_there", [True, False])
def test_a_file_that_cannot_be_read_leaves_the_environment_unknown(
    tmp_path: Path, is_there: bool
) -> None:
    file = tmp_path / "llama.env"
    if is_there:
        file.mkdir()
    unit = only(service(more=f"EnvironmentFiles={file} (ignore_errors=no)\n"))
    assert unit.environment is None
    assert str(file) in unit.why_no_environment
    flags = launch_flags(unit.arguments, None, unit.why_no_environment)
    assert flags.slots.value == 2
    assert "EnvironmentFile" in str(flags.reasoning_budget.reason)


def test_the_unit_at_a_port_is_taken_only_where_there_is_one() -> None:
    one = service()
    other = service("other.service", 4712)
    assert unit_at(39899, lambda: one) == only(one)
    assert unit_at(39899, lambda: f"{one}\n{other}") is None
    assert unit_at(8080, lambda: one) is None
    assert unit_at(39899, lambda: "") is None
    by_default = service(command="/usr/bin/llama-server -c 1")
    assert unit_at(8080, lambda: by_default) is not None


@pytest.mark.parametrize(
    "shown",
    [
        "",
        "\n\n\n",
        "garbage",
        service(pid=0),
        service(command="/usr/bin/nginx -c x"),
        "MainPID=x\nExecStart={ argv[]=llama-server ; ignore_errors=no }\n",
    ],
)
def test_what_is_no_running_llama_server_is_no_unit(shown: str) -> None:
    assert list(units(shown)) == []


def test_a_unit_never_shows_its_command_or_its_environment() -> None:
    unit = only(
        service(command="/usr/bin/llama-server --api-key sk-7", more="Environment=K=sk-7\n")
    )
    assert "sk-7" not in repr(unit)
    assert os.sep in unit.arguments[0]
