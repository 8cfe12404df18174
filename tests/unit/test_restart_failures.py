"""The cause of an end, told from status, log and supervisor."""

from __future__ import annotations

import pytest

from mecha_tui.core.restart_failures import cause_of_end
from mecha_tui.core.secrets import secret_values, without_secrets


@pytest.mark.parametrize(
    ("status", "line", "words"),
    [
        (1, "error: unknown argument: --no-such", "does not know one of its flags (exit status 1)"),
        (1, "couldn't bind HTTP server socket, port: 8080", "its address is taken"),
        (1, "ggml_cuda: cudaMalloc failed: out of memory", "not enough memory"),
        (1, "failed to open GGUF file 'x' (No such file or directory)", "file is missing"),
        (1, "error loading model: invalid magic", "could not be loaded"),
        (-11, "nothing", "it ended (signal SIGSEGV)"),
        (137, "nothing", "it ended (signal SIGKILL)"),
        (None, "nothing", "did not become ready"),
    ],
)
def test_a_cause_is_told_from_status_and_log(status: int | None, line: str, words: str) -> None:
    cause = cause_of_end(status, [line])
    assert words in cause.words
    assert cause.next_step


def test_systemd_and_the_kernel_know_better_than_the_log() -> None:
    limit = cause_of_end(1, ["unknown argument"], systemd_result="start-limit-hit")
    assert "start request repeated too quickly" in limit.words
    assert "reset-failed" in limit.next_step
    assert "for memory" in cause_of_end(-9, [], was_killed_for_memory=True).words


def test_a_log_line_loses_known_and_likely_secrets() -> None:
    values = secret_values(
        ("llama-server", "--api-key", "sk-7-secret", "-c", "8"), ["HF_TOKEN=hf_zzz", "PATH=/bin"]
    )
    assert values >= {"sk-7-secret", "hf_zzz"}
    assert "8" not in values
    line = without_secrets("key sk-7-secret and --hf-token hf_other LLAMA_API_KEY=abc", values)
    assert line == "key *** and --hf-token *** LLAMA_API_KEY=***"
