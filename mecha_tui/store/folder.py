"""Where the state file lies."""

from __future__ import annotations

import os
from pathlib import Path

FILE_NAME = "state.sqlite3"


def state_folder() -> Path:
    """Return the platform's folder for a program's state; ``MECHA_TUI_STATE`` names another."""
    told = os.environ.get("MECHA_TUI_STATE")
    if told:
        return Path(told)
    import platformdirs  # not needed for --help

    return Path(platformdirs.user_state_dir("mecha-tui"))
