"""The scripts say what is missing, and pass their arguments on from wherever they are called."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_SCRIPTS = Path(__file__).parents[2] / "scripts"


def run_script(name: str, *arguments: str, cwd: Path, **environment: str) -> tuple[int, str, str]:
    ran = subprocess.run(
        [str(_SCRIPTS / name), *arguments],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.returncode, ran.stdout, ran.stderr


@pytest.mark.parametrize("name", ["demo", "bench", "soak"])
def test_a_script_runs_from_any_folder(name: str, tmp_path: Path) -> None:
    status, output, _ = run_script(name, "--help", cwd=tmp_path, MECHA_TUI_PYTHON=sys.executable)
    assert status == 0
    assert output.startswith("usage:")
    assert list(tmp_path.iterdir()) == []


def test_the_demo_script_passes_on_what_went_wrong(tmp_path: Path) -> None:
    arguments = ("--seconds", "soon")
    status, _, told = run_script("demo", *arguments, cwd=tmp_path, MECHA_TUI_PYTHON=sys.executable)
    assert status == 3
    assert "--seconds is 'soon'" in told


@pytest.mark.parametrize("name", ["demo", "test", "bench", "soak"])
def test_without_a_usable_python_a_script_says_which_it_needs(name: str, tmp_path: Path) -> None:
    for version in ("python3", "old"):
        program = tmp_path / version
        program.write_text("#!/bin/sh\nexit 1\n")
        program.chmod(0o755)
    status, output, told = run_script(
        name, cwd=tmp_path, PYTHON=str(tmp_path / "old"), MECHA_TUI_PYTHON=""
    )
    assert (status, output) == (3, "")
    assert "needs Python 3.10 or newer" in told
