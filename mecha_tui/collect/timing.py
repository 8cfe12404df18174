"""By which clock a sampler goes, and how long it waits."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

ROUND_LIMIT_S = 0.8
PATIENCE_S = 1.5
"""An answer that takes longer is told to be late."""
LATE_WAIT_S = 0.05
"""A round waits so long for one that is late already."""


@dataclass(frozen=True, slots=True)
class Timing:
    """What all parts of one sampler share."""

    clock: Callable[[], float] = time.monotonic
    """Monotonic seconds."""
    round_limit_s: float = ROUND_LIMIT_S
    """A round does not wait longer than this for an answer that is not late yet."""
