"""Finds out who owns a server's process, and whether that owner may be asked. Changes nothing."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace

import psutil

from mecha_tui.collect.address import parse_address
from mecha_tui.collect.control_group import container_of, groups_of, unit_of
from mecha_tui.collect.printed import printed, succeeds
from mecha_tui.collect.process import LocalProcesses
from mecha_tui.collect.program import shown_name
from mecha_tui.collect.sockets import is_local
from mecha_tui.control.restart.origin import Origin, read_origin
from mecha_tui.core.restart_facts import (
    Ancestor,
    ContainerFacts,
    ProcessCondition,
    RestartFacts,
    UnitFacts,
)
from mecha_tui.core.text import plain_text
from mecha_tui.errors import MechaTuiError

_SHELLS = ("sh", "bash", "dash", "zsh", "ash", "fish")
_WRAPPERS = ("env", "nice", "ionice", "numactl", "taskset", "stdbuf", "tini", "dumb-init", "sudo")
_SUPERVISORS = {
    "supervisord": "supervisord",
    "runsv": "runit",
    "s6-supervise": "s6",
    "supervise": "daemontools",
    "supervise-daemon": "openrc",
    "llama-swap": "llama-swap",
}
_NAMES = {"supervisord": b"SUPERVISOR_PROCESS_NAME", "pm2": b"name"}
"""The variables in which a manager tells the process what it calls it."""


@dataclass(frozen=True, slots=True)
class Configured:
    """The ``restart_command`` that the settings give for a server."""

    argv: tuple[str, ...] = ()
    has_shell: bool = False


@dataclass(frozen=True, slots=True)
class Asking:
    """How other programs are asked; tests put their own here."""

    printed: Callable[[tuple[str, ...]], str] = printed
    succeeds: Callable[[tuple[str, ...]], bool] = succeeds


def facts_of_server(
    key: str, configured: Configured, asking: Asking
) -> tuple[RestartFacts, Origin | None]:
    """Return what decides how a server can be restarted, and how its process was started.

    Args:
        key: The server's address, with ``#`` and a model for one behind a router.
        configured: The command of the settings.
        asking: How other programs are asked.
    """
    url, _, model_id = key.partition("#")
    address = parse_address(url)
    facts = RestartFacts(
        key,
        address.url,
        model_id or None,
        is_local=address.socket_path is not None or is_local(address.host),
        command=configured.argv,
        has_shell=configured.has_shell,
    )
    if model_id or not facts.is_local:
        return facts, None
    found = LocalProcesses()(address.url)
    if found.process is None:
        return replace(facts, why_no_process=found.why_no_process), None
    pid = found.process.pid
    groups = groups_of(pid)
    ancestors, supervisor, name = _above(pid, groups, asking)
    origin, condition = _condition(pid, found.launch.model_path.value)
    facts = replace(
        facts,
        pid=pid,
        started_wall_s=found.process.started_wall_s,
        arguments=() if origin is None else tuple(map(os.fsdecode, origin.arguments)),
        ancestors=ancestors,
        unit=_unit(groups, pid, asking),
        container=_container(groups, found.process.unit, asking),
        supervisor=supervisor,
        supervised_name=name,
        condition=condition,
    )
    return facts, origin


def _above(pid: int, groups: str, asking: Asking) -> tuple[tuple[Ancestor, ...], str | None, str]:
    """Return the parents, the service manager among them, and what it calls the server."""
    ancestors = []
    supervisor, name = ("Kubernetes", "") if "kubepods" in groups else (None, "")
    try:
        parents = psutil.Process(pid).parents()
    except psutil.Error:
        parents = []
    for parent in parents:
        try:
            words, program = parent.cmdline(), parent.name()
        except psutil.Error:
            continue
        if parent.pid != 1:
            ancestors.append(Ancestor(parent.pid, shown_name([program]), _is_wrapper(words)))
        kind = _supervisor(program, words)
        if kind is not None and supervisor is None:
            supervisor, name = kind, _supervised_name(kind, pid, words)
    if supervisor is None and sys.platform == "darwin":
        lines = (line.split("\t") for line in asking.printed(("launchctl", "list")).splitlines())
        labels = [fields[2] for fields in lines if len(fields) == 3 and fields[0] == str(pid)]
        if labels:
            supervisor, name = "launchd", f"gui/{os.getuid()}/{plain_text(labels[0])}"
    return tuple(ancestors), supervisor, name


def _is_wrapper(words: list[str]) -> bool:
    """Whether a program does no more than run another: a script, not a shell one types in."""
    name = shown_name(words).lstrip("-")
    if name in _SHELLS:
        return len(words) > 1 and not words[0].startswith("-") and words[1] not in ("-i", "-l")
    return name in _WRAPPERS


def _supervisor(program: str, words: list[str]) -> str | None:
    if program in _SUPERVISORS:
        return _SUPERVISORS[program]
    if any(word.endswith("/supervisord") for word in words[:2]):
        return "supervisord"
    return "pm2" if program.startswith("PM2") or "God Daemon" in " ".join(words[:3]) else None


def _supervised_name(kind: str, pid: int, words: list[str]) -> str:
    variable = _NAMES.get(kind)
    if variable is None:
        return plain_text(words[1]) if len(words) > 1 else ""
    try:
        origin = read_origin(pid)
    except MechaTuiError:
        return ""
    pairs = (one.partition(b"=") for one in origin.environment)
    found = next((value for name, _, value in pairs if name == variable), b"")
    return plain_text(os.fsdecode(found))


def _condition(pid: int, model_path: str | None) -> tuple[Origin | None, ProcessCondition]:
    try:
        uids = psutil.Process(pid).uids()
    except psutil.Error:
        return None, ProcessCondition(is_readable=False)
    may_signal = os.geteuid() == 0 or os.geteuid() in (uids.real, uids.saved)
    try:
        origin = read_origin(pid)
    except MechaTuiError:
        return None, ProcessCondition(may_signal=may_signal, is_readable=False)
    is_model_gone = model_path is not None and not os.path.exists(
        os.path.join(os.fsdecode(origin.folder), model_path)
    )
    panes = [one for one in origin.environment if one.startswith(b"TMUX_PANE=")]
    return origin, ProcessCondition(
        may_signal=may_signal,
        is_readable=_shares_files(pid),
        is_program_gone=origin.is_program_gone,
        is_program_replaced=origin.is_program_replaced,
        is_folder_gone=origin.is_folder_gone,
        is_model_gone=is_model_gone,
        is_first_of_container=pid == 1,
        tmux_pane=plain_text(os.fsdecode(panes[0].partition(b"=")[2])) if panes else None,
    )


def _shares_files(pid: int) -> bool:
    """Whether a process sees the same files and network, so that it can be started from here."""
    try:
        return all(
            os.readlink(f"/proc/{pid}/ns/{kind}") == os.readlink(f"/proc/self/ns/{kind}")
            for kind in ("mnt", "net", "pid")
        )
    except OSError:
        return False


def _unit(groups: str, pid: int, asking: Asking) -> UnitFacts | None:
    told = unit_of(groups)
    if told is None:
        return None
    name, is_user = told
    user = ("--user",) if is_user else ()
    shown = asking.printed(("systemctl", *user, "show", "--property=MainPID", "--value", name))
    main = shown.strip()
    main_pid = int(main) if main.isdigit() and int(main) else None
    return UnitFacts(name, is_user, main_pid, _prefix(name, pid, asking, is_user=is_user))


def _prefix(name: str, pid: int, asking: Asking, *, is_user: bool) -> tuple[str, ...] | None:
    """Return what goes before ``systemctl``; None when this user may not restart the unit."""
    if is_user:
        try:
            return () if psutil.Process(pid).uids().real == os.getuid() else None
        except psutil.Error:
            return None
    if os.geteuid() == 0:
        return ()
    action = "org.freedesktop.systemd1.manage-units"
    if asking.succeeds(("pkcheck", "--action-id", action, "--process", str(os.getpid()))):
        return ()
    allowed = asking.succeeds(("sudo", "-n", "-l", "systemctl", "restart", name))
    return ("sudo", "-n") if allowed else None


def _container(groups: str, owner: str | None, asking: Asking) -> ContainerFacts | None:
    told = container_of(groups)
    if told is None and owner is not None and owner.split(" ")[0] in ("docker", "podman"):
        engine, _, identifier = owner.partition(" ")
        told = engine, identifier
    if told is None:
        return None
    engine, identifier = told
    shown = asking.printed((engine, "inspect", "--format", "{{.Id}}", identifier))
    return ContainerFacts(engine, identifier, identifier in shown)
