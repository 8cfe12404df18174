"""Asks one endpoint of one server, again and again, and remembers what that takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from mecha_tui.collect.endpoints import Endpoint
from mecha_tui.collect.http import Connection, Reply
from mecha_tui.collect.no_reply import NoReplyError
from mecha_tui.collect.wire.failures import failure_in
from mecha_tui.core.polling import PROBE_INTERVAL_S
from mecha_tui.core.replies import Answer, Failure

T = TypeVar("T")


class Asker(Generic[T]):
    """One endpoint of one server, or of one model behind a router."""

    def __init__(
        self, endpoint: Endpoint[T], model_id: str | None, clock: Callable[[], float]
    ) -> None:
        self.endpoint = endpoint
        self._model_id = model_id
        self._clock = clock
        self._asked_s: float | None = None
        self._silent_since_s: float | None = None
        self._body = b""
        self._value: T | None = None
        self._absence: Answer[T] | None = None

    async def ask(self, connection: Connection) -> Answer[T]:
        """Return the endpoint's answer; trouble is an answer, too."""
        asked_s = self._asked_s = self._clock()
        if self._silent_since_s is None:
            self._silent_since_s = asked_s
        endpoint = self.endpoint
        try:
            reply = await connection.get(
                endpoint.path, endpoint.limit_s, endpoint.cap_bytes, self._model_id
            )
        except NoReplyError as error:
            if error.failure is not Failure.PENDING:
                self._silent_since_s = None
            return Answer(asked_s, failure=error.failure, detail=error.detail)
        finally:
            self._asked_s = None
        self._silent_since_s = None
        answer = self._read(reply, asked_s)
        self._absence = answer if answer.failure in (Failure.OFF, Failure.MISSING) else None
        return answer

    def unanswered_s(self, now_s: float) -> float | None:
        """Return for how long there is no answer while one is awaited; None when none is."""
        if self._asked_s is None or self._silent_since_s is None:
            return None
        return now_s - self._silent_since_s

    def pending(self, now_s: float, more: str) -> Answer[T]:
        """Return the answer to give while the server owes one.

        Args:
            now_s: Monotonic seconds.
            more: What else is to be said, in words that continue the sentence.
        """
        asked_s = now_s if self._asked_s is None else self._asked_s
        waited_s = self.unanswered_s(now_s) or 0.0
        detail = f"no answer to {self.endpoint.path} for {waited_s:.0f} s{more}"
        return Answer(asked_s, failure=Failure.PENDING, detail=detail)

    @property
    def is_absent(self) -> bool:
        """Whether the endpoint was found off or missing when it was asked last."""
        return self._absence is not None

    def absence(self, now_s: float) -> Answer[T] | None:
        """Return the answer that still stands when the endpoint was found off or missing."""
        absence = self._absence
        if absence is None or now_s - absence.asked_s >= PROBE_INTERVAL_S:
            return None
        return absence

    def forget(self) -> None:
        """Start anew, because another process answers now."""
        self._absence = None
        self._body, self._value = b"", None

    def _read(self, reply: Reply, asked_s: float) -> Answer[T]:
        trouble = failure_in(reply.status, reply.body, self.endpoint.path)
        if trouble is not None:
            return Answer(asked_s, failure=trouble[0], detail=trouble[1])
        if reply.body != self._body or self._value is None:
            self._value = self.endpoint.parse(reply.body)
            self._body = reply.body
        if self._value is None:
            detail = f"the answer to {self.endpoint.path} is not llama-server's"
            return Answer(asked_s, failure=Failure.FOREIGN, detail=detail)
        return Answer(asked_s, self._value, taken_s=self._clock())
