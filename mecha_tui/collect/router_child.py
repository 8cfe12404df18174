"""One model behind a router, which runs it in a process of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from mecha_tui.collect.background import Background
from mecha_tui.collect.computing import Computing
from mecha_tui.collect.connections import count_in
from mecha_tui.collect.server_look import ServerLook
from mecha_tui.collect.sources import ProcessFacts, Sources
from mecha_tui.core.memory import Memory
from mecha_tui.core.replies import Answer, Replies
from mecha_tui.core.router import LOADED
from mecha_tui.core.sample import ServerSample
from mecha_tui.core.server import Model

MEMORY_INTERVAL_S = 2.0


class RouterChild:
    """Samples one model: by the router's door, and by its own process where that is seen."""

    def __init__(self, look: ServerLook, sources: Sources, clock: Callable[[], float]) -> None:
        self._look = look
        self._sources = sources
        self._clock = clock
        self._computing = Computing(sources.cpu, clock)
        self._memory: Background[Memory | None] = Background(None, MEMORY_INTERVAL_S)
        self._facts = ProcessFacts()

    @property
    def is_calm(self) -> bool:
        """Whether nothing goes on that a look at the usual pace would show sooner."""
        return self._look.is_calm

    async def look(self, own: ServerSample, model: Model, tables: bytes) -> ServerSample:
        """Look once.

        Args:
            own: The router's own sample of this round.
            model: What the router says of the model.
            tables: The kernel's tables of sockets; empty where they tell nothing.
        """
        arguments = model.arguments or ()
        facts = ProcessFacts() if model.arguments is None else self._sources.launch(arguments)
        if facts.process != self._facts.process:
            self._memory = Background(None, MEMORY_INTERVAL_S)
        self._facts = facts
        connections = _connections(own, arguments, tables)
        is_computing = await self._computing.decide(facts)
        sleep_idle_s = facts.launch.sleep_idle_s.value
        self._look.tell(connections, sleep_idle_s, is_computing=is_computing)
        replies = await self._look.look() if model.status == LOADED else self._look.asleep()
        now_s = self._clock()
        models: Answer[tuple[Model, ...]] = Answer(now_s, (model,), taken_s=now_s)
        sample = self.sample(own, model, replace(replies, models=models))
        return replace(sample, connections=connections)

    def sample(self, own: ServerSample, model: Model, replies: Replies) -> ServerSample:
        """Return a sample of the model with some replies."""
        facts, looks = self._facts, self._look.looks
        if facts.process is not None:
            self._memory.refresh(lambda: self._sources.memory(facts.process), self._clock())
        return replace(
            own,
            model_id=model.model_id,
            replies=replies,
            connections=None,
            process=facts.process,
            why_no_process=facts.why_no_process,
            launch=facts.launch,
            memory=self._memory.value or own.memory,
            is_own_memory=self._memory.value is not None,
            log=None,
            is_quiet=looks.is_quiet,
            may_keep_awake=looks.may_keep_awake and looks.props_s is not None,
        )

    async def aclose(self) -> None:
        """Close every connection."""
        await self._look.aclose()


def _connections(own: ServerSample, arguments: tuple[str, ...], tables: bytes) -> int | None:
    """Count the router's connections to a child; ours through it end with their answers."""
    if not tables or "--port" not in arguments[:-1]:
        return None
    port = arguments[arguments.index("--port") + 1]
    if not (port.isdecimal() and len(port) <= 5 and 0 < int(port) < 65536):
        return None
    return count_in(tables, int(port), frozenset(), is_known=own.process is not None)
