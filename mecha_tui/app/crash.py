"""What is said when mecha-tui itself fails."""

from __future__ import annotations

import traceback

SENTENCE = (
    "mecha-tui failed, and the fault is its own. Nothing was changed on the server. "
    "Please report the lines below; they hold no settings and no keys.\n\n"
)


def crash_text(error: BaseException | None) -> str:
    """Return one sentence and the traceback, without any local variable's value."""
    if error is None:
        return SENTENCE
    return SENTENCE + "".join(traceback.format_exception(error))
