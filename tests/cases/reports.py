"""Runs the real commands on servers that answer as public reports say, and reads their JSON."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from mecha_tui import cli
from tests.stub_server import Script, reply

NOT_FOUND = reply(
    {"error": {"code": 404, "message": "File Not Found", "type": "not_found_error"}}, "404 No"
)
HEALTH = {"status": "ok"}
PROPS: dict[str, Any] = {
    "default_generation_settings": {"n_ctx": 8192},
    "total_slots": 1,
    "model_alias": "qwen",
    "build_info": "b1-7e4c0a9",
}
AWAKE = {**PROPS, "is_sleeping": False, "endpoint_slots": True, "endpoint_metrics": True}
OFF = {"error": {"code": 501, "type": "not_supported_error"}}
WRITING: dict[str, Any] = {
    "id": 0,
    "n_ctx": 8192,
    "is_processing": True,
    "id_task": 41,
    "n_prompt_tokens": 999,
    "n_prompt_tokens_processed": 100,
    "n_prompt_tokens_cache": 890,
    "next_token": [{"has_next_token": True, "n_remain": 90, "n_decoded": 10}],
}
PROGRAM = """
import http.server, json, sys
answers = json.loads(sys.stdin.readline())
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        status, body = answers.get(self.path, (404, {"error": {"type": "not_found_error"}}))
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
    def log_message(self, *words): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
"""


def answering(raw: Mapping[str, bytes]) -> Script:
    """Return a script that answers each path with the same bytes, and 404 elsewhere."""

    def script(target: str) -> Iterable[bytes]:
        return [raw.get(target, NOT_FOUND)]

    return script


@contextlib.contextmanager
def started_with(
    folder: Path,
    flags: str,
    answers: Mapping[str, object],
    environment: Mapping[str, str] | None = None,
    name: str = "llama-server",
) -> Iterator[str]:
    """Run a program of this name with these flags, which answers 200 with JSON."""
    program = folder / name
    program.write_text(PROGRAM)
    process = subprocess.Popen(
        [sys.executable, str(program), *flags.split()],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=dict(environment or {}),
        text=True,
    )
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps({path: (200, body) for path, body in answers.items()}))
        process.stdin.write("\n")
        process.stdin.flush()
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
    finally:
        process.kill()
        process.communicate()


def told(*arguments: str) -> tuple[int, str]:
    """Return exit status and output of ``mecha-tui``."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        status = cli.main(arguments)
    return status, output.getvalue()


def status_of(url: str, *more: str) -> list[dict[str, Any]]:
    """Return the servers of ``mecha-tui status --format json``."""
    _, text = told("status", "--format", "json", "--sample", "0", "--url", url, *more)
    servers: list[dict[str, Any]] = json.loads(text)["servers"]
    return servers


def check_of(url: str, *more: str) -> tuple[int, dict[str, Any]]:
    """Return exit status and only server of ``mecha-tui check --json``."""
    status, text = told("check", "--json", "--url", url, *more)
    (server,) = json.loads(text)["servers"]
    return status, server


def facts(server: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the findings that are facts, by code."""
    return {one["code"]: one for one in server["findings"] if one["verdict"] == "disagree"}
