"""The bytes worked out from a model's header are the bytes that the server reserves."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from mecha_tui.collect.gguf_header import model_shape
from mecha_tui.core.command_line import launch_flags
from mecha_tui.core.numbers import server_numbers
from mecha_tui.core.server import Props
from mecha_tui.demo.model import write_model
from tests.servers import BUILDS, OLD, running_server, wait_until

_RESERVED = re.compile(r"llama_kv_cache: size = +([\d.]+) MiB")


@pytest.mark.skipif(OLD not in BUILDS, reason="the binary runs on Linux x86-64 only")
@pytest.mark.parametrize(
    ("flags", "slots", "window"),
    [
        ("-c 65536 -np 4", 4, 16384),
        ("-c 65536", 4, 65536),
        ("-c 65536 -np 2 -kvu", 2, 65536),
        ("-c 65536 -np 4 -ctk q8_0 -ctv q8_0 -fa on", 4, 16384),
        ("-c 65536 -np 4 -ctk q4_0 -fa on", 4, 16384),
    ],
)
def test_the_server_reserves_what_the_header_says(
    flags: str, slots: int, window: int, tmp_path: Path
) -> None:
    model = tmp_path / "wide.gguf"
    write_model(model, embedding=128, blocks=3)  # heads as wide as a quantized block
    launch = replace(launch_flags(shlex.split(flags), {}), model=model_shape(model))
    props = Props(slot_count=slots, slot_window_tokens=window)
    worked_out = server_numbers(launch, props, None, ()).kv_bytes.value

    def told() -> list[str]:
        return _RESERVED.findall(server.log.read_text("utf-8", "replace"))

    # Some CPUs cannot compute with a quantized cache, so nothing is awaited but the line.
    with running_server(OLD, model, "-v", *shlex.split(flags), wait=False) as server:
        wait_until(told, "the server says what it reserved")
    assert worked_out is not None
    assert f"{worked_out / 1024**2:.2f}" == told()[-1]
