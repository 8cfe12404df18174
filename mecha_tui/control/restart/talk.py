"""Asks one server how it stands while it is restarted; wakes none and loads none."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TypeVar

from mecha_tui.collect.asking import Asker
from mecha_tui.collect.endpoints import HEALTH, PROPS, ROUTER_MODELS, SLOTS, Endpoint
from mecha_tui.collect.http import Connection
from mecha_tui.collect.target import Target
from mecha_tui.core.replies import Answer, Replies
from mecha_tui.core.server import Props
from mecha_tui.core.state import ServerState, condition

T = TypeVar("T")
LIMIT_S = 3.0


class Talk:
    """One server, or one model behind a router."""

    def __init__(self, target: Target, model_id: str | None = None) -> None:
        self.model_id = model_id
        self.connection = Connection(target.address, target.key)

    async def state(self) -> ServerState:
        """Return how the server stands, told by ``/health`` alone."""
        health = await self._ask(HEALTH, None)
        return condition(Replies(health=health)).state

    async def props(self) -> Props | None:
        """Return what it says of itself; None when it does not."""
        return (await self._ask(PROPS, self.model_id)).value

    async def in_flight(self) -> int | None:
        """Return how many requests are being worked on; None when it does not say."""
        props = await self.props()
        if props is not None and props.is_sleeping:
            return 0
        slots = (await self._ask(SLOTS, self.model_id)).value
        if slots is None or any(slot.is_processing is None for slot in slots):
            return None
        return sum(slot.is_processing is True for slot in slots)

    async def model_status(self) -> str | None:
        """Return what the router says of the model, such as ``loaded``; None for nothing."""
        models = (await self._ask(ROUTER_MODELS, None)).value or ()
        return next((one.status for one in models if one.model_id == self.model_id), None)

    async def aclose(self) -> None:
        """Close the connection."""
        await self.connection.aclose()

    async def _ask(self, endpoint: Endpoint[T], model_id: str | None) -> Answer[T]:
        patient = replace(endpoint, limit_s=LIMIT_S)
        return await Asker(patient, model_id, time.monotonic).ask(self.connection)
