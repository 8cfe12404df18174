"""What the JSON report says of tasks, and of prompts that are read again and again."""

from __future__ import annotations

from collections.abc import Mapping

from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.thrash_causes import Thrash


def tasks_json(picture: ServerPicture) -> Mapping[str, object]:
    """Return what the tasks came to: by the server's counters, and as far as they were seen."""
    totals, counters = picture.tasks.totals, picture.counters
    again = totals.rereads
    return {
        "ended": totals.task_count,
        "partial": totals.partial_count,
        "cut": totals.cut_count,
        "read_tokens": None if counters is None else counters.prompt_tokens,
        "reused_tokens": None if counters is None else counters.prompt_cached_tokens,
        "written_tokens": None if counters is None else counters.written_tokens,
        "read_again_tokens": again.tokens,
        "read_again_s": None if again.without_seconds else round(again.seconds, 1),
    }


def thrash_json(thrash: Thrash | None) -> Mapping[str, object] | None:
    """Return the suspicion that prompts are read again and again; None while there is none."""
    if thrash is None:
        return None
    return {
        "cause": thrash.cause.value,
        "conversations": thrash.pattern.conversations,
        "turns": len(thrash.pattern.visits),
        "read_again_tokens": thrash.pattern.again_tokens,
        "message": thrash.finding.message,
        "cures": [{"line": cure.line, "place": cure.place} for cure in thrash.finding.cures],
    }
