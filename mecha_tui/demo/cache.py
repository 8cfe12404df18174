"""Keeps the made-up models in the user's cache folder, so that a demo writes each only once."""

from __future__ import annotations

import time
from pathlib import Path

import platformdirs

from mecha_tui.demo.model import UNFINISHED_SUFFIX, write_model
from mecha_tui.demo.pace import ModelSize
from mecha_tui.errors import UsageError

VERSION = 1
"""Counted up whenever ``write_model`` comes to write something else."""
_ABANDONED_AFTER_S = 3600.0


def cached_model(size: ModelSize, folder: Path | None = None) -> Path:
    """Return the path of a model of this size, written now unless it is there already.

    Args:
        size: Which model.
        folder: Where models are kept; the user's cache folder by default.

    Raises:
        UsageError: The folder cannot be written.
    """
    folder = folder or platformdirs.user_cache_path("mecha-tui")
    path = folder / f"{size.name}-v{VERSION}.gguf"
    try:
        if not path.exists():
            write_model(path, embedding=size.embedding, blocks=size.blocks, name=size.name)
        _remove_abandoned(folder)
    except OSError as error:
        raise UsageError(
            f"The demo cannot keep its model in {folder}: {error.strerror or error}. "
            "Set XDG_CACHE_HOME to a folder that can be written."
        ) from error
    return path


def _remove_abandoned(folder: Path) -> None:
    """Remove what a process that was killed while it wrote has left behind."""
    for path in folder.glob(f"*{UNFINISHED_SUFFIX}"):
        if time.time() - path.stat().st_mtime > _ABANDONED_AFTER_S:
            path.unlink(missing_ok=True)
