"""What llama-server writes to its log that no endpoint tells."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

LINE_LIMIT = 1_000
"""Characters of a line that are looked at; the lines that tell something are short."""

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_START = r"(?:\[\d+\] )?(?:\S+ [DIWE] )?"
"""A router's mark of a child's line, and time and level, which older builds leave out."""
_ERROR = re.compile(_START + r"srv +send_error: task id = (\d+), error: (.*)")
_REFUSED = re.compile(
    r"request \((\d{1,12}) tokens\) exceeds the available context size \((\d{1,12}) tokens\)"
    r"|the request exceeds the available context size"
)
_OVERFLOWED = "Context size has been exceeded."
_REPROCESSED = re.compile(
    _START + r"slot +\S+: id +(\d+) \| task (-?\d+) \| forcing full prompt re-processing\b"
)


class LogKind(Enum):
    """What a line tells."""

    REFUSED = "refused"
    """A request did not fit into a slot and got 400."""
    OVERFLOWED = "overflowed"
    """The context that the slots share was full, and a running request got 500."""
    REPROCESSED = "reprocessed"
    """A slot read its whole prompt again, because what it kept did not reach back."""


@dataclass(frozen=True, slots=True)
class LogFact:
    """One such line. What it does not say is None."""

    kind: LogKind
    task_id: int | None = None
    slot_id: int | None = None
    prompt_tokens: int | None = None
    """Of a refused request: how long its prompt was."""
    window_tokens: int | None = None
    """Of a refused request: what a slot holds."""


def log_facts(lines: Iterable[str]) -> tuple[LogFact, ...]:
    """Return what lines of the server's log tell, in their order; most tell nothing."""
    facts = (_fact(_COLOUR.sub("", one[:LINE_LIMIT])) for one in lines)
    return tuple(fact for fact in facts if fact is not None)


def _fact(line: str) -> LogFact | None:
    again = _REPROCESSED.match(line)
    if again is not None:
        task_id = int(again[2])
        return LogFact(LogKind.REPROCESSED, task_id if task_id >= 0 else None, int(again[1]))
    error = _ERROR.match(line)
    if error is None:
        return None
    if error[2].startswith(_OVERFLOWED):
        return LogFact(LogKind.OVERFLOWED, int(error[1]))
    refused = _REFUSED.match(error[2])
    if refused is None:
        return None
    tokens = [None if group is None else int(group) for group in refused.groups()]
    return LogFact(LogKind.REFUSED, int(error[1]), None, *tokens)
