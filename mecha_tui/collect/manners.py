"""How gently a server is to be watched."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Manners:
    """What the user wants to be left unasked."""

    is_gentle: bool = False
    """Whether a server of which nobody knows if it sleeps is treated as if it did."""
    is_once: bool = False
    """Whether this is a single look, which may be one of many in a loop."""
    wants_metrics: bool = True
    """Whether ``/metrics`` may be read, which resets the averages of others that read it."""


USUAL = Manners()
