"""Finds the file of the model that a process runs, as seen from here, and reads its shape."""

from __future__ import annotations

import os
from pathlib import Path

import psutil

from mecha_tui.collect.gguf_header import model_shape
from mecha_tui.core.kv import ModelShape
from mecha_tui.core.reading import Reading, unknown

_MAPS_LIMIT_BYTES = 8 * 1024 * 1024


def shape_for_process(pid: int, model_path: Reading[str]) -> Reading[ModelShape]:
    """Return the shape of a process's model.

    Args:
        pid: The server's process.
        model_path: ``-m`` as it was given; a model fetched from a hub has none, and is
            then told by the file that the process holds mapped.
    """
    path = _mapped_model(pid) if model_path.value is None else Path(model_path.value)
    if path is None:
        return unknown("the server names no model file")
    seen = _seen_from_here(pid, path)
    return (
        unknown("the model file cannot be found from here") if seen is None else (model_shape(seen))
    )


def shape_for_path(model_path: Reading[str]) -> Reading[ModelShape]:
    """Return the shape of a model whose process is not known, such as a router's child."""
    path = Path(model_path.value or "")
    if not path.is_absolute() or not os.path.isfile(path):
        return unknown("the server names no model file that can be found from here")
    return model_shape(path)


def _seen_from_here(pid: int, path: Path) -> Path | None:
    """Return the path below the process's own root and folder, which a container has apart."""
    root = Path(f"/proc/{pid}/root")
    if not path.is_absolute():
        try:
            path = Path(psutil.Process(pid).cwd()) / path
        except (OSError, psutil.Error):
            return None
    candidates = (root / path.relative_to("/"), path)
    return next((one for one in candidates if os.path.isfile(one)), None)


def _mapped_model(pid: int) -> Path | None:
    try:
        with Path(f"/proc/{pid}/maps").open("rb") as file:
            maps = file.read(_MAPS_LIMIT_BYTES).decode("utf-8", "replace")
    except OSError:
        return None
    mapped = (line.partition("/") for line in maps.splitlines() if line.endswith(".gguf"))
    return next((Path(f"/{rest}") for _, slash, rest in mapped if slash), None)
