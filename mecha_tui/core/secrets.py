"""Keys and tokens that must not be shown, found in command lines."""

from __future__ import annotations

import re
from collections.abc import Iterable

MASK = "***"
_SECRET_FLAG = re.compile(r"-{1,2}(hft|[\w-]*(api[-_]?key|hf[-_]?token|password|secret))", re.I)
_SECRET_WORD = re.compile(
    r"\b((?:LLAMA|LLAMA_ARG|HF|HUGGING_FACE|\w+)_(?:API_KEY|TOKEN|PASSWORD|SECRET))=.*", re.S
)


def masked_arguments(arguments: Iterable[str]) -> tuple[str, ...]:
    """Return a command line in which the values of keys and tokens are replaced by ``***``."""
    masked: list[str] = []
    is_value = False
    for argument in arguments:
        flag, equals, _ = argument.partition("=")
        is_secret = _SECRET_FLAG.fullmatch(flag) is not None
        if is_value:
            masked.append(MASK)
        elif is_secret and equals:
            masked.append(f"{flag}={MASK}")
        else:
            masked.append(_SECRET_WORD.sub(rf"\1={MASK}", argument))
        is_value = is_secret and not equals and not is_value
    return tuple(masked)
