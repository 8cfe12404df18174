"""llama-server's command line and ``LLAMA_ARG_*`` environment, read as llama-server reads them.

The command line wins over the environment, and the last of a repeated flag wins over
the earlier ones. Flags that are not in the table are skipped and do no harm.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from mecha_tui.core.flag_table import (
    BY_SPELLING,
    BY_VARIABLE,
    DEFAULTS,
    INTEGERS,
    SWITCHED,
    SWITCHED_OFF,
    SWITCHES,
    TAKES_TEXT,
    TEXTS,
    Flag,
)
from mecha_tui.core.kv import ModelShape
from mecha_tui.core.launch import NOT_GIVEN, LaunchFlags
from mecha_tui.core.reading import Reading, known, unknown

T = TypeVar("T", int, str)

ARGV, DEFAULT = "argv", "default"
DEFAULT_PORT, DEFAULT_HOST = 8080, "127.0.0.1"
TEXT_LIMIT = 4096
"""Longer texts are not kept: nothing that is used has such a length."""

_TRUE, _FALSE = ("on", "enabled", "true", "1"), ("off", "disabled", "false", "0")
_INTEGER = re.compile(r"\s*([+-]?\d{1,18})")
_JOINED_NUMBER = re.compile(r"(-[a-z]+)(-?\d+)")
_INT_LIMIT = 2**31


@dataclass(frozen=True, slots=True)
class _Given:
    """What one start was told, by field: a raw value and where it stood."""

    texts: Mapping[str, tuple[str, str]]
    switches: Mapping[str, tuple[bool, str]]


def launch_flags(
    arguments: Sequence[str] | None,
    environment: Mapping[str, str] | None,
    why_not: str = "the server's command line was not read",
    *,
    source: str = ARGV,
) -> LaunchFlags:
    """Return the launch flags of a server.

    Args:
        arguments: The command line, the program's name included or not; None when it
            could not be read.
        environment: The process's environment; None when it could not be read.
        why_not: Why one of them could not be read, in words for the user.
        source: What to call the command line as a source.
    """
    if arguments is None:
        return _all_unknown(why_not)
    given = _given(arguments, environment or {}, source)
    missing = NOT_GIVEN if environment is not None else f"not on the command line, and {why_not}"
    is_complete = environment is not None

    def integer(field: str) -> Reading[int]:
        return _reading(field, *_integer(given.texts.get(field)), is_complete, missing, int)

    def text(field: str) -> Reading[str]:
        return _reading(field, *_text(given.texts.get(field)), is_complete, missing, str)

    def switch(field: str) -> Reading[bool]:
        told = given.switches.get(field)
        if told is not None:
            return known(*told)
        return known(False, DEFAULT) if is_complete else unknown(missing)

    fit = text("fit")
    return LaunchFlags(
        context_tokens=integer("context_tokens"),
        slots=integer("slots"),
        is_unified=switch("is_unified"),
        per_slot_cap_tokens=integer("per_slot_cap_tokens"),
        reasoning_budget=integer("reasoning_budget"),
        cache_ram_mib=integer("cache_ram_mib"),
        context_shift=switch("context_shift"),
        sleep_idle_s=integer("sleep_idle_s"),
        reasoning=text("reasoning"),
        cache_type_k=text("cache_type_k"),
        cache_type_v=text("cache_type_v"),
        swa_full=switch("swa_full"),
        physical_batch_tokens=integer("physical_batch_tokens"),
        fit=Reading(None if fit.value is None else fit.value in _TRUE, fit.source, fit.reason),
        model_path=text("model_path"),
        slot_save_path=text("slot_save_path"),
        is_embedding=switch("is_reranking" if "is_reranking" in given.switches else "is_embedding"),
        is_complete=is_complete,
    )


def preset_arguments(text: str) -> tuple[str, ...]:
    """Return one section of a router's INI preset as the command line that it stands for.

    Keys are flags without their dashes, or names of environment variables; a switch is
    written with ``true`` or ``false``.
    """
    arguments: list[str] = []
    for line in text.splitlines():
        key, equals, value = (part.strip() for part in line.partition("="))
        if not equals or not key or key[0] in "#;[":
            continue
        name = _preset_name(key)
        if name in SWITCHED:
            arguments.append(name if value.lower() in _TRUE else SWITCHED_OFF.get(name, ""))
        else:
            arguments += [name, value]
    return tuple(argument for argument in arguments if argument)


def _preset_name(key: str) -> str:
    by_variable = BY_VARIABLE.get(key)
    if by_variable is not None:
        return by_variable
    spellings = (_normal(f"--{key}"), f"-{key}")
    return next((one for one in spellings if one in BY_SPELLING or one in SWITCHED), spellings[0])


def listening_place(
    arguments: Sequence[str], environment: Mapping[str, str] | None
) -> tuple[str, int]:
    """Return host and port that a start asks for, the defaults where it names none."""
    given = _given(arguments, environment or {}, ARGV)
    port, _ = _integer(given.texts.get("port"))
    host, _ = _text(given.texts.get("host"))
    return host or DEFAULT_HOST, DEFAULT_PORT if port is None else port


def _all_unknown(reason: str) -> LaunchFlags:
    number: Reading[int] = unknown(reason)
    switch: Reading[bool] = unknown(reason)
    text: Reading[str] = unknown(reason)
    shape: Reading[ModelShape] = unknown(reason)
    return LaunchFlags(
        context_tokens=number,
        slots=number,
        is_unified=switch,
        per_slot_cap_tokens=number,
        reasoning_budget=number,
        cache_ram_mib=number,
        context_shift=switch,
        sleep_idle_s=number,
        reasoning=text,
        cache_type_k=text,
        cache_type_v=text,
        swa_full=switch,
        physical_batch_tokens=number,
        fit=switch,
        model_path=text,
        slot_save_path=text,
        is_embedding=switch,
        model=shape,
    )


def _reading(
    field: str,
    value: T | None,
    source: str,
    is_complete: bool,
    missing: str,
    kind: type[T],
) -> Reading[T]:
    if value is not None:
        return known(value, source)
    if source:
        return unknown(f"{source} does not hold a usable value")
    default = DEFAULTS.get(field)
    if is_complete and isinstance(default, kind):
        return known(default, DEFAULT)
    return unknown(missing)


def _integer(told: tuple[str, str] | None) -> tuple[int | None, str]:
    """Read a number as C's ``stoi`` does: what follows the digits is ignored."""
    if told is None:
        return None, ""
    match = _INTEGER.match(told[0])
    number = int(match.group(1)) if match else _INT_LIMIT
    return (number if abs(number) < _INT_LIMIT else None), told[1]


def _text(told: tuple[str, str] | None) -> tuple[str | None, str]:
    if told is None:
        return None, ""
    return (told[0] if 0 < len(told[0]) <= TEXT_LIMIT else None), told[1]


def _given(arguments: Sequence[str], environment: Mapping[str, str], source: str) -> _Given:
    texts: dict[str, tuple[str, str]] = {}
    switches: dict[str, tuple[bool, str]] = {}
    for field, flag in (*INTEGERS.items(), *TEXTS.items()):
        if flag.variable is not None and flag.variable in environment:
            texts[field] = (environment[flag.variable], f"environment {flag.variable}")
    for field, flag in SWITCHES.items():
        told = _switch_of(environment, flag)
        if told is not None:
            switches[field] = told
    for field, value in _told_by(arguments):
        if isinstance(value, bool):
            switches[field] = (value, source)
        else:
            texts[field] = (value, source)
    return _Given(texts, switches)


def _switch_of(environment: Mapping[str, str], flag: Flag) -> tuple[bool, str] | None:
    """Return what the environment says of a switch; any value of the NO form switches it off."""
    variable = flag.variable or ""
    negated = variable.replace("LLAMA_ARG_", "LLAMA_ARG_NO_")
    if flag.negations and negated in environment:
        return False, f"environment {negated}"
    value = environment.get(variable, "")
    if value in _TRUE or value in _FALSE:
        return value in _TRUE, f"environment {variable}"
    return None


def _told_by(arguments: Sequence[str]) -> Iterable[tuple[str, str | bool]]:
    """Return the fields that a command line sets, in its order."""
    rest = iter(arguments)
    for argument in rest:
        name, equals, joined = argument.partition("=")
        name = _normal(name)
        if not equals and name not in BY_SPELLING and (match := _JOINED_NUMBER.fullmatch(name)):
            name, joined = match.groups()
            equals = "="
        if name in SWITCHED and not equals:
            yield SWITCHED[name]
        elif name in BY_SPELLING:
            yield BY_SPELLING[name], joined if equals else next(rest, "")
        elif name in TAKES_TEXT and not equals:
            next(rest, None)


def _normal(name: str) -> str:
    """Return a flag's name as llama-server compares it: long ones may use underscores."""
    return name.replace("_", "-") if name.startswith("--") else name
