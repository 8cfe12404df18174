"""Runs a benchmark's plan on a server, one part after another."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from functools import partial

from mecha_tui.control.measuring import Subject, telling
from mecha_tui.core.bench import SHORT_PROMPT_TOKENS, BenchResults, Rate, StreamsRun, Timed, Turn
from mecha_tui.core.bench_plan import MESSAGE_TOKENS, RUNS, BenchPlan, Part

Told = Callable[[Part, int, int, float], None]
"""Hears the part, the number of its run, of how many, and for how many seconds it has run."""


class Benchmark:
    """A plan on one server."""

    def __init__(
        self, subject: Subject, plan: BenchPlan, slot_id: int | None, told: Told | None = None
    ) -> None:
        """Make it ready.

        Args:
            subject: What is measured; it has learnt its words when this runs.
            plan: What is run.
            slot_id: Where one request alone runs; None leaves it to the server.
            told: Hears of the progress.
        """
        self._subject = subject
        self._plan = plan
        self._slot_id = slot_id
        self._told = told
        self.results = BenchResults()

    async def run(self) -> None:
        """Run it all; ``results`` grows with each run, and keeps what was measured before an end.

        Raises:
            MeasuringError: A run failed.
        """
        for part in self._plan.parts:
            conversation: list[int] = []
            count = self._plan.turns if part is Part.AFFINITY else RUNS
            for number in range(1, count + 1):
                self._tell(part, number, count, 0.0)
                async with telling(partial(self._tell, part, number, count)):
                    self.results = await self._step(part, self.results, conversation)

    async def _step(
        self, part: Part, results: BenchResults, conversation: list[int]
    ) -> BenchResults:
        if part is Part.SINGLE:
            return results.with_single(await self._alone(SHORT_PROMPT_TOKENS, self._plan.tokens))
        if part is Part.STREAMS:
            return results.with_streams(await self._streams())
        if part is Part.READING:
            return results.with_reading(await self._alone(self._plan.prompt_tokens, 1))
        return results.with_turn(await self._turn(conversation))

    async def _alone(self, prompt_tokens: int, tokens: int) -> Timed:
        subject = self._subject
        return await subject.run(subject.prompt(prompt_tokens), tokens, slot_id=self._slot_id)

    async def _streams(self) -> StreamsRun:
        """Write several answers at once; when one fails, the others are ended."""
        subject, plan = self._subject, self._plan
        prompts = [subject.prompt(SHORT_PROMPT_TOKENS) for _ in range(plan.streams)]
        began_s = time.monotonic()
        tasks = [asyncio.create_task(subject.run(prompt, plan.tokens)) for prompt in prompts]
        try:
            timed = await asyncio.gather(*tasks)
            wall_s = time.monotonic() - began_s
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        written = sum(one.writing.tokens for one in timed)
        return StreamsRun(plan.streams, Rate(written, wall_s))

    async def _turn(self, conversation: list[int]) -> Turn:
        """Take the next turn: all that was said, and a new message.

        The last token of an answer was written and never processed, so it is new as well.
        """
        subject, is_first = self._subject, not conversation
        if is_first:
            conversation += subject.prompt(self._plan.prefix_tokens)
        conversation += subject.prompt(MESSAGE_TOKENS)
        prompt_tokens = len(conversation)
        timed = await subject.run(conversation, MESSAGE_TOKENS, may_reuse=True)
        conversation += timed.answer
        new_tokens = prompt_tokens if is_first else MESSAGE_TOKENS + 1
        return Turn(prompt_tokens, new_tokens, timed)

    def _tell(self, part: Part, number: int, count: int, elapsed_s: float) -> None:
        if self._told is not None:
            self._told(part, number, count, elapsed_s)
