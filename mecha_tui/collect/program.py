"""Whether a command line starts llama-server, and what a program may be called on the screen."""

from __future__ import annotations

import re
from collections.abc import Sequence

_PROGRAM = re.compile(r"\.?llama[-_]?server.*|llama(\.exe)?|llamafile.*|server(\.exe)?")
_INTERPRETER = re.compile(r"python[\d.]*(\.exe)?|(ba|da|z)?sh")
_MODULES = ("mecha_tui.demo.server",)
_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_NAME_LIMIT = 40


def is_llama_server(arguments: Sequence[str]) -> bool:
    """Whether a command line starts llama-server, directly or through an interpreter."""
    names = [_base_name(argument) for argument in arguments[:3]]
    if not names:
        return False
    if _INTERPRETER.fullmatch(names[0]) and len(names) > 1:
        if names[1] == "-m":
            return names[-1] in _MODULES
        return _PROGRAM.fullmatch(names[1]) is not None
    return _PROGRAM.fullmatch(names[0]) is not None


def is_watcher(arguments: Sequence[str]) -> bool:
    """Whether a command line runs mecha-tui, as a script or as a module."""
    words = list(arguments[:3])
    is_script = any(_base_name(one) == "mecha-tui" for one in words[:2])
    return is_script or words[1:] == ["-m", "mecha_tui"]


def shown_name(arguments: Sequence[str]) -> str:
    """Return a program's name, safe to show; nothing else of its command line is ever shown."""
    name = _UNSAFE.sub("", _base_name(arguments[0]) if arguments else "")
    return name[:_NAME_LIMIT] or "another program"


def _base_name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]
