"""The command line: arguments in, exit status out. Each subcommand is a module of ``commands``."""

from __future__ import annotations

import argparse
import errno
import io
import os
import re
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from itertools import takewhile
from pathlib import Path
from typing import NoReturn, TextIO

from mecha_tui import __version__
from mecha_tui.core.text import plain_text
from mecha_tui.errors import MechaTuiError, UsageError

EXIT_FAILED, EXIT_USAGE = 1, 3
MESSAGE_LIMIT = 2000
"""Characters of an error message that are shown; it may quote what a file or a user says."""
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG)
"""What a disk says that takes no more."""

_COMMANDS = {
    "status": "print one report and exit",
    "check": "say whether the numbers agree, and what cures them (exit 0 yes, 1 no, 2 unknown)",
    "bench": "measure how fast a server writes and reads, alone and for many at once",
    "restart": "restart a server by whatever runs it (exit 0 as fast, 1 slower, 2 not back)",
    "demo": "start a small real server with busy agents, and watch it",
}
"""Subcommand by name, with its help; the module ``commands.NAME`` has the rest."""


class _Parser(argparse.ArgumentParser):
    """Reports a wrong argument as the rest of mecha-tui does: one sentence and status 3."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; see {self.prog} --help")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    _prepare_streams()
    try:
        return _status(argv)
    finally:
        _release(sys.stdout)
        _release(sys.stderr)


def _status(argv: Sequence[str] | None) -> int:
    try:
        given = sys.argv[1:] if argv is None else list(argv)
        _refuse_misspelt_option(given)
        options = _parser().parse_args(given)
        command = options.command or "dashboard"
        status = import_module(f"mecha_tui.commands.{command}").run(options)
        sys.stdout.flush()
    except MechaTuiError as error:
        print(f"mecha-tui: {plain_text(str(error), MESSAGE_LIMIT)}", file=sys.stderr)
        return EXIT_USAGE if isinstance(error, UsageError) else EXIT_FAILED
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return EXIT_FAILED
    except OSError as error:
        if error.errno not in _FULL:
            raise
        print(f"mecha-tui: the output cannot be written ({error.strerror})", file=sys.stderr)
        return EXIT_FAILED
    return int(status)


def _prepare_streams() -> None:
    """Open what the caller closed, and write a question mark for what a stream cannot take."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _release(stream: TextIO) -> None:
    """Drop what a reader, a disk or a terminal that is gone will not take.

    Python would try once more at its end, and replace the exit status by its own.
    """
    try:
        stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="mecha-tui",
        description="Watch llama.cpp's llama-server: slots, queue, context, memory, and whether "
        "the numbers agree. Without a command: the dashboard.",
        epilog="The API key comes from LLAMA_API_KEY or --api-key-file and is never shown.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"mecha-tui {__version__}")
    shared = _shared()
    _add_shared(parser, defaults=True)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    for name, words in _COMMANDS.items():
        command = commands.add_parser(name, help=words, description=words, parents=[shared])
        import_module(f"mecha_tui.commands.{name}").add_arguments(command)
    return parser


def _refuse_misspelt_option(given: Sequence[str]) -> None:
    """Name an unknown option that stands before the command.

    argparse would take its value for the command, and blame that.
    """
    shared = _shared()
    before = list(takewhile(lambda word: word not in _COMMANDS, given))
    unknown = shared.parse_known_args(before)[1]
    misspelt = next((word for word in unknown if word.startswith("--")), None)
    if misspelt is None or misspelt in ("--", "--help", "--version"):
        return
    name = misspelt.split("=")[0]
    near = get_close_matches(name, re.findall(r"--[a-z-]+", shared.format_help()), 1)
    hint = f"did you mean {near[0]}?" if near else "see mecha-tui --help"
    raise UsageError(f"unrecognized arguments: {name}; {hint}")


def _shared() -> _Parser:
    shared = _Parser(add_help=False, argument_default=argparse.SUPPRESS)
    _add_shared(shared, defaults=False)
    return shared


def _add_shared(parser: argparse.ArgumentParser, *, defaults: bool) -> None:
    """Add what every command takes, before or after its name."""
    group = parser.add_argument_group("which servers, and how")

    def add(*names: str, default: object = None, **more: object) -> None:
        chosen = {"default": default} if defaults else {}
        group.add_argument(*names, **chosen, **more)  # type: ignore[arg-type]  # argparse's own kinds

    add("--url", action="append", metavar="URL", help="a server to watch; repeat for several")
    add("--api-key-file", type=Path, metavar="FILE", help="read the server's API key from FILE")
    add("--config", type=Path, metavar="FILE", help="settings file instead of the usual one")
    add("--interval", type=float, metavar="SECONDS", help="time between two looks (default 1)")
    add(
        "--read-only",
        action="store_true",
        default=False,
        help="change nothing outside mecha-tui: no restart, no settings file, no load",
    )
    add(
        "--gentle",
        action=argparse.BooleanOptionalAction,
        help="do not ask an idle server for its slots where nobody knows whether it sleeps",
    )
    add("--theme", choices=("dark", "light"), help="colours (default dark)")
    add(
        "--context-window",
        type=_tokens,
        metavar="TOKENS",
        help="what the client believes a request may hold, for a client that is not mecha",
    )
    add(
        "--max-tokens",
        type=_tokens,
        metavar="TOKENS",
        help="what the client allows one answer, for a client that is not mecha",
    )


def _tokens(text: str) -> int:
    """Read a count of tokens, with or without thousands separators."""
    try:
        tokens = int(text.replace(",", "").replace("_", ""))
    except ValueError:
        tokens = 0
    if tokens <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of tokens above 0")
    return tokens
