"""The processes and launch flags of the models that a router runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import psutil

from mecha_tui.collect.background import Background
from mecha_tui.collect.model_file import shape_for_path
from mecha_tui.collect.process import facts_of
from mecha_tui.collect.sockets import Door, listener
from mecha_tui.collect.sources import ProcessFacts
from mecha_tui.core.command_line import launch_flags, listening_place
from mecha_tui.core.sample import NOT_LOOKED
from mecha_tui.core.secrets import masked_arguments
from mecha_tui.core.text import plain_text

INTERVAL_S = 5.0
MODEL_LIMIT = 100
"""A model that is loaded again has another port, and so another command line."""
CHILD = "the router runs it in a process of its own"
ENVIRONMENT_UNSEEN = "the router's environment, which its models take over, was not seen"
ARGUMENT_LIMIT = 4000


class RouterModels:
    """Finds a model's process and flags by the command line that a router gives for it.

    The environment counts too, and the router does not tell it: where the model's process
    runs on this machine, it is looked at. Reading goes on in a thread.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known: dict[tuple[str, ...], Background[ProcessFacts]] = {}

    def __call__(self, arguments: tuple[str, ...]) -> ProcessFacts:
        """Return the newest facts; until they were read for the first time, unknown ones."""
        known = self._known.get(arguments)
        if known is None:
            if len(self._known) >= MODEL_LIMIT:
                self._known.clear()
            first = launch_flags(None, None, NOT_LOOKED)
            first = replace(first, sleep_idle_s=launch_flags(arguments, None).sleep_idle_s)
            known = self._known[arguments] = Background(
                ProcessFacts(None, CHILD, first), INTERVAL_S
            )
        known.refresh(lambda: facts_of_model(arguments), self._clock())
        return known.value


def facts_of_model(arguments: Sequence[str]) -> ProcessFacts:
    """Return a model's process where it is found, and else what its arguments tell."""
    pid = _process_of(arguments)
    facts = None if pid is None else facts_of(pid)
    if facts is not None and facts.process is not None:
        return facts
    launch = launch_flags(arguments, None, ENVIRONMENT_UNSEEN, source="router")
    launch = replace(launch, model=shape_for_path(launch.model_path))
    return ProcessFacts(None, CHILD, launch)


def _process_of(arguments: Sequence[str]) -> int | None:
    """Return the local process that listens where the arguments say and was started by them."""
    host, port = listening_place(arguments, None)
    found = listener(Door(host, port))
    if found.pid is None:
        return None
    try:
        running = psutil.Process(found.pid).cmdline()
    except psutil.Error:
        return None
    seen = tuple(plain_text(word, ARGUMENT_LIMIT) for word in masked_arguments(running))
    return found.pid if seen == tuple(arguments) else None
