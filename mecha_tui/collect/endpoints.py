"""The questions that can be asked of a llama-server, with their limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from mecha_tui.collect.wire.health import parse_health
from mecha_tui.collect.wire.metrics import parse_metrics
from mecha_tui.collect.wire.models import parse_models, parse_running
from mecha_tui.collect.wire.props import parse_props
from mecha_tui.collect.wire.slots import parse_slots
from mecha_tui.core.server import Counters, Model, Props
from mecha_tui.core.slots import Slot

T_co = TypeVar("T_co", covariant=True)

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Endpoint(Generic[T_co]):
    """One thing to ask: where, for how long, how much to take, and how to read it."""

    path: str
    parse: Callable[[bytes], T_co | None]
    """Turns a body into a value; None for a body of another shape."""
    limit_s: float
    """After this long without a whole reply the question is given up."""
    cap_bytes: int
    """A longer reply is not read to its end."""


HEALTH: Endpoint[bool] = Endpoint("/health", parse_health, 10.0, MIB // 16)
PROPS: Endpoint[Props] = Endpoint("/props", parse_props, 20.0, 4 * MIB)
SLOTS: Endpoint[tuple[Slot, ...]] = Endpoint("/slots", parse_slots, 120.0, 8 * MIB)
METRICS: Endpoint[Counters] = Endpoint("/metrics", parse_metrics, 120.0, 2 * MIB)
MODELS: Endpoint[tuple[Model, ...]] = Endpoint("/v1/models", parse_models, 20.0, 4 * MIB)
RUNNING: Endpoint[tuple[Model, ...]] = Endpoint("/running", parse_running, 20.0, 4 * MIB)
ROUTER_MODELS: Endpoint[tuple[Model, ...]] = Endpoint("/models", parse_models, 20.0, 4 * MIB)
