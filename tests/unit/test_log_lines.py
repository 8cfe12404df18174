"""Lines of the server's log become facts, and nothing else does."""

from __future__ import annotations

import pytest

from mecha_tui.core.log_lines import LogFact, LogKind, log_facts

REFUSED = (
    "srv    send_error: task id = 3, error: request (11162 tokens) exceeds the available "
    "context size (8192 tokens), try increasing it"
)
AGAIN = (
    "slot   operator(): id  1 | task 42 | forcing full prompt re-processing due to lack of "
    "cache data (likely due to SWA or hybrid/recurrent memory, see https://x)"
)


@pytest.mark.parametrize("start", ["", "0.00.023.815 E ", "[41234] 0.00.023.815 W ", "\x1b[31m"])
def test_both_lines_are_read_with_and_without_what_stands_before_them(start: str) -> None:
    assert log_facts([start + REFUSED, start + AGAIN]) == (
        LogFact(LogKind.REFUSED, 3, None, 11162, 8192),
        LogFact(LogKind.REPROCESSED, 42, 1),
    )


def test_an_older_build_refuses_without_numbers() -> None:
    line = (
        "srv    send_error: task id = 7, error: the request exceeds the available context size, "
        "try increasing it"
    )
    assert log_facts([line]) == (LogFact(LogKind.REFUSED, 7),)


def test_a_full_pool_is_told() -> None:
    line = "srv    send_error: task id = 7, error: Context size has been exceeded."
    assert log_facts([line]) == (LogFact(LogKind.OVERFLOWED, 7),)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "srv  log_server_r: done request: GET /slots 127.0.0.1 200",
        f"user: {REFUSED}",
        f"0.00.1 I request: {{{REFUSED}}}",
        REFUSED.replace("11162", "x"),
        AGAIN.replace("id  1", "id x"),
        "srv send_error: task id = 99, error: " + "x" * 100_000 + REFUSED,
    ],
)
def test_other_lines_tell_nothing_even_where_they_hold_the_words(line: str) -> None:
    assert log_facts([line]) == ()
