"""A test whose system command is missing is skipped, but never silently in CI."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_PROJECT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("command", "ci", "outcome"),
    [
        ("no-such-command", "", "1 skipped"),
        ("no-such-command", "false", "1 skipped"),
        ("no-such-command", "true", "1 error"),
        ("sh", "true", "1 passed"),
        ("sh", "", "1 passed"),
    ],
)
def test_a_missing_command_skips_a_test_and_fails_it_in_ci(
    tmp_path: Path, command: str, ci: str, outcome: str
) -> None:
    file = tmp_path / "test_it.py"
    file.write_text(f"import pytest\n@pytest.mark.needs({command!r})\ndef test_it(): pass\n")
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.needs", "-p", "no:cacheprovider", str(file)],
        cwd=tmp_path,
        env={**os.environ, "CI": ci, "PYTHONPATH": str(_PROJECT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert outcome in ran.stdout
