"""What the sampler is told by others: the process behind an address, its clients, memory.

Each source is called in a thread of its own, at a slower pace than the server, and may
take its time: the last value stands until there is a newer one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from mecha_tui.core.client import ClientPromise
from mecha_tui.core.launch import LaunchFlags
from mecha_tui.core.memory import Memory
from mecha_tui.core.sample import NOT_LOOKED
from mecha_tui.core.server import ServerProcess


@dataclass(frozen=True, slots=True)
class ProcessFacts:
    """What is known of the process that answers at an address."""

    process: ServerProcess | None = None
    why_no_process: str = NOT_LOOKED
    launch: LaunchFlags = field(default_factory=LaunchFlags)
    connections: int | None = None
    """Established connections to the server, ours included; None when not visible."""


ProcessSource = Callable[[str], ProcessFacts]
"""Finds the process behind a server's address (``ServerAddress.url``)."""
ClientSource = Callable[[str], tuple[ClientPromise, ...]]
"""Finds the clients that point at a server's address."""
MemorySource = Callable[[ServerProcess | None], Memory]
"""Reads where memory stands, and what one process holds of it."""
LaunchSource = Callable[[tuple[str, ...]], ProcessFacts]
"""Finds the process of a command line, as a router gives it for its children."""

CpuSource = Callable[[ServerProcess], "float | None"]
"""Tells the seconds that a process has used the processor; None when it cannot be seen."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Where everything comes from that the server does not say itself."""

    processes: ProcessSource
    clients: ClientSource
    memory: MemorySource
    launch: LaunchSource
    cpu: CpuSource


def no_processes(url: str) -> ProcessFacts:
    """Return nothing: the source to use where processes are not looked for."""
    del url
    return ProcessFacts()


def no_clients(url: str) -> tuple[ClientPromise, ...]:
    """Return no client."""
    del url
    return ()


def no_memory(process: ServerProcess | None) -> Memory:
    """Return memory of which nothing was read."""
    del process
    return Memory()


def no_launch(arguments: tuple[str, ...]) -> ProcessFacts:
    """Return nothing."""
    del arguments
    return ProcessFacts()


def no_cpu(process: ServerProcess) -> float | None:
    """Return nothing."""
    del process
    return None
