"""Launch flags are read from argv and environment as llama-server reads them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mecha_tui.core.command_line import (
    launch_flags,
    listening_place,
    preset_arguments,
)
from mecha_tui.core.flag_table import VARIABLES
from mecha_tui.core.launch import NOT_GIVEN
from mecha_tui.core.reading import known


@pytest.mark.parametrize(
    "arguments",
    [
        ["-c", "8192"],
        ["--ctx-size", "8192"],
        ["--ctx_size", "8192"],
        ["--ctx-size=8192"],
        ["-c8192"],
        ["-c", "4096", "-c", "8192"],
        ["-c", "4096", "--ctx-size", "8192"],
        ["-c", "8192x"],
        ["-c", " 8192"],
        ["llama-server", "-m", "-c", "--alias", "-np", "-c", "8192", "--unheard-of", "7"],
        ["--api-key", "--ctx-size", "-c", "8192"],
    ],
)
def test_every_spelling_of_the_context_is_read(arguments: list[str]) -> None:
    flags = launch_flags(arguments, {})
    assert flags.context_tokens == known(8192, "argv")
    assert flags.slots.reason == NOT_GIVEN


@pytest.mark.parametrize(
    ("arguments", "field", "value"),
    [
        (["-np", "4"], "slots", 4),
        (["--parallel", "4"], "slots", 4),
        (["-np", "-1"], "slots", -1),
        (["-kvu"], "is_unified", True),
        (["--kv-unified"], "is_unified", True),
        (["-kvu", "-no-kvu"], "is_unified", False),
        (["--no-kv-unified", "--kv-unified"], "is_unified", True),
        (["--kv-unified-per-slot", "2048"], "per_slot_cap_tokens", 2048),
        (["--reasoning-budget", "4096"], "reasoning_budget", 4096),
        (["--reasoning-budget", "-1"], "reasoning_budget", -1),
        (["--reasoning-budget", "0"], "reasoning_budget", 0),
        (["-cram", "32768"], "cache_ram_mib", 32768),
        (["--cache-ram", "-1"], "cache_ram_mib", -1),
        (["--context-shift"], "context_shift", True),
        (["--context-shift", "--no-context-shift"], "context_shift", False),
        (["--sleep-idle-seconds", "60"], "sleep_idle_s", 60),
        (["-rea", "off"], "reasoning", "off"),
        (["-ctk", "q8_0"], "cache_type_k", "q8_0"),
        (["--cache-type-v", "q4_0"], "cache_type_v", "q4_0"),
        (["--swa-full"], "swa_full", True),
        (["--embeddings"], "is_embedding", True),
        (["--rerank"], "is_embedding", True),
        (["-ub", "2048"], "physical_batch_tokens", 2048),
        (["--fit", "off"], "fit", False),
        (["-m", "/models/a b.gguf"], "model_path", "/models/a b.gguf"),
    ],
)
def test_every_flag_that_a_rule_needs_is_read(
    arguments: list[str], field: str, value: object
) -> None:
    assert getattr(launch_flags(["llama-server", *arguments], {}), field) == known(value, "argv")


@pytest.mark.parametrize(
    ("variable", "text", "field", "value"),
    [
        ("LLAMA_ARG_CTX_SIZE", "8192", "context_tokens", 8192),
        ("LLAMA_ARG_N_PARALLEL", "4", "slots", 4),
        ("LLAMA_ARG_KV_UNIFIED", "on", "is_unified", True),
        ("LLAMA_ARG_KV_UNIFIED", "0", "is_unified", False),
        ("LLAMA_ARG_NO_KV_UNIFIED", "", "is_unified", False),
        ("LLAMA_ARG_KV_UNIFIED_PER_SLOT", "2048", "per_slot_cap_tokens", 2048),
        ("LLAMA_ARG_THINK_BUDGET", "4096", "reasoning_budget", 4096),
        ("LLAMA_ARG_CACHE_RAM", "0", "cache_ram_mib", 0),
        ("LLAMA_ARG_CONTEXT_SHIFT", "true", "context_shift", True),
        ("LLAMA_ARG_NO_CONTEXT_SHIFT", "1", "context_shift", False),
        ("LLAMA_ARG_CACHE_TYPE_K", "q8_0", "cache_type_k", "q8_0"),
    ],
)
def test_the_environment_stands_in_for_a_flag(
    variable: str, text: str, field: str, value: object
) -> None:
    assert variable in VARIABLES
    flags = launch_flags(["llama-server"], {variable: text})
    assert getattr(flags, field) == known(value, f"environment {variable}")


def test_the_command_line_wins_over_the_environment() -> None:
    flags = launch_flags(["-c", "8192"], {"LLAMA_ARG_CTX_SIZE": "4096"})
    assert flags.context_tokens == known(8192, "argv")


def test_a_flag_not_given_has_the_servers_fixed_default_or_is_unknown() -> None:
    flags = launch_flags(["llama-server"], {})
    assert flags.is_complete
    assert flags.reasoning_budget == known(-1, "default")
    assert flags.cache_ram_mib == known(8192, "default")
    assert flags.context_shift == known(False, "default")
    assert flags.context_tokens.value is None
    assert flags.has_auto_slots is True
    assert flags.has_own_context is False


def test_an_unreadable_environment_leaves_what_argv_does_not_say_unknown() -> None:
    flags = launch_flags(["-c", "8192"], None, "the environment may not be read")
    assert flags.context_tokens == known(8192, "argv")
    assert flags.reasoning_budget.value is None
    assert "environment may not be read" in str(flags.reasoning_budget.reason)
    assert flags.has_auto_slots is None
    assert flags.is_unified.value is None


def test_an_unreadable_command_line_leaves_everything_unknown() -> None:
    flags = launch_flags(None, None, "it runs as another user")
    for name in flags.__dataclass_fields__:
        if name != "is_complete":
            reading = getattr(flags, name)
            assert (reading.value, reading.reason) == (None, "it runs as another user"), name


@pytest.mark.parametrize("text", ["", "abc", "99999999999999999999", "0x10"[1:], "\n", "\udcff"])
def test_a_value_that_the_server_would_refuse_is_unknown(text: str) -> None:
    reading = launch_flags(["-c", text], {}).context_tokens
    assert reading.value is None
    assert reading.reason == "argv does not hold a usable value"


def test_a_flag_at_the_end_without_its_value_does_no_harm() -> None:
    assert launch_flags(["llama-server", "-c"], {}).context_tokens.value is None


def test_a_routers_preset_is_read_as_the_command_line_it_stands_for() -> None:
    preset = (
        "[alpha]\n# why\nreasoning-budget = 512\nctx-size = 16384\nmodel = /m/a b.gguf\n"
        "np = 2\nLLAMA_ARG_CACHE_RAM = 77\nkv-unified = false\ncontext-shift = true\n"
        "swa-full = off\ntop-k = 9\nbroken\n= 1\n"
    )
    flags = launch_flags(preset_arguments(preset), {}, source="router")
    assert flags.context_tokens == known(16384, "router")
    assert flags.reasoning_budget.value == 512
    assert flags.slots.value == 2
    assert flags.cache_ram_mib.value == 77
    assert flags.is_unified == known(False, "router")
    assert flags.context_shift.value is True
    assert flags.swa_full == known(False, "default")
    assert flags.model_path.value == "/m/a b.gguf"


@given(st.text())
def test_no_preset_raises(text: str) -> None:
    launch_flags(preset_arguments(text), {})


def test_the_listening_place_falls_back_to_the_servers_defaults() -> None:
    assert listening_place(["llama-server"], {}) == ("127.0.0.1", 8080)
    assert listening_place(["--host", "::", "--port", "81"], {}) == ("::", 81)
    assert listening_place([], {"LLAMA_ARG_PORT": "82"}) == ("127.0.0.1", 82)


@given(
    st.lists(st.text(max_size=40)), st.dictionaries(st.sampled_from(sorted(VARIABLES)), st.text())
)
def test_no_command_line_or_environment_raises(
    arguments: list[str], environment: dict[str, str]
) -> None:
    launch_flags(arguments, environment)


def test_huge_and_hostile_arguments_do_no_harm() -> None:
    flags = launch_flags(["a" * 100_000, "-m", "b" * 100_000, "-c\n9", "-c", "8192\n-np 9"], {})
    assert flags.context_tokens == known(8192, "argv")
    assert flags.model_path.value is None
    assert flags.slots.value is None
