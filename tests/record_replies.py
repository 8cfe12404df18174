"""Records real replies of both builds into tests/data/<build>/, for the replay tests.

``scripts/record-replies`` runs it.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
import urllib.request
from pathlib import Path

from mecha_tui.demo.model import write_model
from tests.servers import BUILDS, OLD, RunningServer, running_server, wait_until

DATA = Path(__file__).resolve().parent / "data"
PROMPT = "hello there " * 150


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_model(folder / "tiny.gguf")
        write_model(folder / "slow.gguf", embedding=512, blocks=8, name="slow")
        for build in BUILDS:
            record(build, folder)
        if OLD in BUILDS:
            record_router(folder)


def record(build: str, folder: Path) -> None:
    target = DATA / build
    flags = ("-c", "32768", "-np", "4", "--metrics", "-b", "256", "--alias", "demo")
    with running_server(build, folder / "slow.gguf", *flags) as server:
        keep(server, target, "health", "/health")
        keep(server, target, "props", "/props")
        keep(server, target, "models", "/v1/models")
        keep(server, target, "slots-unused", "/slots")
        server.complete_in_background(PROMPT, 60, id_slot=1, cache_prompt=False)
        wait_until(lambda: is_at(server, 0), "reading")
        keep(server, target, "slots-reading", "/slots")
        wait_until(lambda: is_at(server, 5), "writing")
        keep(server, target, "slots-writing", "/slots")
        wait_until(lambda: not busy(server), "idle")
        keep(server, target, "slots-released", "/slots")
        for _ in range(7):
            server.complete_in_background("hello " * 10, 60)
        wait_until(lambda: "requests_deferred 3" in server.get("/metrics")[1], "a queue")
        keep(server, target, "metrics", "/metrics", "txt")
    with running_server(build, folder / "tiny.gguf", "-c", "512", "--no-slots") as server:
        keep(server, target, "slots-off", "/slots")
        keep(server, target, "metrics-off", "/metrics")
        keep(server, target, "not-found", "/nothing-here")
    with running_server(build, folder / "tiny.gguf", "-c", "512", "--api-key", "k") as server:
        keep(server, target, "locked", "/props")
    with running_server(build, folder / "slow.gguf", "-c", "32768", wait=False) as server:
        wait_until(lambda: status(server) == 503, "loading")
        keep(server, target, "loading", "/slots")


def record_router(folder: Path) -> None:
    models = folder / "models"
    models.mkdir()
    for name in ("alpha", "beta"):
        shutil.copy(folder / "tiny.gguf", models / f"{name}.gguf")
    target = DATA / OLD
    with running_server(OLD, None, "--models-dir", str(models), "-c", "1024") as server:
        keep(server, target, "router-props", "/props")
        keep(server, target, "router-slots", "/slots")
        keep(server, target, "router-not-loaded", "/slots?model=beta&autoload=false")
        body = json.dumps({"model": "alpha"}).encode()
        request = urllib.request.Request(
            f"{server.url}/models/load", body, {"Content-Type": "application/json"}
        )
        urllib.request.urlopen(request).close()
        wait_until(lambda: '"loaded"' in server.get("/models")[1], "loaded")
        keep(server, target, "router-models", "/models")


def is_at(server: RunningServer, decoded: int) -> bool:
    for slot in json.loads(server.get("/slots")[1]):
        if slot["is_processing"] and slot["n_prompt_tokens_processed"] > 0:
            return bool(slot["next_token"][0]["n_decoded"] >= decoded)
    return False


def busy(server: RunningServer) -> bool:
    return any(slot["is_processing"] for slot in json.loads(server.get("/slots")[1]))


def status(server: RunningServer) -> int:
    try:
        return server.get("/slots", 2.0)[0]
    except OSError:
        return 0


def keep(server: RunningServer, target: Path, name: str, path: str, kind: str = "json") -> None:
    """Write one reply, without the names of folders on this machine."""
    _, body = server.get(path)
    body = re.sub(r'(/[^"/ ]+)+/(?=[\w.-]+\.gguf|llama-server")', "/models/", body)
    target.mkdir(parents=True, exist_ok=True)
    (target / f"{name}.{kind}").write_text(body.rstrip("\n") + "\n", "utf-8")
    sys.stdout.write(f"{target.name} {name}: {len(body)} bytes\n")


if __name__ == "__main__":
    main()
