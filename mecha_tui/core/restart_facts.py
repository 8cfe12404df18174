"""What a restart plan is made from: everything that was found out about a server's process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Ancestor:
    """A process above the server's."""

    pid: int
    name: str
    """Its program's name, safe to show."""
    is_wrapper: bool = False
    """Whether it is a shell or the like that does no more than start the server."""


@dataclass(frozen=True, slots=True)
class UnitFacts:
    """The systemd unit that a process runs in."""

    name: str
    """Exactly as systemd calls it, such as ``foo@bar\\x20baz.service``."""
    is_user: bool = False
    """Whether a user's systemd runs it."""
    main_pid: int | None = None
    """None where systemd does not say."""
    prefix: tuple[str, ...] | None = ()
    """What must stand before ``systemctl``, such as ``sudo -n``; None when it is not allowed."""


@dataclass(frozen=True, slots=True)
class ContainerFacts:
    """The container that a process runs in."""

    engine: str
    """``docker``, ``podman``, or one that is only recognised."""
    identifier: str
    is_answering: bool = True
    """Whether its engine may be asked."""


@dataclass(frozen=True, slots=True)
class ProcessCondition:
    """Whether a process could be started again as it was."""

    may_signal: bool = True
    is_readable: bool = True
    """Whether its command line, environment, folder and program may all be read."""
    is_program_gone: bool = False
    """Its program was deleted since, as by an update."""
    is_program_replaced: bool = False
    """Another file is at the program's path now."""
    is_folder_gone: bool = False
    is_model_gone: bool = False
    is_first_of_container: bool = False
    """It is the first process of the container that mecha-tui runs in, too."""
    tmux_pane: str | None = None
    """The tmux pane it runs in, such as ``%3``; None when it runs in none."""


@dataclass(frozen=True, slots=True)
class RestartFacts:
    """Everything that decides how a server can be restarted."""

    key: str
    url: str
    model_id: str | None = None
    is_local: bool = True
    pid: int | None = None
    started_wall_s: float | None = None
    why_no_process: str = ""
    arguments: Sequence[str] = field(default=(), repr=False)
    ancestors: tuple[Ancestor, ...] = ()
    """Parents, the nearest first, without the first process of the system."""
    unit: UnitFacts | None = None
    container: ContainerFacts | None = None
    supervisor: str | None = None
    """A service manager that is recognised and not supported; None for none."""
    supervised_name: str = ""
    """What that manager calls the server; empty when not known."""
    command: tuple[str, ...] = field(default=(), repr=False)
    """The ``restart_command`` of the settings."""
    has_shell: bool = False
    condition: ProcessCondition = ProcessCondition()
    model: str | None = None
