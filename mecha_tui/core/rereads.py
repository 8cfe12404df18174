"""Which conversation a prompt goes on with, and how much of it was read before.

The server does not say whose prompt a task reads. But a conversation that comes back
brings along all that it was before: its prompt is longer than what a slot held at the end
of its last turn, and mostly made of that. A prompt of exactly an earlier one's length is
taken for that one. What a slot still holds cannot have come back unused, for the server
would have found it there, unless the model's memory does not reach back. Lengths alone may
deceive, so a single turn accuses nobody; several in a row do (:mod:`mecha_tui.core.thrash`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

LEAST_TOKENS = 1024
"""So few tokens read again are never worth a word."""
LEAST_SHARE = 4
"""Nor is less than a quarter of what the slot held."""
OLD_SHARE = 0.75
"""A prompt goes on with a conversation when that makes up at least so much of it."""
SLACK = 16
"""A template may put so many other tokens behind a prompt once it has its answer."""
REMEMBERED = 64
"""Conversations that are remembered; the longest unheard is forgotten first."""
VISITS = 200


@dataclass(frozen=True, slots=True)
class Conversation:
    """What a conversation was at the end of its last turn."""

    number: int
    slot_id: int
    held_tokens: int
    """Prompt and answer of its last turn, and so the beginning of its next prompt."""
    prompt_tokens: int | None
    """Its last prompt alone; None when that was not seen."""
    is_there: bool = True
    """Whether the slot still holds it."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt that was just read whole."""

    at_s: float
    slot_id: int
    task_id: int | None
    tokens: int
    reused_tokens: int
    held_before_tokens: int | None
    """What its slot held before; None if unknown."""


@dataclass(frozen=True, slots=True)
class Ways:
    """What is known of the model, as far as it decides what may come back."""

    thinks: bool | None = None
    """Whether it thinks; its thoughts are then not part of its next prompt."""
    forgets: bool = False
    """Whether its memory is known not to reach back: a sliding window, or a state."""


NOTHING_KNOWN = Ways()


@dataclass(frozen=True, slots=True)
class Visit:
    """One turn with a large prompt, all of which was seen to be read."""

    at_s: float
    slot_id: int
    task_id: int | None
    conversation: int
    again_tokens: int
    """Tokens that look as if they were read again; 0 where they were too few to matter."""
    is_new: bool
    """Whether no earlier conversation could be its beginning, or only one that was at hand."""
    in_place: bool
    """Whether its slot held just this conversation until it began."""


@dataclass(frozen=True, slots=True)
class Memory:
    """The conversations that wait for their next turn, and the last turns taken."""

    waiting: tuple[Conversation, ...] = ()
    """Longest unheard first."""
    visits: tuple[Visit, ...] = ()
    """Newest last."""
    next_number: int = 1

    def with_content(
        self, slot_id: int, held_tokens: int, prompt_tokens: int | None, number: int | None
    ) -> Memory:
        """Return the memory after a turn's end left a slot with some content.

        Args:
            slot_id: The slot.
            held_tokens: What it holds.
            prompt_tokens: The prompt in it; None if unknown.
            number: The conversation; None for one that nobody saw begin.
        """
        known = self.next_number if number is None else number
        one = Conversation(known, slot_id, held_tokens, prompt_tokens)
        waiting = (*self.without_content(slot_id).waiting, one)[-REMEMBERED:]
        return replace(self, waiting=waiting, next_number=max(self.next_number, known + 1))

    def without_content(self, slot_id: int) -> Memory:
        """Return the memory after a slot lost what it held."""
        waiting = tuple(
            replace(one, is_there=False) if one.is_there and one.slot_id == slot_id else one
            for one in self.waiting
        )
        return replace(self, waiting=waiting)

    def with_prompt(self, prompt: Prompt, ways: Ways) -> tuple[Memory, Visit]:
        """Return the memory, and the turn, once a prompt was read whole."""
        came, old_tokens = self._continued(prompt), 0
        in_place = came is not None and _is_in(came, prompt.slot_id)
        if came is None:
            came, old_tokens = self._returned(prompt, ways)
            in_place = came is not None and _is_in(came, prompt.slot_id)
            if in_place and not ways.forgets:
                came = None
        visit = Visit(
            prompt.at_s,
            prompt.slot_id,
            prompt.task_id,
            self.next_number if came is None else came.number,
            _again_tokens(prompt, old_tokens, ways),
            came is None,
            in_place,
        )
        rest = replace(self, waiting=tuple(one for one in self.waiting if one is not came))
        visits = (*self.visits, visit) if prompt.tokens > LEAST_TOKENS else self.visits
        number = max(self.next_number, visit.conversation + 1)
        rest = rest.without_content(prompt.slot_id)
        return replace(rest, visits=visits[-VISITS:], next_number=number), visit

    def _continued(self, prompt: Prompt) -> Conversation | None:
        """Return the conversation of which all was reused, or all but its last answer."""
        reused = prompt.reused_tokens
        found = [
            one
            for one in self.waiting
            if one.held_tokens >= reused >= (one.prompt_tokens or one.held_tokens) - SLACK
            and reused > SLACK
        ]
        own = [one for one in found if one.slot_id == prompt.slot_id]
        return next(iter(reversed(own or found)), None)

    def _returned(self, prompt: Prompt, ways: Ways) -> tuple[Conversation | None, int]:
        """Return the conversation that came back, and how much of the prompt is old."""
        found: tuple[Conversation | None, int] = (None, 0)
        for one in self.waiting:
            if one.is_there and one.slot_id != prompt.slot_id:
                continue
            old = _old_tokens(one, prompt.tokens, ways)
            if one.is_there and old == prompt.tokens and not ways.forgets:
                continue  # measured again and again, with reuse forbidden
            if old >= prompt.tokens * OLD_SHARE and old > max(found[1], prompt.reused_tokens):
                found = (one, old)
        return found


def _is_in(one: Conversation, slot_id: int) -> bool:
    return one.is_there and one.slot_id == slot_id


def _old_tokens(one: Conversation, prompt_tokens: int, ways: Ways) -> int:
    """Return how much of a prompt a conversation would make up; 0 where it cannot be it.

    A model that thinks does not get its thoughts back, so that its next prompt may be
    shorter than what the slot held.
    """
    if one.prompt_tokens == prompt_tokens:
        return prompt_tokens
    if prompt_tokens > one.held_tokens:
        return one.held_tokens
    if ways.thinks and one.prompt_tokens is not None and prompt_tokens > one.prompt_tokens:
        return one.prompt_tokens
    return 0


def _again_tokens(prompt: Prompt, old_tokens: int, ways: Ways) -> int:
    """Return how many tokens look as if they were read again, if they are worth a word.

    Prompts begin alike, at least with the token that begins every text. One that shares
    nothing at all with what its slot held was forbidden to reuse it.
    """
    if prompt.held_before_tokens and not prompt.reused_tokens and not ways.forgets:
        return 0
    lost = min(old_tokens, prompt.tokens) - prompt.reused_tokens
    measure = prompt.held_before_tokens or old_tokens
    return lost if lost > LEAST_TOKENS and lost * LEAST_SHARE > measure else 0
