"""What the local process behind a server's address tells: who it is, and how it was started."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import psutil

from mecha_tui.collect.address import parse_address
from mecha_tui.collect.control_group import owner_of_process
from mecha_tui.collect.model_file import shape_for_path, shape_for_process
from mecha_tui.collect.sockets import Door, Listener, listener
from mecha_tui.collect.sources import ProcessFacts
from mecha_tui.core.command_line import VARIABLES, launch_flags
from mecha_tui.core.launch import LaunchFlags
from mecha_tui.core.server import ServerProcess

_PROGRAM = re.compile(r"\.?llama[-_]?server.*|llama(\.exe)?|llamafile.*|server(\.exe)?")
_INTERPRETER = re.compile(r"python[\d.]*(\.exe)?|(ba|da|z)?sh")
_MODULES = ("mecha_tui.demo.server",)
_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_NAME_LIMIT = 40


class LocalProcesses:
    """Finds the process behind an address, and finds it anew once it was replaced.

    A :data:`~mecha_tui.collect.sources.ProcessSource`.
    """

    def __init__(self) -> None:
        self._known: dict[str, tuple[Listener, ProcessFacts]] = {}

    def __call__(self, url: str) -> ProcessFacts:
        """Return the facts. This reads files of the system and may take some milliseconds."""
        before = self._known.get(url)
        if before is not None and _is_same(*before):
            return before[1]
        address = parse_address(url)
        found = listener(Door(address.host, address.port, address.socket_path))
        facts = _nobody(found.reason) if found.pid is None else facts_of(found.pid)
        self._known[url] = found, facts
        return facts


def router_child_flags(arguments: Sequence[str]) -> LaunchFlags:
    """Return the launch flags of a model that a router runs, from its full command line."""
    launch = launch_flags(arguments, {}, source="router")
    return replace(launch, model=shape_for_path(launch.model_path))


def _is_same(found: Listener, facts: ProcessFacts) -> bool:
    if facts.process is None or not found.is_listening:
        return False
    return _started_wall_s(facts.process.pid) == facts.process.started_wall_s


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


def is_llama_server(arguments: Sequence[str]) -> bool:
    """Whether a command line starts llama-server, directly or through an interpreter."""
    names = [_base_name(argument) for argument in arguments[:3]]
    if not names:
        return False
    if _INTERPRETER.fullmatch(names[0]) and len(names) > 1:
        if names[1] == "-m":
            return names[-1] in _MODULES
        return _PROGRAM.fullmatch(names[1]) is not None
    return _PROGRAM.fullmatch(names[0]) is not None


def shown_name(arguments: Sequence[str]) -> str:
    """Return a program's name, safe to show; nothing else of its command line is ever shown."""
    name = _UNSAFE.sub("", _base_name(arguments[0]) if arguments else "")
    return name[:_NAME_LIMIT] or "another program"


def _nobody(reason: str) -> ProcessFacts:
    return ProcessFacts(None, reason, launch_flags(None, None, reason))


def _base_name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


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
    return {name: everything[name] for name in VARIABLES if name in everything}
