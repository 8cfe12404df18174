"""Contexts and budgets that people were misled by, through ``check --json``.

Each case is named for the public report that tells it. The server is a program called
llama-server with the flags and replies of the report.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cases.reports import AWAKE, PROPS, check_of, facts, started_with


def answers(slots: int, window: int, training: int | None = None, **more: Any) -> dict[str, object]:  # noqa: ANN401
    """Return what a server with so many slots says."""
    props = {**AWAKE, "total_slots": slots, "default_generation_settings": {"n_ctx": window}}
    idle = {"n_ctx": window, "speculative": False, "is_processing": False}
    meta = {} if training is None else {"n_ctx_train": training}
    return {
        "/props": {**props, **more},
        "/slots": [{"id": number, **idle} for number in range(slots)],
        "/v1/models": {"data": [{"id": "qwen", "meta": meta}]},
    }


def checked(
    folder: Path, flags: str, said: dict[str, object], *more: str, **environment: str
) -> dict[str, Any]:
    with started_with(folder, flags, said, environment) as url:
        return check_of(url, *more)[1]


CONTEXTS = {
    "11681-plain": ("-c 163840 -np 6", answers(6, 27306), ("divided", 27306, None)),
    "11681-padded": ("-c 163840 -np 6", answers(6, 27392), ("divided", 27392, None)),
    "17300": ("-c 8000 -np 1", answers(4, 8000), ("shared", 8000, 8000)),
    "16736": ("-c 8192", answers(4, 8192), ("shared", 8192, 8192)),
    "jan-8534-divided": ("-c 8192 -np 2", answers(2, 4096), ("divided", 4096, None)),
    "jan-8534-shared": ("-c 8192 -np 2 -kvu", answers(2, 8192), ("shared", 8192, 8192)),
    "hermes-29825": ("-np 2", answers(2, 65536), ("divided", 65536, None)),
    "19070-zero": ("-c 0 -np 2", answers(2, 131072, 131072), ("divided", 131072, None)),
    "19070-omitted": ("--fit on", answers(4, 20480, 131072), ("shared", 20480, 20480)),
    "24124-alone": ("--kv-unified-per-slot 32768", answers(4, 32768), ("shared", 32768, 131072)),
    "24124-parallel": (
        "--kv-unified-per-slot 32768 -np 4",
        answers(4, 32768),
        ("divided", 32768, None),
    ),
}


@pytest.mark.parametrize(("flags", "said", "expected"), CONTEXTS.values(), ids=CONTEXTS)
def test_the_servers_figure_decides_and_the_flags_explain(
    tmp_path: Path, flags: str, said: dict[str, object], expected: tuple[str, int, int | None]
) -> None:
    server = checked(tmp_path, flags, said)
    assert (server["kv_mode"], server["slot_window_tokens"], server["pool_tokens"]) == expected
    assert "division-unexpected" not in facts(server)


FINDINGS: dict[str, tuple[str, dict[str, object], str, str, str]] = {
    "opencode-50187": (
        "-c 32768 -np 4",
        answers(4, 8192),
        "--context-window 65536 --max-tokens 2048",
        "window-over-slot",
        "a slot holds 8,192",
    ),
    "pi-6751": (
        "-c 101072 -np 4",
        answers(4, 25344),
        "--context-window 101072 --max-tokens 2048",
        "window-over-slot",
        "promises 101,072 but a slot holds 25,344",
    ),
    "15416": (
        "-c 32768 -np 4 --context-shift",
        answers(4, 8192),
        "--context-window 8192",
        "context-shift-on",
        "drops its oldest text",
    ),
    "15416-off": (
        "-c 32768 -np 4",
        answers(4, 8192),
        "--context-window 8192 --max-tokens 9000",
        "output-over-slot",
        "max_tokens allows 9,000 but a slot holds 8,192",
    ),
    "22145": (
        "-c 262144 -np 1",
        answers(1, 131072, 131072),
        "--context-window 131072",
        "division-unexpected",
        "capped at what the model was trained for",
    ),
    "20297": (
        "-c 131072 -np 4 --reasoning-budget 8192",
        answers(4, 32768),
        "--context-window 32768 --max-tokens 8192",
        "answer-room-none",
        "max_tokens allows 8,192 but thinking may use 8,192",
    ),
    "chatlas-327": (
        "-c 131072 -np 4 --reasoning-budget 1900",
        answers(4, 32768),
        "--context-window 32768 --max-tokens 2048",
        "answer-room-small",
        "148 are left for the answer",
    ),
}


@pytest.mark.parametrize(
    ("flags", "said", "client", "code", "words"), FINDINGS.values(), ids=FINDINGS
)
def test_the_number_at_fault_is_named(
    tmp_path: Path, flags: str, said: dict[str, object], client: str, code: str, words: str
) -> None:
    server = checked(tmp_path, flags, said, *client.split())
    assert server["agreement"] == "disagree"
    assert words in facts(server)[code]["message"]


def test_20297_a_budget_in_the_environment_counts_and_minus_one_is_no_limit(
    tmp_path: Path,
) -> None:
    client = ("--context-window", "32768", "--max-tokens", "8192")
    flags, said = "-c 131072 -np 4", answers(4, 32768)
    server = checked(tmp_path, flags, said, *client, LLAMA_ARG_THINK_BUDGET="8192")
    assert server["numbers"]["reasoning_budget"]["value"] == 8192
    assert "LLAMA_ARG_THINK_BUDGET" in server["numbers"]["reasoning_budget"]["source"]
    assert facts(server)["answer-room-none"]["cures"][-1]["line"].startswith("LLAMA_ARG_")
    unlimited = checked(tmp_path, f"{flags} --reasoning-budget -1", said, *client)
    assert not {"answer-room-none", "answer-room-small"} & set(facts(unlimited))


def test_9105_settings_that_stand_only_in_the_environment_are_read(tmp_path: Path) -> None:
    told = {"LLAMA_ARG_CTX_SIZE": "65536", "LLAMA_ARG_N_PARALLEL": "4"}
    server = checked(tmp_path, "", answers(4, 16384), **told)
    numbers = server["numbers"]
    assert numbers["context_tokens"] == {
        "value": 65536,
        "source": "environment LLAMA_ARG_CTX_SIZE",
        "reason": None,
    }
    assert server["kv_mode"] == "divided"
    both = checked(tmp_path, "-c 32768", answers(4, 8192), **told)
    assert both["numbers"]["context_tokens"]["value"] == 32768


def test_3780_an_empty_variable_is_not_a_number(tmp_path: Path) -> None:
    server = checked(tmp_path, "-np 4", answers(4, 8192), LLAMA_ARG_CTX_SIZE="")
    assert server["numbers"]["context_tokens"]["value"] is None
    assert server["slot_window_tokens"] == 8192


def test_jan_8534_without_flags_only_the_servers_window_is_compared(tmp_path: Path) -> None:
    said = {"/props": {**PROPS, "total_slots": 2, "default_generation_settings": {"n_ctx": 4096}}}
    with started_with(tmp_path, "-c 8192 -np 2", said, name="forwarder") as url:
        status, server = check_of(url, "--context-window", "8192", "--max-tokens", "512")
    assert status == 1
    assert server["kv_mode"] == "unknown"
    assert server["pool_tokens"] is None
    assert server["numbers"]["context_tokens"]["value"] is None
    assert set(facts(server)) == {"window-over-slot"}


def test_opencode_50187_the_cure_names_the_key_of_its_own_file(tmp_path: Path, home: Path) -> None:
    with started_with(tmp_path, "-c 32768 -np 4", answers(4, 8192)) as url:
        file = home / ".config" / "opencode" / "opencode.json"
        file.parent.mkdir(parents=True)
        model = {"limit": {"context": 65536, "output": 4096}}
        provider = {"options": {"baseURL": f"{url}/v1"}, "models": {"qwen": model}}
        file.write_text(json.dumps({"provider": {"box": provider}}))
        status, server = check_of(url)
    found = facts(server)["window-over-slot"]
    assert status == 1
    assert found["severity"] == "error"
    assert '"context": 8192' in found["cures"][0]["line"]
    assert "opencode.json" in found["cures"][0]["place"]


def test_10135_an_embeddings_server_is_called_one_and_owes_nobody_an_answer(
    tmp_path: Path,
) -> None:
    flags = "--embeddings -c 8192 -np 1 --reasoning-budget 4096"
    server = checked(tmp_path, flags, answers(1, 8192), "--max-tokens", "512")
    assert server["role"] == "embeddings"
    assert server["numbers"]["reasoning_budget"]["value"] is None
    assert facts(server) == {}
