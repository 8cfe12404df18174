"""What the local process behind a server's address tells: who it is, and how it was started."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace

import psutil

from mecha_tui.collect.address import parse_address
from mecha_tui.collect.container import Ask, Container, container_at
from mecha_tui.collect.control_group import owner_of_process
from mecha_tui.collect.model_file import shape_for_process
from mecha_tui.collect.printed import printed
from mecha_tui.collect.program import is_llama_server, shown_name
from mecha_tui.collect.sockets import Door, Listener, listener
from mecha_tui.collect.sources import ProcessFacts
from mecha_tui.collect.systemd_unit import Show, Unit, shown_services, unit_at
from mecha_tui.core.command_line import ARGV, launch_flags
from mecha_tui.core.flag_table import VARIABLES
from mecha_tui.core.server import ServerProcess

SUPERVISOR_INTERVAL_S = 60.0
"""How often systemd and engines are asked about a process that may not be looked at."""


class LocalProcesses:
    """Finds the process behind an address, and finds it anew once it was replaced.

    A :data:`~mecha_tui.collect.sources.ProcessSource`.
    """

    def __init__(self, show: Show = shown_services, ask: Ask = printed) -> None:
        self._show = show
        self._ask = ask
        self._known: dict[str, tuple[Listener, ProcessFacts]] = {}
        self._told: dict[str, tuple[float, ProcessFacts | None]] = {}

    def __call__(self, url: str) -> ProcessFacts:
        """Return the facts. This reads files of the system and may take some milliseconds."""
        before = self._known.get(url)
        if before is not None and _is_same(*before):
            return before[1]
        address = parse_address(url)
        found = listener(Door(address.host, address.port, address.socket_path))
        facts = _nobody(found.reason) if found.pid is None else facts_of(found.pid)
        if facts.process is None and (found.pid is not None or found.is_hidden):
            facts = self._by_supervisor(url, address.port, found) or facts
        self._known[url] = found, facts
        return facts

    def _by_supervisor(self, url: str, port: int, found: Listener) -> ProcessFacts | None:
        """Return what systemd or a container engine says, asked now and then only."""
        now_s = time.monotonic()
        asked_s, facts = self._told.get(url, (-SUPERVISOR_INTERVAL_S, None))
        if now_s < asked_s + SUPERVISOR_INTERVAL_S:
            return facts
        facts = None
        unit = None if found.owner_uid is None else unit_at(port, self._show)
        if unit is not None and found.owner_uid is not None:
            facts = facts_of_unit(unit, found.owner_uid)
        if facts is None:
            container = container_at(port, self._ask)
            facts = None if container is None else facts_of_container(container)
        self._told[url] = now_s, facts
        return facts


def _is_same(found: Listener, facts: ProcessFacts) -> bool:
    """Whether nothing changed; a hidden process is the same as long as it is still there."""
    if facts.process is None or not (found.is_listening or found.is_hidden):
        return False
    started_wall_s = _started_wall_s(facts.process.pid)
    return started_wall_s is not None and started_wall_s == facts.process.started_wall_s


def facts_of_unit(unit: Unit, owner_uid: int) -> ProcessFacts | None:
    """Return what a unit tells of its process; None where that is not whose socket it is."""
    try:
        process = psutil.Process(unit.pid)
        started_wall_s, uids = process.create_time(), process.uids()
        running = process.cmdline()
    except psutil.Error:
        return None
    if uids.effective != owner_uid:
        return None
    is_seen = is_llama_server(running)
    launch = launch_flags(
        running if is_seen else unit.arguments,
        None if unit.environment is None else _read_by_servers(unit.environment),
        unit.why_no_environment,
        source=ARGV if is_seen else unit.name,
    )
    launch = replace(launch, model=shape_for_process(unit.pid, launch.model_path))
    return ProcessFacts(ServerProcess(unit.pid, started_wall_s, unit.name), "", launch)


def facts_of_container(container: Container) -> ProcessFacts | None:
    """Return what an engine tells of its container; None where its process is not seen."""
    if container.pid is None:
        return None
    launch = launch_flags(container.arguments, _read_by_servers(container.environment))
    launch = replace(launch, model=shape_for_process(container.pid, launch.model_path))
    started_wall_s = _started_wall_s(container.pid)
    return ProcessFacts(ServerProcess(container.pid, started_wall_s, container.name), "", launch)


def facts_of(pid: int) -> ProcessFacts:
    """Return what is known of a process that listens where a server answers."""
    started_wall_s = _started_wall_s(pid)
    process = ServerProcess(pid, started_wall_s, owner_of_process(pid))
    try:
        arguments = psutil.Process(pid).cmdline()
    except psutil.AccessDenied:
        why = f"the command line of process {pid} may not be read"
        return ProcessFacts(process, "", launch_flags(None, None, why))
    except psutil.Error:
        return _nobody("its process ended while it was looked at")
    if not is_llama_server(arguments):
        name = shown_name(arguments)
        return _nobody(f"{name} (pid {pid}) listens there, which is not llama-server itself")
    environment = _environment(pid)
    why = f"the environment of process {pid} may not be read"
    launch = launch_flags(arguments, environment, why)
    launch = replace(launch, model=shape_for_process(pid, launch.model_path))
    return ProcessFacts(process, "", launch)


def _nobody(reason: str) -> ProcessFacts:
    return ProcessFacts(None, reason, launch_flags(None, None, reason))


def _started_wall_s(pid: int) -> float | None:
    try:
        return psutil.Process(pid).create_time()
    except psutil.Error:
        return None


def _environment(pid: int) -> Mapping[str, str] | None:
    """Return the variables that llama-server reads; no other leaves this function."""
    try:
        everything = psutil.Process(pid).environ()
    except (OSError, psutil.Error):
        return None
    return _read_by_servers(everything)


def _read_by_servers(everything: Mapping[str, str]) -> Mapping[str, str]:
    return {name: everything[name] for name in VARIABLES if name in everything}
