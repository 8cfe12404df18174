"""Shared fixtures. The environment is cleaned before anything imports Textual."""

from __future__ import annotations

import os

for _name in [name for name in os.environ if name.startswith(("TEXTUAL", "LLAMA_", "MECHA_"))]:
    del os.environ[_name]
for _name in ("NO_COLOR", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
    os.environ.pop(_name, None)
    os.environ.pop(_name.lower(), None)

os.environ["TZ"] = "UTC"

import tempfile
import time
from pathlib import Path

import pytest

from mecha_tui.demo.model import write_model
from tests.needs import pytest_configure, pytest_runtest_setup

__all__ = ["pytest_configure", "pytest_runtest_setup"]

# Nothing that a test starts may reach the user's own state file.
_STATE = tempfile.TemporaryDirectory(prefix="mecha-tui-state-")
os.environ["MECHA_TUI_STATE"] = _STATE.name


time.tzset()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-svg", action="store_true", help="accept the pictures as they are")


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of half a megabyte that answers with thousands of tokens a second."""
    path = tmp_path_factory.mktemp("models") / "tiny.gguf"
    write_model(path)
    return path


@pytest.fixture(scope="session")
def slow_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model slow enough to be watched: some dozens to hundreds of tokens a second."""
    path = tmp_path_factory.mktemp("models") / "slow.gguf"
    write_model(path, embedding=512, blocks=8, name="slow")
    return path
