"""What real servers of both builds make of ``-c``, ``-np`` and their kin is what we say of it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from mecha_tui.collect.process import LocalProcesses
from mecha_tui.collect.wire.models import parse_models
from mecha_tui.collect.wire.props import parse_props
from mecha_tui.core.division import KvMode, division
from mecha_tui.core.numbers import ServerNumbers, server_numbers
from tests.servers import BUILDS, NEW, OLD, RunningServer, running_server

TABLE = [
    ("-c 32768 -np 4", 4, 8192, None),
    ("-c 32768", 4, 32768, 32768),
    ("-c 8192 -np 2 -kvu", 2, 8192, 8192),
    ("-c 10000 -np 3", 3, 3584, None),
    ("-c 10000 -np 3 -kvu", 3, 10240, 10240),
    ("-c 1000000 -np 4", 4, 131072, None),
    ("-c 8192 -np 1", 1, 8192, None),
    ("-c 0", 4, 131072, 131072),
]
OWN = {OLD: 65536, NEW: 131072}
"""What each of two slots gets where no total is asked for: builds differ."""
CAPPED = [
    ("--kv-unified-per-slot 2048", 4, 2048, 8192),
    ("--kv-unified-per-slot 2048 -np 3", 3, 2048, None),
    ("-c 4096 --kv-unified-per-slot 2048 -np 4", 4, 1024, None),
    ("-c 8192 --kv-unified-per-slot 2048", 4, 2048, 8192),
    ("-c 32768 --kv-unified-per-slot 2048 -np 4", 4, 2048, None),
]
"""Only newer builds know ``--kv-unified-per-slot``."""
CASES = [(build, *row) for build in BUILDS for row in TABLE] + [(NEW, *row) for row in CAPPED]
CASES += [
    (build, flags, 2, OWN[build], None) for build in BUILDS for flags in ("-np 2", "-c 0 -np 2")
]
_UNIFIED = re.compile(r"initializing, .*kv_unified = '(true|false)'")


def numbers_of(server: RunningServer) -> ServerNumbers:
    launch = LocalProcesses()(server.url).launch
    props = parse_props(server.get("/props")[1].encode())
    models = parse_models(server.get("/v1/models")[1].encode())
    assert props is not None
    assert models is not None
    return server_numbers(launch, props, None, models)


@pytest.mark.parametrize(("build", "flags", "slots", "window", "pool"), CASES)
def test_the_table_holds_on_a_real_server(
    build: str, flags: str, slots: int, window: int, pool: int | None, tiny_model: Path
) -> None:
    with running_server(build, tiny_model, *shlex.split(flags)) as server:
        numbers = numbers_of(server)
        unified = server.logged(_UNIFIED)
    assert (numbers.slots.value, numbers.slot_window_tokens.value) == (slots, window)
    assert numbers.pool_tokens.value == pool
    if slots > 1:
        expected = KvMode.SHARED if unified == "true" else KvMode.DIVIDED
        assert numbers.kv_mode.value is expected
    launch = numbers.launch
    outcome = division(
        launch.context_tokens.value or 0,
        None if launch.has_auto_slots else launch.slots.value,
        is_unified=bool(launch.is_unified.value),
        per_slot_cap_tokens=launch.per_slot_cap_tokens.value,
        training_window_tokens=numbers.training_window_tokens.value,
    )
    if outcome is None:
        assert not launch.has_own_context
        return
    assert (outcome.slots, outcome.slot_window_tokens) == (slots, window)


@pytest.mark.skipif(OLD not in BUILDS, reason="the binary runs on Linux x86-64 only")
@pytest.mark.parametrize(
    ("flags", "environment"),
    [
        ("--ctx_size 8192 -np 2", {}),
        ("-c 4096 -c 8192 -np 2", {}),
        ("-c 8192x -np 2", {}),
        ("-c 8192 -np 2", {"LLAMA_ARG_CTX_SIZE": "4096"}),
        ("-np 2 -kvu -no-kvu", {"LLAMA_ARG_CTX_SIZE": "8192"}),
        ("-c 8192", {"LLAMA_ARG_N_PARALLEL": "2"}),
        ("-c 8192 -np 2", {"LLAMA_ARG_KV_UNIFIED": "off"}),
        ("-c 8192 -np 2", {"LLAMA_ARG_NO_KV_UNIFIED": "1"}),
        ("-c 8192 -np 2", {"LLAMA_ARG_KV_UNIFIED": "enabled"}),
        ("-c 8192", {"LLAMA_ARG_KV_UNIFIED": "0"}),
        ("-c 8192 -np -1", {}),
    ],
)
def test_flags_and_environment_are_read_as_the_binary_reads_them(
    flags: str, environment: dict[str, str], tiny_model: Path
) -> None:
    with running_server(OLD, tiny_model, *shlex.split(flags), environment=environment) as server:
        numbers = numbers_of(server)
        unified = server.logged(_UNIFIED)
    assert numbers.context_tokens.value == 8192
    assert (numbers.kv_mode.value is KvMode.SHARED) == (unified == "true")
    asked = numbers.launch.slots.value
    assert numbers.slots.value == (asked if asked and asked > 0 else 4)


@pytest.mark.skipif(OLD not in BUILDS, reason="the binary runs on Linux x86-64 only")
@pytest.mark.parametrize("flag", ["-c8192", "--ctx-size=8192", "-c"])
def test_the_binary_refuses_joined_values(flag: str, tiny_model: Path) -> None:
    with running_server(OLD, tiny_model, flag, wait=False) as server:
        assert server.process.wait(60) != 0
