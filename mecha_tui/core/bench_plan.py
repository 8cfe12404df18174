"""What a benchmark will run on a server, so that it fits and its cost is known before it starts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from mecha_tui.core.bench import SHORT_PROMPT_TOKENS, SINGLE_TOKENS
from mecha_tui.core.picture import ServerPicture

RUNS = 3
"""The middle of so many runs is told, and the ends of them."""
MESSAGE_TOKENS = 32
"""What is new in each turn of the conversation, and what is written as its answer."""
TURNS = 8
PREFIX_TOKENS = 2048
LONG_PROMPT_TOKENS = 4096
_SPARE_TOKENS = 8
"""Left free in a window, since a server keeps a little for itself."""
_LEAST_PREFIX_TOKENS = 128


class Part(Enum):
    """One measurement of several."""

    SINGLE = "single"
    STREAMS = "streams"
    READING = "reading"
    AFFINITY = "affinity"


class NoRoomError(ValueError):
    """What was wished for does not fit into the server; says what would."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the user asks for; None leaves it to the server's size."""

    parts: tuple[Part, ...] = tuple(Part)
    tokens: int = SINGLE_TOKENS
    streams: int | None = None
    prompt_tokens: int | None = None
    turns: int | None = None


@dataclass(frozen=True, slots=True)
class Room:
    """How much the server holds."""

    slot_count: int
    window_tokens: int
    pool_tokens: int | None = None
    """What all slots share; None where each has its own."""


@dataclass(frozen=True, slots=True)
class BenchPlan:
    """What will be run."""

    parts: tuple[Part, ...]
    tokens: int
    streams: int
    prompt_tokens: int
    prefix_tokens: int
    turns: int

    @property
    def written_tokens(self) -> int:
        """Tokens that all of it writes."""
        return sum(
            {
                Part.SINGLE: RUNS * self.tokens,
                Part.STREAMS: RUNS * self.streams * self.tokens,
                Part.READING: RUNS,
                Part.AFFINITY: self.turns * MESSAGE_TOKENS,
            }[part]
            for part in self.parts
        )

    @property
    def read_tokens(self) -> int:
        """Tokens that all of it reads where a conversation's beginning is reused."""
        return self._read(self.prefix_tokens + self.turns * MESSAGE_TOKENS)

    @property
    def most_read_tokens(self) -> int:
        """Likewise where nothing is reused."""
        growth = MESSAGE_TOKENS * self.turns + 2 * MESSAGE_TOKENS * sum(range(self.turns))
        return self._read(self.turns * self.prefix_tokens + growth)

    def _read(self, conversation_tokens: int) -> int:
        return sum(
            {
                Part.SINGLE: RUNS * SHORT_PROMPT_TOKENS,
                Part.STREAMS: RUNS * self.streams * SHORT_PROMPT_TOKENS,
                Part.READING: RUNS * self.prompt_tokens,
                Part.AFFINITY: conversation_tokens,
            }[part]
            for part in self.parts
        )


def bench_plan(wishes: Wishes, room: Room) -> BenchPlan:
    """Return what will be run, made to fit where the user left it open.

    Raises:
        NoRoomError: What the user asked for does not fit.
    """
    usable = room.window_tokens - _SPARE_TOKENS
    streams = wishes.streams or room.slot_count
    if Part.SINGLE in wishes.parts or Part.STREAMS in wishes.parts:
        _refuse_too_many(wishes.tokens, usable - SHORT_PROMPT_TOKENS, room.window_tokens)
    if Part.STREAMS in wishes.parts and room.pool_tokens is not None:
        share = (room.pool_tokens - _SPARE_TOKENS) // min(streams, room.slot_count)
        _refuse_too_much_together(wishes.tokens, share - SHORT_PROMPT_TOKENS, streams)
    prefix, turns = _conversation(wishes, usable)
    return BenchPlan(
        wishes.parts, wishes.tokens, streams, _long_prompt(wishes, usable), prefix, turns
    )


def quiet_slot(picture: ServerPicture) -> int | None:
    """Return the idle slot that holds least, so that least is displaced; None for unknown."""
    idle = [one.slot for one in picture.slots if one.slot.is_processing is False]
    held = {one.slot_id: 0 if one.is_unused else one.held_tokens for one in idle}
    known = {slot_id: count for slot_id, count in held.items() if count is not None}
    return min(known, key=lambda slot_id: known[slot_id]) if known else None


def _refuse_too_many(tokens: int, most: int, window_tokens: int) -> None:
    if tokens > most:
        cure = f"use --tokens {most} or fewer" if most > 0 else "it is too small to measure"
        raise NoRoomError(f"{tokens:,} tokens do not fit into a slot of {window_tokens:,}: {cure}")


def _refuse_too_much_together(tokens: int, most: int, streams: int) -> None:
    if tokens > most:
        cure = f"use --tokens {most}" if most > 0 else "use fewer"
        raise NoRoomError(
            f"{streams} streams of {tokens:,} tokens do not fit into the pool that the slots "
            f"share, and all would be ended: {cure}, or fewer --streams"
        )


def _long_prompt(wishes: Wishes, usable: int) -> int:
    if wishes.prompt_tokens is None:
        return max(1, min(LONG_PROMPT_TOKENS, usable * 3 // 4))
    if Part.READING in wishes.parts and wishes.prompt_tokens >= usable:
        raise NoRoomError(
            f"a prompt of {wishes.prompt_tokens:,} tokens does not fit into a slot: use "
            f"--prompt-tokens {usable - 1} or fewer"
        )
    return wishes.prompt_tokens


def _conversation(wishes: Wishes, usable: int) -> tuple[int, int]:
    """Return a conversation's first prompt without its message, and its turns."""
    turn = 2 * MESSAGE_TOKENS
    prefix = min(PREFIX_TOKENS, usable // 2)
    most = (usable - prefix) // turn
    if wishes.turns is None:
        turns = min(TURNS, most)
    else:
        turns = wishes.turns
        prefix = min(prefix, usable - turns * turn)
    if Part.AFFINITY in wishes.parts and (turns < 2 or prefix < _LEAST_PREFIX_TOKENS):
        most = (usable - _LEAST_PREFIX_TOKENS) // turn
        cure = f"use --turns 2 to {most}" if most > 2 else "leave affinity out with --only"
        raise NoRoomError(f"a conversation of {turns} turns does not fit into a slot: {cure}")
    return prefix, turns
