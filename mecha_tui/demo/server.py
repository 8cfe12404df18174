"""``python -m mecha_tui.demo.server``: xllamacpp's llama.cpp server, told by llama-server's flags.

It runs in a process of its own, takes the flags that the demo and the tests need in
llama-server's own spelling, prints ``listening on URL`` once the model is loaded, and
ends on SIGTERM, on SIGINT, or when its standard input closes with ``--until-eof``: a
parent that dies, in whatever way, leaves no server behind.

It ends by leaving at once. xllamacpp's own stop waits for the running requests, and
never returns while one is in flight.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from collections.abc import Sequence

from mecha_tui.demo.lifeline import end_at_eof

AUTO_SLOTS = 4
"""Slots of a server that was not told ``-np``; they then share one pool, as llama-server does."""


_VARIABLES = {
    "ctx_size": "LLAMA_ARG_CTX_SIZE",
    "parallel": "LLAMA_ARG_N_PARALLEL",
    "kv_unified_per_slot": "LLAMA_ARG_KV_UNIFIED_PER_SLOT",
    "cache_ram": "LLAMA_ARG_CACHE_RAM",
    "reasoning_budget": "LLAMA_ARG_THINK_BUDGET",
}
"""Numbers that the environment may give, as for llama-server; the command line wins."""
_SWITCHES = {
    "kv_unified": "LLAMA_ARG_KV_UNIFIED",
    "context_shift": "LLAMA_ARG_CONTEXT_SHIFT",
}


def _from_environment() -> dict[str, int | bool]:
    """Return the defaults that the environment sets."""
    told: dict[str, int | bool] = {
        name: int(os.environ[variable])
        for name, variable in _VARIABLES.items()
        if variable in os.environ
    }
    for name, variable in _SWITCHES.items():
        if variable in os.environ:
            told[name] = os.environ[variable] in ("1", "on", "true", "enabled")
    return told


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="mecha_tui.demo.server", allow_abbrev=False)
    parser.add_argument("-m", "--model", required=True)
    parser.add_argument("-c", "--ctx-size", type=int, default=0)
    parser.add_argument("-np", "--parallel", type=int, default=-1)
    parser.add_argument("-kvu", "--kv-unified", action="store_true")
    parser.add_argument("-no-kvu", "--no-kv-unified", action="store_false", dest="kv_unified")
    parser.add_argument("--kv-unified-per-slot", type=int, default=0)
    parser.add_argument("-b", "--batch-size", type=int)
    parser.add_argument("-t", "--threads", type=int)
    parser.add_argument("-cram", "--cache-ram", type=int)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("-a", "--alias")
    parser.add_argument("--api-key")
    parser.add_argument("--api-prefix", default="")
    parser.add_argument("--metrics", action="store_true")
    parser.add_argument("--no-slots", action="store_true")
    parser.add_argument("--slots", action="store_false", dest="no_slots")
    parser.add_argument("--context-shift", action="store_true")
    parser.add_argument("--no-context-shift", action="store_false", dest="context_shift")
    parser.add_argument("--embeddings", action="store_true")
    parser.add_argument("--sleep-idle-seconds", type=int, default=-1)
    parser.add_argument("--reasoning-budget", type=int, default=-1)
    parser.add_argument("--models-dir", default="")
    parser.add_argument("-lv", "--verbosity", type=int)
    parser.add_argument("--nice", type=int, default=0)
    parser.add_argument("--until-eof", action="store_true")
    parser.set_defaults(**_from_environment())
    return parser


def main(argv: Sequence[str] | None = None) -> None:
    """Serve until told to end; never returns."""
    options = _parser().parse_args(argv)
    if options.until_eof:
        end_at_eof()
    os.nice(options.nice)
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    import xllamacpp  # part of an extra, and slow to import

    server = xllamacpp.Server(_parameters(options))
    sys.stdout.write(f"listening on {server.listening_address}\n")
    sys.stdout.flush()
    ended.wait()
    os._exit(0)


def _parameters(options: argparse.Namespace) -> object:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = options.model
    params.n_ctx = options.ctx_size
    params.n_parallel = options.parallel if options.parallel > 0 else AUTO_SLOTS
    params.kv_unified = options.kv_unified or options.parallel < 1
    params.kv_unified_per_slot = options.kv_unified_per_slot
    params.hostnames = [options.host]
    params.port = options.port
    params.endpoint_metrics = options.metrics
    params.endpoint_slots = not options.no_slots
    params.ctx_shift = options.context_shift
    params.embedding = options.embeddings
    params.sleep_idle_seconds = options.sleep_idle_seconds
    params.api_prefix = options.api_prefix
    params.sampling.reasoning_budget_tokens = options.reasoning_budget
    if options.verbosity is not None:
        params.verbosity = options.verbosity
    if options.alias:
        params.model_alias = {options.alias}
    if options.api_key:
        params.api_keys = [options.api_key]
    if options.batch_size:
        params.n_batch = options.batch_size
    if options.threads:
        params.cpuparams.n_threads = options.threads
        params.cpuparams_batch.n_threads = options.threads
    if options.cache_ram is not None:
        params.cache_ram_mib = options.cache_ram
    return params


if __name__ == "__main__":
    main()
