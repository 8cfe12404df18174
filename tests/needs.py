"""``@pytest.mark.needs("tmux")``: a test that needs a command of the system.

Without the command the test is skipped on a developer's machine and fails under
``CI=true``, where a silent skip would hide that nothing was tested.
"""

from __future__ import annotations

import os
import shutil

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "needs(*commands): skipped without these commands; under CI=true it then fails"
    )


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker in item.iter_markers("needs"):
        missing = [command for command in marker.args if shutil.which(command) is None]
        if missing and os.environ.get("CI") == "true":
            pytest.fail(f"not installed: {', '.join(missing)}", pytrace=False)
        if missing:
            pytest.skip(f"not installed: {', '.join(missing)}")
