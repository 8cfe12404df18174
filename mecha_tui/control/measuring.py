"""Measures a server by requests of made-up words: what ``bench`` and ``restart`` send."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress

from mecha_tui.collect.http import Connection, Reply
from mecha_tui.collect.no_reply import NoReplyError
from mecha_tui.collect.target import Target
from mecha_tui.collect.wire.failures import failure_in
from mecha_tui.collect.wire.timings import TIMED_FIELDS, parse_timed, parse_tokens, too_long
from mecha_tui.core.bench import SHORT_PROMPT_TOKENS, SINGLE_TOKENS, Timed
from mecha_tui.core.replies import Failure
from mecha_tui.errors import MechaTuiError

REQUEST_LIMIT_S = 3600.0
_REPLY_LIMIT_BYTES = 32 * 1024 * 1024
"""A server that does not heed ``response_fields`` sends the prompt back."""
_WORD_COUNT = 256
_TELL_EVERY_S = 1.0

Told = Callable[[float], None]
"""Hears about once a second for how many seconds a request has run."""


class MeasuringError(MechaTuiError):
    """A measurement that could not be made, and why."""


class Subject:
    """A server, or one model of a router, that is measured.

    It sends what it is asked to send, once, and no more.
    """

    def __init__(
        self,
        target: Target,
        model_id: str | None = None,
        *,
        limit_s: float = REQUEST_LIMIT_S,
    ) -> None:
        self._connection = Connection(target.address, target.key)
        self._model_id = model_id
        self._limit_s = limit_s
        self._random = random.Random()  # noqa: S311  # made-up words need no secrecy
        self._vocabulary: tuple[int, ...] = ()

    async def learn(self, *, may_load: bool = False) -> None:
        """Ask for the tokens of some made-up words, from which prompts of any length are made.

        Args:
            may_load: Whether a router may load the model for it.

        Raises:
            MeasuringError: The server does not tell.
        """
        words = " ".join(self._word() for _ in range(_WORD_COUNT))
        body = {"content": words, "add_special": False, "parse_special": False}
        reply = await self._post("/tokenize", body, may_load=may_load)
        tokens = parse_tokens(reply.body)
        if not tokens:
            raise MeasuringError("the answer to /tokenize is not llama-server's: nothing was run")
        self._vocabulary = tokens

    def prompt(self, count: int) -> list[int]:
        """Return a prompt of exactly so many tokens, which no cache has met.

        The server is given tokens and not text, since how it cuts text is its own affair.
        """
        return self._random.choices(self._vocabulary, k=count)

    async def run(
        self,
        prompt: Sequence[int],
        tokens: int,
        *,
        slot_id: int | None = None,
        may_reuse: bool = False,
    ) -> Timed:
        """Let the server answer one prompt with exactly so many tokens.

        Args:
            prompt: Its tokens.
            tokens: How many are to be written.
            slot_id: In which slot; None leaves it to the server.
            may_reuse: Whether the server may take over what it holds of the prompt.

        Raises:
            MeasuringError: There was no answer, or one that ended early.
        """
        body: dict[str, object] = {
            "prompt": list(prompt),
            "n_predict": tokens,
            "ignore_eos": True,
            "cache_prompt": may_reuse,
            "return_tokens": True,
            "response_fields": TIMED_FIELDS,
        }
        if slot_id is not None:
            body["id_slot"] = slot_id
        began_s = time.monotonic()
        reply = await self._post("/completion", body)
        timed = parse_timed(reply.body, time.monotonic() - began_s)
        if timed is None:
            raise MeasuringError("the server's answer tells no timings, so nothing is known of it")
        if timed.writing.tokens < tokens:
            why = "its slot was full" if timed.is_truncated else "the server ended it early"
            raise MeasuringError(
                f"an answer of {timed.writing.tokens:,} tokens in place of {tokens:,}: {why}"
            )
        return timed

    async def _post(self, path: str, body: dict[str, object], *, may_load: bool = False) -> Reply:
        try:
            reply = await self._connection.post(
                path, body, self._limit_s, _REPLY_LIMIT_BYTES, self._model_id, may_load=may_load
            )
        except NoReplyError as error:
            raise MeasuringError(_unheard(error)) from None
        _refuse_failure(reply, path)
        return reply

    def _word(self) -> str:
        syllables = ("ba", "ke", "li", "mo", "nu", "ra", "si", "to", "ve", "za")
        return "".join(self._random.choices(syllables, k=self._random.randint(2, 4)))


async def single_stream(
    target: Target,
    *,
    model_id: str | None = None,
    tokens: int = SINGLE_TOKENS,
    limit_s: float = REQUEST_LIMIT_S,
    told: Told | None = None,
) -> Timed:
    """Write one answer with nothing reused, and return what the server timed.

    One short prompt is read and so many tokens are written, in a slot of the server's choice.

    Args:
        target: The server.
        model_id: The router's loaded model; it is never loaded for this.
        tokens: How many are to be written.
        limit_s: How long it may take.
        told: Hears about once a second how long it has taken.

    Raises:
        MeasuringError: There was no answer, or one that ended early.
    """
    subject = Subject(target, model_id, limit_s=limit_s)
    async with telling(told):
        await subject.learn()
        return await subject.run(subject.prompt(SHORT_PROMPT_TOKENS), tokens)


@asynccontextmanager
async def telling(told: Told | None) -> AsyncIterator[None]:
    """Tell about once a second how long the block has taken."""
    if told is None:
        yield
        return
    task = asyncio.create_task(_tell(told))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _tell(told: Told) -> None:
    began_s = time.monotonic()
    while True:
        await asyncio.sleep(_TELL_EVERY_S)
        told(time.monotonic() - began_s)


def _unheard(error: NoReplyError) -> str:
    if error.failure is Failure.DROPPED:
        return f"the server went away in the middle of a request ({error.detail})"
    return error.detail


def _refuse_failure(reply: Reply, path: str) -> None:
    found = too_long(reply.body) if reply.status >= 400 else None
    if found is not None:
        count, window = ("?" if one is None else f"{one:,}" for one in found)
        raise MeasuringError(
            f"a prompt of {count} tokens does not fit into {window}: ask for a shorter one"
        )
    trouble = failure_in(reply.status, reply.body, path)
    if trouble is not None:
        raise MeasuringError(trouble[1])
