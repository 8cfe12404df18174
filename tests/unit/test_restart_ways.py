"""Which way a server is restarted, told from facts alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mecha_tui.core.restart import Method, RestartPlan
from mecha_tui.core.restart_facts import (
    Ancestor,
    ContainerFacts,
    ProcessCondition,
    RestartFacts,
    UnitFacts,
)
from mecha_tui.core.restart_ways import SUPERVISORS, restart_plan

URL = "http://127.0.0.1:8080"
ALONE = RestartFacts(
    URL, URL, pid=7, started_wall_s=1.0, arguments=("llama-server", "--api-key", "sk-7")
)
UNIT = UnitFacts("llama@a\\x20b.service", main_pid=7)
TMUX = Ancestor(5, "tmux: server")
SCRIPT = Ancestor(6, "run.sh", is_wrapper=True)


def argv_of(plan: RestartPlan) -> tuple[str, ...]:
    assert plan.chosen is not None
    return plan.chosen.steps[0].argv


def method_of(plan: RestartPlan) -> Method:
    assert plan.chosen is not None
    return plan.chosen.method


def test_a_process_that_nobody_owns_is_ended_and_started_as_it_was() -> None:
    plan = restart_plan(ALONE)
    assert method_of(plan) is Method.PROCESS
    assert plan.can_run
    assert plan.chosen is not None
    assert plan.chosen.steps[2].shown_argv == ("llama-server", "--api-key", "***")


def test_a_unit_is_named_as_one_argument_exactly_as_systemd_calls_it() -> None:
    plan = restart_plan(replace(ALONE, unit=UNIT))
    assert argv_of(plan) == ("systemctl", "restart", "llama@a\\x20b.service")
    (other,) = plan.others
    assert other.method is Method.PROCESS
    assert "could start a second one" in other.refusal


def test_a_users_unit_is_asked_of_the_users_systemd() -> None:
    plan = restart_plan(replace(ALONE, unit=replace(UNIT, is_user=True)))
    assert method_of(plan) is Method.SYSTEMD_USER
    assert argv_of(plan) == ("systemctl", "--user", "restart", UNIT.name)


def test_sudo_is_used_only_where_it_is_allowed_already() -> None:
    allowed = restart_plan(replace(ALONE, unit=replace(UNIT, prefix=("sudo", "-n"))))
    assert argv_of(allowed)[:3] == ("sudo", "-n", "systemctl")
    refused = restart_plan(replace(ALONE, unit=replace(UNIT, prefix=None)))
    assert method_of(refused) is Method.SYSTEMD
    assert not refused.can_run
    assert "sudo systemctl restart" in refused.why_not


def test_a_script_between_unit_and_server_is_the_units_own() -> None:
    unit = replace(UNIT, main_pid=SCRIPT.pid)
    plan = restart_plan(replace(ALONE, unit=unit, ancestors=(SCRIPT,)))
    assert method_of(plan) is Method.SYSTEMD


def test_a_unit_that_only_holds_a_terminal_multiplexer_is_left_alone() -> None:
    unit = UnitFacts("tmux.service", main_pid=TMUX.pid)
    plan = restart_plan(replace(ALONE, unit=unit, ancestors=(TMUX,)))
    assert method_of(plan) is Method.PROCESS
    assert plan.can_run
    assert "more than this server" in plan.others[0].refusal


def test_a_container_within_a_unit_belongs_to_the_unit() -> None:
    container = ContainerFacts("podman", "a" * 64)
    alone = restart_plan(replace(ALONE, container=container))
    assert argv_of(alone) == ("podman", "restart", "a" * 64)
    assert alone.others == ()
    both = restart_plan(replace(ALONE, container=container, unit=replace(UNIT, main_pid=99)))
    assert method_of(both) is Method.SYSTEMD
    assert [way.method for way in both.others] == [Method.PODMAN]


def test_an_engine_that_may_not_be_asked_is_said() -> None:
    container = ContainerFacts("docker", "a" * 64, is_answering=False)
    assert "may not be asked" in restart_plan(replace(ALONE, container=container)).why_not


@pytest.mark.parametrize("supervisor", sorted(SUPERVISORS))
def test_other_service_managers_are_recognised_and_told_how(supervisor: str) -> None:
    plan = restart_plan(replace(ALONE, supervisor=supervisor, supervised_name="llama"))
    assert plan.chosen is None
    assert SUPERVISORS[supervisor].format(name="llama") in plan.why_not


def test_the_settings_command_goes_before_everything() -> None:
    command = ("/usr/local/bin/again", "--token", "t")
    plan = restart_plan(replace(ALONE, unit=UNIT, command=command, supervisor="pm2"))
    assert method_of(plan) is Method.COMMAND
    assert argv_of(plan) == command
    assert plan.others[0].method is Method.SYSTEMD


def test_a_server_elsewhere_is_restarted_only_by_router_or_command() -> None:
    elsewhere = replace(ALONE, is_local=False, pid=None)
    assert "another machine" in restart_plan(elsewhere).why_not
    assert method_of(restart_plan(replace(elsewhere, command=("ssh", "gb10")))) is Method.COMMAND
    model = replace(elsewhere, model_id="m")
    assert method_of(restart_plan(model)) is Method.ROUTER


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        (ProcessCondition(may_signal=False), "another user"),
        (ProcessCondition(is_readable=False), "may not be read"),
        (ProcessCondition(is_program_gone=True), "program was deleted"),
        (ProcessCondition(is_folder_gone=True), "folder it runs in is gone"),
        (ProcessCondition(is_model_gone=True), "model file is gone"),
        (ProcessCondition(is_first_of_container=True), "container from outside"),
    ],
)
def test_what_could_not_be_started_again_is_not_stopped(
    condition: ProcessCondition, words: str
) -> None:
    plan = restart_plan(replace(ALONE, condition=condition))
    assert not plan.can_run
    assert words in plan.why_not


def test_a_wrapper_and_a_tmux_pane_are_told_before() -> None:
    condition = ProcessCondition(tmux_pane="%3", is_program_replaced=True)
    plan = restart_plan(replace(ALONE, ancestors=(SCRIPT,), condition=condition))
    assert plan.chosen is not None
    notes = " ".join(plan.chosen.notes)
    assert "run.sh (pid 6)" in notes
    assert "tmux pane %3" in notes
    assert "the new one is started" in notes


def test_the_way_that_the_user_asks_for_is_taken_when_it_exists() -> None:
    facts = replace(ALONE, unit=UNIT)
    assert not restart_plan(facts, Method.PROCESS).can_run
    assert "does not own" in restart_plan(facts, Method.DOCKER).why_not


def test_a_server_without_a_process_says_why() -> None:
    facts = replace(ALONE, pid=None, why_no_process="it runs behind a tunnel")
    assert restart_plan(facts).why_not == "it runs behind a tunnel"
