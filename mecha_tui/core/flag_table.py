"""The launch flags of llama-server that some rule needs: spellings, variables and defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Flag:
    """One flag that some rule needs, in every way it may be given."""

    spellings: tuple[str, ...]
    variable: str | None = None
    """The environment variable that stands in for it."""
    negations: tuple[str, ...] = ()


INTEGERS = {
    "context_tokens": Flag(("-c", "--ctx-size"), "LLAMA_ARG_CTX_SIZE"),
    "slots": Flag(("-np", "--parallel"), "LLAMA_ARG_N_PARALLEL"),
    "per_slot_cap_tokens": Flag(("--kv-unified-per-slot",), "LLAMA_ARG_KV_UNIFIED_PER_SLOT"),
    "reasoning_budget": Flag(("--reasoning-budget",), "LLAMA_ARG_THINK_BUDGET"),
    "cache_ram_mib": Flag(("-cram", "--cache-ram"), "LLAMA_ARG_CACHE_RAM"),
    "sleep_idle_s": Flag(("--sleep-idle-seconds",)),
    "physical_batch_tokens": Flag(("-ub", "--ubatch-size"), "LLAMA_ARG_UBATCH"),
    "port": Flag(("--port",), "LLAMA_ARG_PORT"),
}
TEXTS = {
    "reasoning": Flag(("-rea", "--reasoning"), "LLAMA_ARG_REASONING"),
    "cache_type_k": Flag(("-ctk", "--cache-type-k"), "LLAMA_ARG_CACHE_TYPE_K"),
    "cache_type_v": Flag(("-ctv", "--cache-type-v"), "LLAMA_ARG_CACHE_TYPE_V"),
    "fit": Flag(("-fit", "--fit"), "LLAMA_ARG_FIT"),
    "model_path": Flag(("-m", "--model"), "LLAMA_ARG_MODEL"),
    "host": Flag(("--host",), "LLAMA_ARG_HOST"),
    "slot_save_path": Flag(("--slot-save-path",)),
}
SWITCHES = {
    "is_unified": Flag(
        ("-kvu", "--kv-unified"), "LLAMA_ARG_KV_UNIFIED", ("-no-kvu", "--no-kv-unified")
    ),
    "context_shift": Flag(("--context-shift",), "LLAMA_ARG_CONTEXT_SHIFT", ("--no-context-shift",)),
    "swa_full": Flag(("--swa-full",), "LLAMA_ARG_SWA_FULL"),
    "is_embedding": Flag(("--embedding", "--embeddings"), "LLAMA_ARG_EMBEDDINGS"),
    "is_reranking": Flag(("--rerank", "--reranking"), "LLAMA_ARG_RERANKING"),
}
TAKES_TEXT = frozenset(
    (
        "-a",
        "--alias",
        "--api-key",
        "--api-key-file",
        "--api-prefix",
        "--chat-template",
        "--chat-template-file",
        "--chat-template-kwargs",
        "-hf",
        "-hfr",
        "--hf-repo",
        "-hff",
        "--hf-file",
        "-hft",
        "--hf-token",
        "-mu",
        "--model-url",
        "-mm",
        "--mmproj",
        "-md",
        "--model-draft",
        "--lora",
        "--log-file",
        "--path",
        "--tags",
        "--grammar",
        "--override-kv",
        "--reasoning-budget-message",
        "--reasoning-format",
        "-r",
        "--reverse-prompt",
    )
)
"""Flags whose value could look like another flag."""

VARIABLES = frozenset(
    variable
    for table in (INTEGERS, TEXTS, SWITCHES)
    for flag in table.values()
    if flag.variable
    for variable in (flag.variable, flag.variable.replace("LLAMA_ARG_", "LLAMA_ARG_NO_"))
)
"""The environment variables that are read; no other is ever looked at."""

DEFAULTS: Mapping[str, int | str | bool] = {
    "reasoning_budget": -1,
    "cache_ram_mib": 8192,
    "sleep_idle_s": -1,
    "physical_batch_tokens": 512,
    "reasoning": "auto",
    "cache_type_k": "f16",
    "cache_type_v": "f16",
    "fit": "on",
    "is_unified": False,
    "context_shift": False,
    "swa_full": False,
    "is_embedding": False,
    "is_reranking": False,
}
"""What current builds take where nothing is given."""

BY_SPELLING = {
    spelling: field
    for table in (INTEGERS, TEXTS)
    for field, flag in table.items()
    for spelling in flag.spellings
}
"""The field that a spelling sets, for flags that take a value."""
SWITCHED = {
    spelling: (field, value)
    for field, flag in SWITCHES.items()
    for value, spellings in ((True, flag.spellings), (False, flag.negations))
    for spelling in spellings
}
"""The field and value that a spelling sets, for flags that take none."""
SWITCHED_OFF = {
    spelling: flag.negations[-1]
    for flag in SWITCHES.values()
    if flag.negations
    for spelling in flag.spellings
}
"""The spelling that switches off what another switches on."""
BY_VARIABLE = {
    flag.variable: flag.spellings[-1]
    for table in (INTEGERS, TEXTS, SWITCHES)
    for flag in table.values()
    if flag.variable
}
"""The long spelling that a variable stands for."""
