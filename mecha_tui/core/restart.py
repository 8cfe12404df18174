"""A restart as data: the plan that is shown first, its progress, and how it ended."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from mecha_tui.core.secrets import masked_arguments


class Method(Enum):
    """Who is asked to restart the server."""

    SYSTEMD = "systemd"
    """A unit of the system's own systemd."""
    SYSTEMD_USER = "systemd-user"
    """A unit of a user's systemd."""
    DOCKER = "docker"
    PODMAN = "podman"
    ROUTER = "router"
    """A model is unloaded and loaded again; the router and its other models stay."""
    COMMAND = "command"
    """The ``restart_command`` of the settings."""
    PROCESS = "process"
    """Nobody owns the process: it is ended and started again as it was."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that a restart does."""

    words: str
    """What it does, for the user."""
    argv: tuple[str, ...] = field(default=(), repr=False)
    """The exact command; empty for what mecha-tui does by itself. It may hold secrets."""
    has_shell: bool = False
    """Whether the one word of the command is given to a shell, as the settings ask."""

    @property
    def shown_argv(self) -> tuple[str, ...]:
        """The command with every key and token replaced by ``***``."""
        return masked_arguments(self.argv)


@dataclass(frozen=True, slots=True)
class Way:
    """One way to restart a server."""

    method: Method
    owner: str
    """Who owns the process, such as ``llama.service``; for the user."""
    steps: tuple[Step, ...] = ()
    refusal: str = ""
    """Why this way cannot be gone, and what to do; empty when it can."""
    notes: tuple[str, ...] = ()
    """What one has to know before, such as a wrapper around the server."""
    target: str = ""
    """The unit, container or model that is meant, exactly as its owner calls it."""


@dataclass(frozen=True, slots=True)
class RestartPlan:
    """What a restart would do, before anything is done."""

    key: str
    """The server's key (:attr:`~mecha_tui.core.sample.ServerSample.key`)."""
    url: str
    model_id: str | None = None
    """The router's model that is meant; None for a server of its own."""
    chosen: Way | None = None
    """None when the server cannot be restarted from here; ``refusal`` says why."""
    others: tuple[Way, ...] = ()
    """The ways not chosen; the outermost owner of the process goes first."""
    refusal: str = ""
    pid: int | None = None
    """The process that listens now; None when nothing does, or it is not visible."""
    started_wall_s: float | None = None
    """Its start, in seconds since the epoch: with the pid it names one process for good."""
    model: str | None = None
    """The model served now; None when the server did not say."""
    in_flight: int | None = None
    """Requests being worked on when it was made; None when the server did not say."""

    @property
    def can_run(self) -> bool:
        """Whether there is a way that may be gone."""
        return self.chosen is not None and not self.chosen.refusal

    @property
    def why_not(self) -> str:
        """Why it cannot run; empty when it can."""
        if self.can_run:
            return ""
        return self.refusal or (self.chosen.refusal if self.chosen is not None else "")


class Stage(Enum):
    """How far a restart has come; the value is the word for the user."""

    WAITING = "waiting until idle"
    STOPPING = "stopping"
    STOPPED = "stopped"
    SETTLED = "memory settled"
    LOADING = "loading"
    READY = "ready"
    MEASURED = "measured"


@dataclass(frozen=True, slots=True)
class Mark:
    """A stage that was reached."""

    stage: Stage
    at_s: float
    """Seconds since the restart began."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a restart stands; each report has everything so far."""

    marks: tuple[Mark, ...] = ()
    """The stages reached, in order."""
    now_s: float = 0.0
    """Seconds since the restart began."""
    note: str = ""
    """What is waited for, in words."""
    in_flight: int | None = None
    """Requests being worked on; None when the server does not say."""
    can_cancel: bool = False
    """Whether stopping here leaves the server as it was."""
    log_name: str = ""
    """Where the lines of ``tail`` come from, for the user."""
    tail: tuple[str, ...] = ()
    """The log's last lines, without secrets."""

    @property
    def stage(self) -> Stage | None:
        """The stage reached last; None before the first."""
        return self.marks[-1].stage if self.marks else None


class Verdict(Enum):
    """How a restart ended."""

    AS_USUAL = "back, and as fast as usual"
    SLOWER = "back, but slower"
    UNKNOWN = "back; its speed is not yet known"
    NOT_BACK = "not back"
    REFUSED = "refused"
    CANCELLED = "cancelled"

    @property
    def is_back(self) -> bool:
        """Whether the server answers again, and is the new one."""
        return self in (Verdict.AS_USUAL, Verdict.SLOWER, Verdict.UNKNOWN)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a restart ended, and the one thing to do next."""

    verdict: Verdict
    cause: str = ""
    """Why, in one sentence: the failure's cause, or what the speed was compared with."""
    next_step: str = ""
    """The one thing to do now; empty when nothing is left to do."""
    state_now: str = ""
    """What state things are in now, after a failure."""
    marks: tuple[Mark, ...] = ()
    old_pid: int | None = None
    new_pid: int | None = None
    changes: tuple[str, ...] = ()
    """What is not as it was before, such as another model or window."""
    tokens_per_s: float | None = None
    """Writing speed of the measured run; None when none was made."""
    usual_tokens_per_s: float | None = None
    """What it was compared with; None while there is no usual speed."""
    load_s: float | None = None
    """Seconds from the new process to ready; None when it did not become ready."""
    log_name: str = ""
    tail: tuple[str, ...] = ()

    @property
    def exit_status(self) -> int:
        """0 back and not known to be slow, 1 back but slow, 2 not back, 4 refused."""
        if self.verdict.is_back:
            return 1 if self.verdict is Verdict.SLOWER else 0
        return 2 if self.verdict is Verdict.NOT_BACK else 4


class Question(Enum):
    """What only the user may decide while a restart goes on; the value asks it."""

    FORCE = "It did not stop. End it by force (SIGKILL)? Requests in flight are lost."
    CUT = "It is still busy. Stop it now all the same? Requests in flight are lost."
    RESET_FAILED = "systemd counts too many starts. Reset the count and start it again?"


@dataclass(frozen=True, slots=True)
class RestartOptions:
    """What the user chose."""

    when_idle_s: float | None = None
    """Wait at most so long for the server to be idle; None starts at once."""
    timeout_s: float = 600.0
    """How long the server may take to be ready again."""
    patience_s: float = 20.0
    """How long one SIGTERM may take before force is offered: a batch is finished first."""
    may_measure: bool = False
    """Whether a short measured run may follow."""
    reason: str = ""
    """Why, in the user's words; kept in the history."""


@dataclass(frozen=True, slots=True)
class PastRestart:
    """One restart of the history."""

    wall_s: float
    """When it began, in seconds since the epoch."""
    key: str
    method: str
    reason: str
    verdict: str
    cause: str
    total_s: float
    load_s: float | None = None
    tokens_per_s: float | None = None
    usual_tokens_per_s: float | None = None


Report = Callable[[Progress], None]
"""Is told whenever something changed, and about twice a second."""
Decide = Callable[[Question], Awaitable[bool]]
"""Asks the user; False leaves things as they are."""


class Restarter(Protocol):
    """Anything that can restart a server: the real one, or a test's script."""

    async def plan(self, key: str) -> RestartPlan:
        """Find out which way the server would be restarted. Changes nothing."""
        ...

    async def run(
        self, plan: RestartPlan, options: RestartOptions, report: Report, decide: Decide
    ) -> Outcome:
        """Do exactly what the plan shows; trouble is told in the outcome."""
        ...

    def cancel(self) -> bool:
        """Ask the restart under way to stop; False where that would not be safe."""
        ...

    async def left_over(self) -> tuple[str, ...]:
        """Return what a restart cut short left behind, in sentences; empty for nothing."""
        ...

    async def usual_load_s(self, key: str) -> float | None:
        """Return how long loading took, the median of the history; None without one."""
        ...
