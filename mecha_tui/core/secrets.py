"""Keys and tokens that must not be shown, found in command lines and in lines of a log."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

MASK = "***"
_SHORTEST = 3
"""Shorter values would be found everywhere."""
_SECRET_FLAG = re.compile(r"-{1,2}(hft|[\w-]*(api[-_]?key|hf[-_]?token|password|secret))", re.I)
_SECRET_WORD = re.compile(
    r"\b((?:LLAMA|LLAMA_ARG|HF|HUGGING_FACE|\w+)_(?:API_KEY|TOKEN|PASSWORD|SECRET))=.*", re.S
)
_SECRET_TEXT = (
    re.compile(
        r"""(?i)(-[\w-]*(?:api[-_]?key|hf[-_]?token|password|secret)(?:\s+|=)["']?"""
        r"""|(?:api[-_ ]?keys?|hf[-_]?token|password|secret)["']?\s*[=:]\s*["']?)[^\s"',;&]+"""
    ),
    re.compile(r"(?i)(\b(?:bearer|basic)\s+)[\w.~+/=-]{6,}"),
    re.compile(r"()\b(?:hf_|sk-|ghp_|github_pat_)[\w-]{6,}"),
    re.compile(r"(\b\w+(?:_KEY|_TOKEN|_PASSWORD|_SECRET)=)\S+"),
    re.compile(r"(\b\w+://)[^\s/@]+(?=@)"),
)


def masked_text(text: str) -> str:
    """Return free text in which whatever looks like a key or a token is replaced by ``***``.

    It rather hides a harmless word than shows a key.
    """
    for secret in _SECRET_TEXT:
        text = secret.sub(rf"\1{MASK}", text)
    return text


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


def secret_values(arguments: Sequence[str], environment: Iterable[str]) -> frozenset[str]:
    """Return the values that must not be shown, of a command line and of ``NAME=value`` pairs."""
    masked = masked_arguments(arguments)
    words = [
        *(one for one, shown in zip(arguments, masked, strict=True) if one != shown),
        *(one for one in environment if _SECRET_WORD.match(one)),
    ]
    values = {word.partition("=")[2] if "=" in word else word for word in words}
    return frozenset(value for value in (*values, *words) if len(value) >= _SHORTEST)


def without_secrets(line: str, values: Iterable[str] = ()) -> str:
    """Return a line of a log in which keys and tokens are replaced by ``***``.

    Args:
        line: The line.
        values: Values known to be secret, replaced wherever they stand.
    """
    for value in values:
        line = line.replace(value, MASK)
    return " ".join(masked_arguments(line.split(" ")))
