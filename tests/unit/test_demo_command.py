"""``mecha-tui demo`` refuses what it cannot do, with one sentence that says how to mend it."""

from __future__ import annotations

import subprocess
import sys

import pytest

_WITHOUT_MODULE = """
import sys
sys.modules[sys.argv[1]] = None
from mecha_tui.cli import main
sys.exit(main(["demo"]))
"""


@pytest.mark.parametrize("module", ["xllamacpp", "gguf"])
def test_a_missing_extra_is_told_with_the_command_that_installs_it(module: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", _WITHOUT_MODULE, module],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 3
    assert ran.stdout == ""
    assert ran.stderr == (
        f"mecha-tui: The demo needs {module}; install it with: pip install 'mecha-tui[demo]'\n"
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--seconds", "soon"], "--seconds is 'soon': use a number of seconds above 0"),
        (["--seconds", "0"], "--seconds is '0': use a number of seconds above 0"),
        (["--seconds", "nan"], "--seconds is 'nan': use a number of seconds above 0"),
        (["--url", "http://x"], "demo starts a server of its own: leave out --url"),
    ],
)
def test_wrong_arguments_are_told_in_one_sentence(arguments: list[str], sentence: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "mecha_tui", "demo", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (3, f"mecha-tui: {sentence}\n")
