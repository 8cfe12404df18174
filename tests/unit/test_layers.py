"""Nothing leaks between the layers at run time, where import-linter cannot see it."""

from __future__ import annotations

import subprocess
import sys

import pytest

_IMPORT_LAYER = """
import importlib, json, pkgutil, sys
for name in sys.argv[1].split(","):
    package = importlib.import_module(name)
    for module in pkgutil.walk_packages(package.__path__, name + "."):
        importlib.import_module(module.name)
print("\\n".join(sys.modules))
"""
_RUN_COMMAND = """
import sys
from mecha_tui.cli import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print("loaded:")
print("\\n".join(sys.modules))
"""
_PURE = ("textual", "rich", "httpx", "psutil", "pynvml", "asyncio", "socket", "subprocess")


def loaded_modules(code: str, *arguments: str) -> set[str]:
    """Return what a fresh Python has loaded after it ran some code."""
    ran = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return set(ran.stdout.splitlines())


@pytest.mark.parametrize(
    ("layer", "forbidden"),
    [
        ("mecha_tui.core", (*_PURE, "mecha_tui.present", "mecha_tui.collect", "mecha_tui.app")),
        ("mecha_tui.present", (*_PURE, "mecha_tui.collect", "mecha_tui.app")),
        ("mecha_tui.collect", ("textual", "mecha_tui.present", "mecha_tui.app")),
        ("mecha_tui.store", ("textual", "httpx", "mecha_tui.present", "mecha_tui.app")),
        ("mecha_tui.control", ("textual", "mecha_tui.present", "mecha_tui.app")),
        (
            "mecha_tui.app",
            ("httpx", "psutil", "pynvml", "mecha_tui.collect", "mecha_tui.control", "sqlite3"),
        ),
        ("mecha_tui.demo", ("textual", "httpx", "mecha_tui.app", "mecha_tui.collect")),
    ],
)
def test_a_layer_loads_nothing_that_is_not_its_own(layer: str, forbidden: tuple[str, ...]) -> None:
    assert loaded_modules(_IMPORT_LAYER, layer).isdisjoint(forbidden)


def test_the_check_sees_what_a_layer_loads() -> None:
    loaded = loaded_modules(_IMPORT_LAYER, "mecha_tui.demo")
    assert {"mecha_tui.demo.stage", "subprocess"} <= loaded


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--version"],
        ["status", "--help"],
        ["demo", "--help"],
        ["--no-such-flag"],
        ["no-such-command"],
        ["demo", "--seconds", "soon"],
        ["--context-window", "none"],
    ],
)
def test_words_about_the_command_load_neither_screen_nor_network(arguments: list[str]) -> None:
    loaded = loaded_modules(_RUN_COMMAND, *arguments)
    assert "mecha_tui.cli" in loaded
    heavy = (
        "textual",
        "rich",
        "httpx",
        "psutil",
        "pynvml",
        "prometheus_client",
        "xllamacpp",
        "sqlite3",
    )
    assert loaded.isdisjoint(heavy)
