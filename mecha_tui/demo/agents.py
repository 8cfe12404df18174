"""``python -m mecha_tui.demo.agents URL``: six scripted agents that keep a server busy.

They come in tides. At the flood all six ask at once, which is more than the demo's four
slots can take, so some wait; at the ebb the chats pause, so slots fall idle and keep
what they hold. A chat sends its whole transcript with every turn, as agents do, and
starts over when the server says that it has outgrown its slot.

How long an answer may be follows from the server's own speed, so that a turn takes some
seconds on a slow machine as on a fast one.
"""

from __future__ import annotations

import argparse
import http.client
import itertools
import json
import os
import random
import sys
import threading
import time
import urllib.parse
from collections.abc import Sequence
from dataclasses import dataclass

from mecha_tui.demo.lifeline import end_at_eof

TIDE_S = 18.0
"""From one flood to the next."""
EBB_S = 6.0
"""For so long before the next flood nobody begins a turn."""
SHORTEST_ANSWER_TOKENS, LONGEST_ANSWER_TOKENS = 16, 500
"""Bounds of an answer: its speed is only guessed from the one before."""
PATIENCE_S = 600.0
"""How long an agent waits for an answer."""
_FIRST_GUESS_TOKENS_PER_S = 40.0
_VOCABULARY = (
    "the a tool reads file server slot prompt answer context window token model plan step check "
    "write test error line value cache prefix turn agent memory speed batch queue result and or "
    "if then not with from into over under again before after"
)


@dataclass(frozen=True, slots=True)
class Agent:
    """One agent's habits. The model's tokens are single characters, so lengths are both."""

    name: str
    opening_tokens: int
    """Length of what it begins a chat with."""
    turn_tokens: int = 0
    """Length of each further message."""
    answer_s: float | None = 3.0
    """How long an answer should take; None lets it run until the slot is full."""
    pause_s: float = 1.0
    """How long it thinks between two turns."""
    chats: bool = True
    """Whether it goes on with its transcript; otherwise every prompt is a new one."""
    late_s: float = 0.0
    """How long after the flood it asks."""


AGENTS = (
    Agent("planner", 500, turn_tokens=120, answer_s=4.0),
    Agent("coder", 2400, turn_tokens=300, answer_s=5.0, pause_s=0.5, late_s=0.2),
    Agent("errand", 200, turn_tokens=40, answer_s=1.5, pause_s=0.5, late_s=0.4),
    Agent("writer", 1200, turn_tokens=200, answer_s=None, late_s=0.8),
    Agent("reviewer", 6200, turn_tokens=60, answer_s=2.0, pause_s=2.0, late_s=2.0),
    Agent("reader", 7500, answer_s=1.5, pause_s=3.0, chats=False, late_s=4.0),
)


@dataclass(frozen=True, slots=True)
class Tide:
    """When agents may begin a turn, on one clock for all of them."""

    began_s: float

    def wait_s(self, now_s: float, late_s: float) -> float:
        """Return how long an agent has to wait before it may begin its next turn."""
        passed_s = now_s - self.began_s
        into_tide_s = passed_s % TIDE_S
        if into_tide_s < late_s:
            return late_s - into_tide_s
        if into_tide_s < TIDE_S - EBB_S:
            return 0.0
        return TIDE_S - into_tide_s + late_s


@dataclass(frozen=True, slots=True)
class Answer:
    """What a turn brought back."""

    text: str
    tokens_per_s: float | None


def prose(chosen: random.Random, length: int) -> str:
    """Return made-up text of exactly so many characters."""
    vocabulary = _VOCABULARY.split()
    text = chosen.choice(vocabulary)
    while len(text) < length:
        text += f" {chosen.choice(vocabulary)}"
    return text[:length]


def ask(url: str, messages: list[dict[str, str]], limit_tokens: int | None) -> Answer | None:
    """Send one turn and wait for its end.

    Returns:
        None when the server refuses it: the transcript has outgrown the slot.

    Raises:
        OSError: The server cannot be reached or went away.
        ValueError: It answered with something else than a chat completion.
    """
    body: dict[str, object] = {"messages": messages}
    if limit_tokens is not None:
        body["max_tokens"] = limit_tokens
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc, timeout=PATIENCE_S)
    try:
        headers = {"Content-Type": "application/json"}
        connection.request("POST", "/v1/chat/completions", json.dumps(body), headers)
        reply = connection.getresponse()
        content = reply.read()
    finally:
        connection.close()
    if reply.status == http.client.BAD_REQUEST:
        return None
    if reply.status != http.client.OK:
        raise ValueError(f"HTTP {reply.status}")
    answer = json.loads(content)
    try:
        text = answer["choices"][0]["message"]["content"]
        return Answer(str(text), answer.get("timings", {}).get("predicted_per_second"))
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise ValueError("not a chat completion") from error


def most_tokens(agent: Agent, tokens_per_s: float) -> int | None:
    """Return how long an answer may be at the server's present speed; None is no limit."""
    if agent.answer_s is None:
        return None
    wanted = round(tokens_per_s * agent.answer_s)
    return min(max(SHORTEST_ANSWER_TOKENS, wanted), LONGEST_ANSWER_TOKENS)


def live(agent: Agent, url: str, tide: Tide) -> None:
    """Play one agent for ever, or until the server is gone."""
    chosen = random.Random(agent.name)  # noqa: S311  # a script, no secret
    tokens_per_s = _FIRST_GUESS_TOKENS_PER_S
    messages: list[dict[str, str]] = []
    for turn in itertools.count(1):
        time.sleep(tide.wait_s(time.monotonic(), agent.late_s))
        if not messages:
            opening = f"{agent.name} {turn}: {prose(chosen, agent.opening_tokens)}"
            messages = [{"role": "system", "content": opening}]
        else:
            messages.append({"role": "user", "content": prose(chosen, agent.turn_tokens)})
        try:
            answer = ask(url, messages, most_tokens(agent, tokens_per_s))
        except (OSError, ValueError, http.client.HTTPException):
            return
        if answer is None or not agent.chats:
            messages = []
        else:
            messages.append({"role": "assistant", "content": answer.text})
        if answer is not None:
            tokens_per_s = answer.tokens_per_s or tokens_per_s
        time.sleep(agent.pause_s)


def main(argv: Sequence[str] | None = None) -> int:
    """Play all agents until the server is gone."""
    parser = argparse.ArgumentParser(prog="mecha_tui.demo.agents", allow_abbrev=False)
    parser.add_argument("url")
    parser.add_argument("--nice", type=int, default=0)
    parser.add_argument("--until-eof", action="store_true")
    options = parser.parse_args(argv)
    if options.until_eof:
        end_at_eof()
    os.nice(options.nice)
    tide = Tide(time.monotonic())
    threads = [
        threading.Thread(target=live, args=(agent, options.url, tide), daemon=True)
        for agent in AGENTS
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return 0


if __name__ == "__main__":
    sys.exit(main())
