"""What to call a process: its name, and what it runs or serves; never its other arguments.

Arguments can hold keys and passwords, so only a script, a module or a model file is taken.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from mecha_tui.collect.memory.files import read_text
from mecha_tui.collect.memory.processes import Identity
from mecha_tui.core.memory_device import device_name

_INTERPRETER = re.compile(r"(python|pypy|node|ruby|perl|java)[\d.]*")
_MODEL_FLAGS = ("-m", "--model")


def program_name(root: Path, who: Identity) -> str:
    """Return a process's name for the list of holders."""
    text = read_text(root / f"proc/{who.pid}/cmdline").value or ""
    run = _object(who.name, text.split(chr(0))[1:])
    return device_name(f"{who.name} {run}" if run else who.name)


def _object(name: str, arguments: Sequence[str]) -> str:
    if _INTERPRETER.fullmatch(name):
        return _script(arguments)
    if not name.startswith("llama"):
        return ""
    for flag, value in pairwise(arguments):
        if flag in _MODEL_FLAGS:
            return _base(value)
    return ""


def _script(arguments: Sequence[str]) -> str:
    """Return the module or script of an interpreter's command line."""
    for at, word in enumerate(arguments):
        if word == "-m":
            return f"-m {arguments[at + 1]}" if at + 1 < len(arguments) else ""
        if word == "-c":
            return ""
        if word and not word.startswith("-"):
            return _base(word)
    return ""


def _base(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]
