"""llama-servers among systemd's system services: asked where a process may not be read itself."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mecha_tui.collect.printed import printed
from mecha_tui.collect.program import is_llama_server
from mecha_tui.core.command_line import listening_place
from mecha_tui.core.text import plain_text

_PROPERTIES = "Id,MainPID,ExecStart,Environment,EnvironmentFiles"
_COMMAND = ("systemctl", "show", "*.service", "--no-pager", f"--property={_PROPERTIES}")
_LIMIT_BYTES = 100_000
_ARGV = re.compile(r"argv\[\]=(.*?) ; ignore_errors=")
_FILE = re.compile(r"(.+?) \(ignore_errors=(yes|no)\)")
_VARIABLE = re.compile(r"\$\{(\w+)\}")

Show = Callable[[], str]
"""Returns what ``systemctl show`` prints of all services; empty where there is no systemd."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One running service that starts llama-server."""

    name: str
    pid: int
    arguments: tuple[str, ...] = field(repr=False)
    environment: Mapping[str, str] | None = field(repr=False)
    """What the unit sets; None where one of its files may not be read."""
    why_no_environment: str = ""


def shown_services() -> str:
    """Ask systemd for all its services."""
    return printed(_COMMAND)


def unit_at(port: int, show: Show = shown_services) -> Unit | None:
    """Return the only unit whose llama-server listens on a port; None for none, or several."""
    found = [
        unit
        for unit in units(show())
        if listening_place(unit.arguments, unit.environment)[1] == port
    ]
    return found[0] if len(found) == 1 else None


def units(shown: str) -> Iterator[Unit]:
    """Return the running llama-servers among what ``systemctl show`` printed."""
    for block in shown.split("\n\n"):
        properties: dict[str, list[str]] = {}
        for line in block.splitlines():
            name, equals, value = line.partition("=")
            if equals:
                properties.setdefault(name, []).append(value)
        pid = "".join(properties.get("MainPID", ["0"]))
        commands = _ARGV.findall("\n".join(properties.get("ExecStart", [])))
        if not pid.isdigit() or int(pid) == 0 or not commands:
            continue
        environment, why_not = _environment(properties)
        arguments = tuple(_expanded(commands[0].split(" "), environment or {}))
        if is_llama_server(arguments):
            name = "".join(properties.get("Id", ["a unit"]))
            yield Unit(plain_text(name), int(pid), arguments, environment, why_not)


def _environment(properties: Mapping[str, Sequence[str]]) -> tuple[dict[str, str] | None, str]:
    told: dict[str, str] = {}
    for value in properties.get("Environment", []):
        told |= _assignments(_words(value))
    for value in properties.get("EnvironmentFiles", []):
        for path, may_fail in _FILE.findall(value):
            try:
                with Path(path).open("rb") as file:
                    text = file.read(_LIMIT_BYTES).decode("utf-8", "replace")
            except FileNotFoundError:
                if may_fail == "yes":
                    continue
                return None, f"its EnvironmentFile {plain_text(path)} is missing"
            except OSError:
                return None, f"its EnvironmentFile {plain_text(path)} may not be read"
            told |= _assignments(_lines(text))
    return told, ""


def _lines(text: str) -> Iterator[str]:
    """Return the assignments of an environment file, without comments and quotes."""
    for line in text.replace("\\\n", "").splitlines():
        line = line.strip()
        if line and line[0] not in "#;":
            name, _, value = line.partition("=")
            is_quoted = value[:1] in ("'", '"')
            yield f"{name.strip()}={' '.join(_words(value)) if is_quoted else value}"


def _assignments(words: Iterator[str] | Sequence[str]) -> dict[str, str]:
    pairs = (word.partition("=") for word in words)
    return {name: value for name, equals, value in pairs if equals}


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def _expanded(words: Sequence[str], environment: Mapping[str, str]) -> Iterator[str]:
    """Put values in place of variables: a bare one may become several words."""
    for word in words:
        if word.startswith("$") and word[1:].replace("_", "").isalnum():
            yield from environment.get(word[1:], "").split()
        else:
            yield _VARIABLE.sub(lambda found: environment.get(found[1], ""), word)
