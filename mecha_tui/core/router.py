"""What a router's list of models means for watching."""

from __future__ import annotations

from collections.abc import Iterable

from mecha_tui.core.server import Model

LOADED, SLEEPING = "loaded", "sleeping"
RUNNING_LIMIT = 64
"""So many models of one router are watched. Routers keep four by default, each a process."""


def running(models: Iterable[Model]) -> tuple[Model, ...]:
    """Return the models that have a process now, awake or asleep, and so can be watched."""
    return tuple(model for model in models if model.status in (LOADED, SLEEPING))


def unwatched_count(models: Iterable[Model]) -> int:
    """Return how many running models are left out, because there are too many."""
    return max(0, len(running(models)) - RUNNING_LIMIT)
