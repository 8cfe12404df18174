"""Who answers at an address, who did before, and how one came after the other."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from enum import Enum

from mecha_tui.core.server import ServerProcess


class Proof(Enum):
    """What showed that another server answers."""

    PROCESS = "process"
    MODEL = "model"
    """Another model, or another build."""
    LOADING = "loading"
    """It loads a model though it was ready, and waking from sleep does not look like that."""
    COUNTERS = "counters"
    """Its counters went back."""
    TASKS = "tasks"
    """Its task numbers went back."""
    SLOTS = "slots"
    """It was away, and no slot remembers a task."""


@dataclass(frozen=True, slots=True)
class Identity:
    """One server, as far as it can be told from others. What nobody said is None."""

    process: ServerProcess | None = None
    model_path: str | None = None
    model_name: str | None = None
    build: str | None = None
    window_tokens: int | None = None
    """What one slot may hold."""
    slot_count: int | None = None

    def filled(self, more: Identity) -> Identity:
        """Return it with what a newer look knows."""
        values = {one.name: getattr(more, one.name) for one in fields(more)}
        return replace(self, **{name: one for name, one in values.items() if one is not None})

    def is_as(self, other: Identity) -> bool:
        """Whether both are one server for all that is known: its process, else model and build."""
        if self.process is not None and other.process is not None:
            return self.process == other.process
        is_told = self.model_path is not None or self.build is not None
        return is_told and (self.model_path, self.build) == (other.model_path, other.build)


@dataclass(frozen=True, slots=True)
class Replacement:
    """One server that came after another at the same address; one event."""

    number: int
    """Which one it is, from one: a newer telling of the same number adds what was learnt."""
    began_s: float
    """Monotonic second of the first proof."""
    then: Identity
    now: Identity
    proofs: tuple[Proof, ...]
    away_s: float | None = None
    """How long nobody answered in between; None when it was too short to be seen."""
    is_alternating: bool = False
    """Whether the two answer in turns: both run, behind one port."""
    by: str = ""
    """Who did it, when that is known: ``you (systemd llama.service)``."""

    @property
    def is_other_model(self) -> bool:
        """Whether another model is served than before; not known is no."""
        pair = (self.then.model_path, self.now.model_path)
        return None not in pair and pair[0] != pair[1]

    @property
    def word(self) -> str:
        """What kind of replacement it is, in a word that stays the same."""
        if self.is_alternating:
            return "two-servers"
        return "other-model" if self.is_other_model else "restarted"


@dataclass(frozen=True, slots=True)
class Succession:
    """What is remembered of the servers at one address."""

    now: Identity = Identity()
    former: tuple[tuple[Identity, float], ...] = ()
    """Those before, newest first, each with the monotonic second at which it was last seen."""
    task_id: int | None = None
    """The highest task number seen since the server started; None before the first task."""
    has_slept: bool = False
    """Whether it slept since that task, for waking makes the slots as new."""
    away_since_s: float | None = None
    """Since when nobody, or one that loads, is there; None while someone answers."""
    back_s: float | None = None
    """When someone answered again after the last absence."""
    last_absence_s: float | None = None
    """How long the last absence took."""
    replacement: Replacement | None = None
    """The last one."""
    is_told: bool = False
    """Whether somebody answers since, so that it is an event."""
