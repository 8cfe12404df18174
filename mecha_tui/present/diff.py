"""A change of a settings file as a diff in which no key or token can be read."""

from __future__ import annotations

import difflib
import re

from mecha_tui.core.text import plain_text

MASK = "***"
_SECRET = re.compile(
    r"""(?P<name>["']?[\w.-]*(?:key|token|secret|password)["']?\s*=\s*)"""
    r"""(?P<value>"(?:[^"\\]|\\.)*"|'[^']*'|\"{3}.*|'{3}.*)""",
    re.IGNORECASE,
)


def diff_lines(before: str, after: str, name: str) -> list[str]:
    """Return what changes, with three lines around it and values of secrets masked."""
    shown = difflib.unified_diff(
        _masked(before), _masked(after), plain_text(name), plain_text(name), lineterm=""
    )
    return [plain_text(line) if line.strip() else line for line in shown]


def _masked(text: str) -> list[str]:
    return [_masked_line(line) for line in text.splitlines()]


def _masked_line(line: str) -> str:
    return _SECRET.sub(lambda found: f'{found["name"]}"{MASK}"', line)
