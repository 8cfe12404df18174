"""Looks at one server round by round: one connection, one question at a time."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from mecha_tui.collect.address import ServerAddress
from mecha_tui.collect.asking import Asker
from mecha_tui.collect.endpoints import METRICS, MODELS, PROPS, ROUTER_MODELS, RUNNING, SLOTS
from mecha_tui.collect.health_check import HealthCheck
from mecha_tui.collect.http import ApiKey, Connection
from mecha_tui.collect.llama_swap import llama_swap
from mecha_tui.collect.manners import USUAL, Manners
from mecha_tui.collect.timing import LATE_WAIT_S, PATIENCE_S, Timing
from mecha_tui.collect.unasked import (
    ASLEEP,
    METRICS_OFF,
    METRICS_UNWANTED,
    RESTING,
    SLOTS_OFF,
    SPEAKS_FOR_ALL,
)
from mecha_tui.core.polling import (
    Looks,
    is_calm,
    is_metrics_due,
    is_models_due,
    is_props_due,
    is_resting,
    is_slots_due,
)
from mecha_tui.core.replies import Answer, Failure, Replies
from mecha_tui.core.server import Counters, Props, Role
from mecha_tui.core.slots import Slot
from mecha_tui.core.waiting import busy_count


class ServerLook:
    """One server, or one model behind a router, and what was asked of it so far."""

    def __init__(
        self,
        address: ServerAddress,
        key: ApiKey | None,
        timing: Timing,
        model_id: str | None = None,
        manners: Manners = USUAL,
    ) -> None:
        clock = self._clock = timing.clock
        self._round_limit_s = timing.round_limit_s
        self._model_id = model_id
        self._connection = Connection(address, key)
        self._health = HealthCheck(Connection(address, key), clock)
        self._props = Asker(PROPS, model_id, clock)
        self._slots = Asker(SLOTS, model_id, clock)
        self._metrics = Asker(METRICS, model_id, clock)
        self._models = Asker(MODELS, model_id, clock)
        self._router_models = Asker(ROUTER_MODELS, None, clock)
        self._manners = manners
        self._running = Asker(RUNNING, None, clock)
        self._looks = Looks(is_gentle=manners.is_gentle, is_once=manners.is_once)
        self._last_props = Props()
        self._replies = Replies()
        self._round: asyncio.Task[None] | None = None
        self._current: Asker[Any] | None = None
        self._says_slots_are_off = self._says_metrics_are_off = False

    @property
    def ports(self) -> frozenset[int]:
        """Our own ends' ports."""
        ports = (self._connection.local_port, self._health.local_port)
        return frozenset(port for port in ports if port is not None)

    @property
    def needs_connections(self) -> bool:
        """Whether other clients' connections decide anything: sleep, or an estimate."""
        are_metrics_off = self._says_metrics_are_off or self._metrics.is_absent
        is_counted = self._manners.wants_metrics and not are_metrics_off
        return not is_counted or self._looks.may_sleep is not False

    @property
    def looks(self) -> Looks:
        """What the looks so far told."""
        return self._looks

    @property
    def is_calm(self) -> bool:
        """Whether nothing goes on that a look at the usual pace would show sooner."""
        return self._round is None and is_calm(self._looks, self._clock())

    def tell(
        self, connections: int | None, sleep_idle_s: int | None, *, is_computing: bool | None
    ) -> None:
        """Take in what is known from elsewhere before the next look.

        Args:
            connections: Other clients' connections; None when they cannot be seen, or are
                not wanted.
            sleep_idle_s: ``--sleep-idle-seconds``, 0 or less for never; None if unknown.
            is_computing: Whether its process uses the processor; None when it is not seen.
        """
        self._looks = replace(
            self._looks,
            connections=connections,
            sleep_idle_s=sleep_idle_s,
            is_computing=is_computing,
        )

    def forget(self) -> None:
        """Start anew, because another process answers now."""
        self._looks = self._looks.anew()
        for asker in (self._props, self._slots, self._metrics, self._models):
            asker.forget()

    async def look(self) -> Replies:
        """Ask what is due, or go on waiting for what was asked, and return what came."""
        self._end_round()
        if self._round is None:
            self._round = asyncio.create_task(self._ask_round())
        limit_s = self._round_limit_s if self._late_s() is None else LATE_WAIT_S
        await asyncio.wait({self._round}, timeout=limit_s)
        self._end_round()
        if self._round is None:
            await self._health.leave()
        elif self._late_s() is not None:
            await self._tell_late()
        taken, self._replies = self._replies, Replies()
        return taken

    def asleep(self) -> Replies:
        """Return what is known of a model of which its router says that it sleeps."""
        now_s = self._clock()
        self._note_props(replace(self._last_props, is_sleeping=True))
        return Replies(props=Answer(now_s, self._last_props, taken_s=now_s))

    async def aclose(self) -> None:
        """End what is under way and close the connections."""
        ended, self._round = self._round, None
        if ended is not None:
            ended.cancel()
            await asyncio.gather(ended, return_exceptions=True)
        await self._connection.aclose()
        await self._health.aclose()

    def _end_round(self) -> None:
        if self._round is not None and self._round.done():
            ended, self._round = self._round, None
            ended.result()

    def _late_s(self) -> float | None:
        """Return how late the answer is that is awaited; None when none is late."""
        if self._current is None:
            return None
        waited_s = self._current.unanswered_s(self._clock())
        return waited_s if waited_s is not None and waited_s >= PATIENCE_S else None

    async def _tell_late(self) -> None:
        """Say which answer is late, and ask ``/health`` apart to tell busy from hung."""
        health = await self._health.check()
        now_s = self._clock()
        more = ", but /health answers: it is busy" if health.value else ", nor to /health"
        askers: dict[str, Asker[Any]] = {
            "props": self._props,
            "slots": self._slots,
            "metrics": self._metrics,
            "models": self._models if self._current is self._models else self._router_models,
        }
        late: dict[str, Any] = {
            name: asker.pending(now_s, more)
            for name, asker in askers.items()
            if asker is self._current
        }
        self._replies = replace(self._replies, health=health, **late)

    async def _ask_round(self) -> None:
        """Ask everything that is due, in an order in which one answer spares the next."""
        now_s = self._clock()
        if not await self._ask_props(now_s):
            return
        if self._last_props.role is Role.ROUTER:
            self._current = self._router_models
            models = await self._router_models.ask(self._connection)
            self._replies = replace(self._replies, models=models)
            return
        may_go_on = await self._ask_slots(now_s)
        if self._props.is_absent and self._slots.is_absent:
            self._current = self._running
            swap = await llama_swap(self._running, self._connection)
            if swap is not None:
                self._replies = swap
                return
        slots = self._replies.slots
        if slots is not None and slots.value is None and slots.failure is not Failure.RESTING:
            self._looks = replace(self._looks, props_s=None)  # it may be another server by now
        if not may_go_on:
            return
        await self._ask_metrics(now_s)
        if self._model_id is None and is_models_due(self._looks, now_s):
            await self._ask_models()

    async def _ask_props(self, now_s: float) -> bool:
        """Return whether there is a server to be asked more.

        That ``/props`` is missing is remembered only where ``/slots`` answers, as with old
        builds: a program that knows neither is no llama-server, and one may follow it.
        """
        absence = self._props.absence(now_s)
        if absence is not None and not self._slots.is_absent:
            self._replies = replace(self._replies, props=absence)
            return True
        if not is_props_due(self._looks, now_s):
            return True
        self._current = self._props
        was_absent = self._props.is_absent
        answer = await self._props.ask(self._connection)
        if was_absent and answer.value is not None:
            self.forget()
        self._replies = replace(self._replies, props=answer)
        if answer.value is None:
            self._looks = replace(self._looks, props_s=None)
        else:
            self._note_props(answer.value)
        return answer.failure not in SPEAKS_FOR_ALL

    def _note_props(self, props: Props) -> None:
        self._last_props = props
        looks = self._looks
        has_woken = looks.is_sleeping is True and not props.is_sleeping
        self._looks = replace(
            looks,
            props_s=self._clock(),
            is_sleeping=props.is_sleeping,
            has_slept=looks.has_slept or props.is_sleeping is True,
            slots_s=self._clock() if has_woken else looks.slots_s,
            idle_since_s=None if has_woken else looks.idle_since_s,
        )
        self._says_slots_are_off = props.has_slots_endpoint is False
        self._says_metrics_are_off = props.has_metrics_endpoint is False

    async def _ask_slots(self, now_s: float) -> bool:
        """Return whether the server may be asked more."""
        answer: Answer[tuple[Slot, ...]] | None = self._slots.absence(now_s)
        if answer is None and self._says_slots_are_off:
            answer = Answer(now_s, failure=Failure.OFF, detail=SLOTS_OFF)
        self._looks = replace(self._looks, has_slots=answer is None)
        if answer is None and is_resting(self._looks, now_s):
            detail = ASLEEP if self._looks.is_sleeping else RESTING
            answer = Answer(now_s, failure=Failure.RESTING, detail=detail)
        elif answer is None and is_slots_due(self._looks, now_s):
            self._current = self._slots
            answer = await self._slots.ask(self._connection)
        if answer is None:
            return True
        self._replies = replace(self._replies, slots=answer)
        if answer.value is not None:
            self._note_busy(busy_count(answer.value), len(answer.value))
        return answer.failure is Failure.FOREIGN or answer.failure not in SPEAKS_FOR_ALL

    async def _ask_metrics(self, now_s: float) -> None:
        answer: Answer[Counters] | None = self._metrics.absence(now_s)
        if not self._manners.wants_metrics:
            answer = Answer(now_s, failure=Failure.RESTING, detail=METRICS_UNWANTED)
        if answer is None and self._says_metrics_are_off:
            answer = Answer(now_s, failure=Failure.OFF, detail=METRICS_OFF)
        if answer is None and is_metrics_due(self._looks, now_s):
            self._current = self._metrics
            answer = await self._metrics.ask(self._connection)
            self._looks = replace(self._looks, metrics_s=self._clock())
        if answer is None:
            return
        self._replies = replace(self._replies, metrics=answer)
        deferred = None if answer.value is None else answer.value.deferred_requests
        self._looks = replace(self._looks, deferred=deferred)
        if answer.value is not None and not self._looks.has_slots:
            self._note_busy(answer.value.processing_requests, None)

    async def _ask_models(self) -> None:
        self._current = self._models
        answer = await self._models.ask(self._connection)
        self._looks = replace(self._looks, models_s=self._clock())
        self._replies = replace(self._replies, models=answer)

    def _note_busy(self, busy: int | None, slot_count: int | None) -> None:
        now_s = self._clock()
        since_s = self._looks.idle_since_s
        idle_since_s = (now_s if since_s is None else since_s) if busy == 0 else None
        self._looks = replace(
            self._looks,
            slots_s=now_s,
            busy=busy,
            slot_count=slot_count,
            idle_since_s=idle_since_s,
        )
