"""One model of a real router is loaded anew; the other does not notice."""

from __future__ import annotations

import json
import shutil
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from mecha_tui.core.restart import Stage, Verdict
from tests.restarts import Restarting
from tests.servers import OLD, RunningServer, running_server, wait_until


@pytest.fixture
def router(tiny_model: Path, tmp_path: Path) -> Iterator[RunningServer]:
    folder = tmp_path / "models"
    folder.mkdir()
    for name in ("alpha", "beta"):
        shutil.copy(tiny_model, folder / f"{name}.gguf")
    flags = ("--models-dir", str(folder), "-c", "1024", "-np", "2", "--no-models-autoload")
    with running_server(OLD, None, *flags) as running:
        for name in ("alpha", "beta"):
            load(running, name)
        yield running


def load(router: RunningServer, name: str) -> None:
    request = urllib.request.Request(
        f"{router.url}/models/load",
        json.dumps({"model": name}).encode(),
        {"Content-Type": "application/json"},
    )
    urllib.request.urlopen(request, timeout=60).close()
    wait_until(lambda: entry(router, name)["status"]["value"] == "loaded", f"{name} is loaded")


def entry(router: RunningServer, name: str) -> dict[str, dict[str, object]]:
    models = json.loads(router.get("/models")[1])["data"]
    found = next(one for one in models if one["id"] == name)
    assert isinstance(found, dict)
    return found


def port_of(router: RunningServer, name: str) -> object:
    arguments = entry(router, name)["status"]["args"]
    assert isinstance(arguments, list)
    return arguments[arguments.index("--port") + 1]


def slots_of(router: RunningServer, name: str) -> str:
    return router.get(f"/slots?model={name}&autoload=false")[1]


async def test_one_model_is_loaded_anew_and_the_others_slots_stay(
    router: RunningServer, tmp_path: Path
) -> None:
    router.complete("hello", 8, model="alpha")
    router.complete("hello", 8, model="beta")
    port, held = port_of(router, "alpha"), slots_of(router, "beta")
    assert "n_prompt_tokens" in slots_of(router, "alpha")
    outcome = await Restarting(tmp_path / "state").run(f"{router.url}#alpha")
    assert outcome.verdict is Verdict.UNKNOWN, outcome
    stages = [mark.stage for mark in outcome.marks]
    assert stages == [Stage.STOPPING, Stage.STOPPED, Stage.LOADING, Stage.READY]
    assert entry(router, "alpha")["status"]["value"] == "loaded"
    assert "n_prompt_tokens" not in slots_of(router, "alpha")
    assert port_of(router, "alpha") != port
    assert slots_of(router, "beta") == held


async def test_a_model_that_does_not_load_again_is_told(
    router: RunningServer, tmp_path: Path
) -> None:
    (tmp_path / "models" / "alpha.gguf").write_bytes(b"no model")
    outcome = await Restarting(tmp_path / "state").run(f"{router.url}#alpha")
    assert outcome.verdict is Verdict.NOT_BACK, outcome
    assert "ended while it was loaded" in outcome.cause
    assert slots_of(router, "beta").startswith("[")
