"""One address that is watched: a server, or a router with all its loaded models."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from dataclasses import dataclass

from mecha_tui.collect.address import ServerAddress
from mecha_tui.collect.background import Background
from mecha_tui.collect.computing import Computing
from mecha_tui.collect.connections import connections_to, connections_to_socket, read_tables
from mecha_tui.collect.http import ApiKey
from mecha_tui.collect.log_watch import LogWatch
from mecha_tui.collect.manners import USUAL, Manners
from mecha_tui.collect.router_child import MEMORY_INTERVAL_S, RouterChild
from mecha_tui.collect.server_look import ServerLook
from mecha_tui.collect.sources import ProcessFacts, Sources
from mecha_tui.collect.timing import Timing
from mecha_tui.core.client import ClientPromise
from mecha_tui.core.memory import Memory
from mecha_tui.core.polling import are_connections_wanted
from mecha_tui.core.replies import Replies
from mecha_tui.core.router import LOADED, RUNNING_LIMIT, SLEEPING, running
from mecha_tui.core.sample import ServerSample
from mecha_tui.core.server import Model
from mecha_tui.core.state import ServerState, condition

PROCESS_INTERVAL_S = 5.0
CLIENTS_INTERVAL_S = 5.0
RESTART_MEMORY_INTERVAL_S = 0.5
"""Memory moves fast while a server ends or loads, and one wants to see it settle."""
RESTART_LIMIT_S = 120.0
"""A server that is down for longer is not being restarted."""
FIRST_FACTS_WAIT_S = 0.5
"""The first round waits so long for the process: its flags decide what may be asked."""


@dataclass(frozen=True, slots=True)
class Target:
    """What to watch, and with which key."""

    address: ServerAddress
    key: ApiKey | None = None
    manners: Manners = USUAL


class WatchedTarget:
    """Samples one target, round by round."""

    def __init__(self, target: Target, sources: Sources, timing: Timing) -> None:
        self._target = target
        self._sources = sources
        self._timing = timing
        self._clock = timing.clock
        self._look = ServerLook(target.address, target.key, timing, None, target.manners)
        self._computing = Computing(sources.cpu, timing.clock)
        self._children: dict[str, RouterChild] = {}
        self._facts = Background(ProcessFacts(), PROCESS_INTERVAL_S)
        self._clients: Background[tuple[ClientPromise, ...]] = Background((), CLIENTS_INTERVAL_S)
        self._memory = Background(Memory(), MEMORY_INTERVAL_S)
        self._log = LogWatch()
        self._ran_before: tuple[Model, ...] = ()
        self._is_first = True
        self._is_model_on_its_way = False
        self._state: ServerState | None = None
        self._state_since_s = 0.0
        self._pid: int | None = None

    @property
    def url(self) -> str:
        """The address without credentials."""
        return self._target.address.url

    @property
    def is_calm(self) -> bool:
        """Whether nothing goes on that a look at the usual pace would show sooner."""
        if self._is_model_on_its_way or self._state in (ServerState.DOWN, ServerState.LOADING):
            return False
        return self._look.is_calm and all(child.is_calm for child in self._children.values())

    @property
    def is_away(self) -> bool:
        """Whether nothing has answered for longer than a restart takes."""
        is_lost = self._state in (ServerState.DOWN, ServerState.NOT_LLAMA_SERVER)
        return is_lost and self._clock() - self._state_since_s >= RESTART_LIMIT_S

    async def sample(self) -> tuple[ServerSample, ...]:
        """Look once; more than one sample comes from a router with loaded models."""
        await self._refresh()
        facts = self._facts.value
        connections = self._connections(facts) if are_connections_wanted(self._look.looks) else None
        self._look.tell(
            connections,
            facts.launch.sleep_idle_s.value,
            is_computing=await self._computing.decide(facts),
        )
        replies = await self._look.look()
        self._note_return(replies)
        looks = self._look.looks
        own = ServerSample(
            url=self._target.address.url,
            replies=replies,
            connections=connections,
            process=facts.process,
            why_no_process=facts.why_no_process,
            is_quiet=looks.is_quiet,
            may_keep_awake=looks.may_keep_awake and looks.props_s is not None,
            launch=facts.launch,
            clients=self._clients.value,
            memory=self._memory.value,
            log=self._log.look(facts.process, self._clock()),
        )
        self._is_model_on_its_way = _is_model_on_its_way(replies)
        models = _running(replies)
        if models is None:
            return (own, *self._unasked_children(own))
        return (own, *await self._sample_children(own, models))

    async def aclose(self) -> None:
        """Close every connection."""
        children = (child.aclose() for child in self._children.values())
        await asyncio.gather(self._look.aclose(), *children)

    async def _refresh(self) -> None:
        """Take over what the slow sources have read, and begin what is due."""
        now_s, url = self._clock(), self._target.address.url
        is_first, self._is_first = self._is_first, False
        self._clients.refresh(lambda: self._sources.clients(url), now_s)
        reading = self._facts.refresh(lambda: self._sources.processes(url), now_s)
        if is_first and reading is not None:
            await _wait_for(reading, FIRST_FACTS_WAIT_S)
            self._facts.take()
        process = self._facts.value.process
        if process is not None and process.pid != self._pid:
            if self._pid is not None:
                self._look.forget()
            self._pid = process.pid
            self._memory.hurry()
        interval_s = self._memory_interval_s(now_s)
        self._memory.refresh(lambda: self._sources.memory(process), now_s, interval_s)

    def _memory_interval_s(self, now_s: float) -> float:
        is_moving = self._state in (ServerState.DOWN, ServerState.LOADING)
        if is_moving and now_s - self._state_since_s < RESTART_LIMIT_S:
            return RESTART_MEMORY_INTERVAL_S
        return MEMORY_INTERVAL_S

    def _note_return(self, replies: Replies) -> None:
        """Look for the process anew at once when a server comes back: it is likely another."""
        now = condition(replies).state
        if now is ServerState.CONNECTING:
            return
        if now is self._state:
            return
        if self._state is not None:
            self._facts.hurry()
        self._state, self._state_since_s = now, self._clock()

    def _connections(self, facts: ProcessFacts) -> int | None:
        address = self._target.address
        if not address.is_loopback:
            return facts.connections
        if not self._look.needs_connections:
            return None
        if address.socket_path is not None:
            return connections_to_socket(address.socket_path)
        is_known = facts.process is not None
        return connections_to(address.port, self._look.ports, is_known=is_known)

    def _unasked_children(self, own: ServerSample) -> list[ServerSample]:
        """Return the models of a router that did not say this round which are loaded."""
        failed = own.replies.props if own.replies.props and own.replies.props.failure else None
        return [
            self._children[model.model_id].sample(own, model, Replies(props=failed))
            for model in self._ran_before
        ]

    async def _sample_children(
        self, own: ServerSample, models: tuple[Model, ...]
    ) -> list[ServerSample]:
        self._ran_before = models
        names = {model.model_id for model in models}
        for name in [name for name in self._children if name not in names]:
            await self._children.pop(name).aclose()
        tables = read_tables() if self._target.address.is_loopback else b""
        asked = (self._child(model).look(own, model, tables) for model in models)
        return list(await asyncio.gather(*asked))

    def _child(self, model: Model) -> RouterChild:
        child = self._children.get(model.model_id)
        if child is None:
            target, name = self._target, model.model_id
            look = ServerLook(target.address, target.key, self._timing, name, target.manners)
            child = self._children[name] = RouterChild(look, self._sources, self._clock)
        return child


async def _wait_for(reading: Future[ProcessFacts], limit_s: float) -> None:
    """Wait for a thread without leaving it a callback into a loop that may have ended."""
    loop = asyncio.get_running_loop()
    deadline_s = loop.time() + limit_s
    while not reading.done() and loop.time() < deadline_s:  # noqa: ASYNC110  # a thread ends it
        await asyncio.sleep(0.005)


def _running(replies: Replies) -> tuple[Model, ...] | None:
    """Return a router's loaded and sleeping models; None when this round did not tell."""
    if replies.models is None or replies.models.value is None:
        return None
    return running(replies.models.value)[:RUNNING_LIMIT]


def _is_model_on_its_way(replies: Replies) -> bool:
    """Whether a router loads or fetches a model, or does what has no name here."""
    models = replies.models.value if replies.models is not None else None
    return any(one.status not in (LOADED, SLEEPING, "unloaded", None) for one in models or ())
