"""Processes and terminals as hostile as they come, through the real command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cases.reports import AWAKE, PROGRAM, check_of, told
from tests.servers import free_port

HOSTILE = (
    *(b"-c", b"8192\nx", b"-np", b"2", b"--alias", b"a\x1b[31m\xff\xfe"),
    *(b"-ctk", b"q\n8_0\x1b[31m", b"--zz", b"y" * 100_000, b"-m", b"/no\xff\n.gguf"),
)


def test_a_command_line_of_any_bytes_is_read_and_never_shown(tmp_path: Path) -> None:
    program = tmp_path / "llama-server"
    program.write_text(PROGRAM)
    process = subprocess.Popen(
        [sys.executable, str(program), *HOSTILE], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    props = {**AWAKE, "total_slots": 2, "default_generation_settings": {"n_ctx": 4096}}
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps({"/props": (200, props)}).encode() + b"\n")
        process.stdin.flush()
        url = f"http://127.0.0.1:{int(process.stdout.readline())}"
        _, server = check_of(url)
        _, text = told("check", "--url", url)
    finally:
        process.kill()
        process.communicate()
    assert server["numbers"]["context_tokens"]["value"] == 8192
    assert server["kv_mode"] == "divided"
    for shown in (text, json.dumps(server, ensure_ascii=False)):
        assert not any(part in shown for part in ("\x1b", "\udcff", "yyyy"))


@pytest.mark.parametrize("command", ["", "status", "check", "status --format json"])
def test_a_pipe_that_is_not_utf8_gets_what_it_can_take(command: str, home: Path) -> None:
    words = [*command.split(), "--url", f"http://127.0.0.1:{free_port()}"]
    done = subprocess.run(
        [sys.executable, "-m", "mecha_tui", *words],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "HOME": str(home), "PYTHONIOENCODING": "ascii"},
    )
    assert done.stderr == b""
    assert b"down" in done.stdout
    assert done.stdout.isascii()
