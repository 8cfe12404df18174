"""llama-servers in containers that publish a port: their engine knows how they were started.

A container with a network of its own is reached through a forwarder, so the process that
owns the port is not the server. Whoever may ask Docker or Podman is told the rest.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from mecha_tui.collect.clients.values import as_table
from mecha_tui.collect.control_group import SHORT_ID
from mecha_tui.collect.printed import printed
from mecha_tui.collect.program import is_llama_server

ENGINES = ("docker", "podman")
_PUBLISHED = re.compile(r":(\d+)(?:-(\d+))?->")
_ID = re.compile(r"[0-9a-f]{12,64}")

Ask = Callable[[tuple[str, ...]], str]
"""Runs an engine's command and returns what it prints; empty where it may not be asked."""


@dataclass(frozen=True, slots=True)
class Container:
    """One container that runs llama-server."""

    name: str
    """Such as ``docker 0123456789ab``."""
    pid: int | None
    """Its process as this machine counts; None where it runs in a machine of its own."""
    arguments: tuple[str, ...] = field(repr=False)
    environment: Mapping[str, str] = field(repr=False)


def container_at(port: int, ask: Ask = printed) -> Container | None:
    """Return the only container that publishes a port and runs llama-server."""
    found = [
        container
        for engine in ENGINES
        for identifier in _publishing(ask((engine, *_LIST)), port)
        if (container := _inspected(engine, ask((engine, "inspect", identifier)))) is not None
    ]
    return found[0] if len(found) == 1 else None


_LIST = ("ps", "--no-trunc", "--format", "{{.ID}} {{.Ports}}")


def _publishing(listed: str, port: int) -> list[str]:
    """Return the containers that publish a port, out of an engine's list."""
    found = []
    for line in listed.splitlines():
        identifier, _, ports = line.partition(" ")
        ranges = ((int(low), int(high or low)) for low, high in _PUBLISHED.findall(ports))
        if _ID.fullmatch(identifier) and any(low <= port <= high for low, high in ranges):
            found.append(identifier)
    return found


def _inspected(engine: str, shown: str) -> Container | None:
    try:
        listed = json.loads(shown)
    except ValueError:
        return None
    table = as_table(listed[0]) if isinstance(listed, list) and listed else {}
    path, more = table.get("Path"), table.get("Args")
    words = [path, *(more if isinstance(more, list) else [])]
    arguments = tuple(word for word in words if isinstance(word, str))
    if not is_llama_server(arguments):
        return None
    told = as_table(table.get("Config")).get("Env")
    pairs = [str(one).partition("=") for one in (told if isinstance(told, list) else [])]
    pid = as_table(table.get("State")).get("Pid")
    return Container(
        name=f"{engine} {str(table.get('Id', ''))[:SHORT_ID]}",
        pid=pid if type(pid) is int and pid > 0 else None,
        arguments=arguments,
        environment={name: value for name, _, value in pairs},
    )
