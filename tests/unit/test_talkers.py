"""Connections become talkers, and the page says what is known of them and what is not."""

from __future__ import annotations

import asyncio
import os
import socket
from dataclasses import replace

import pytest

from mecha_tui.collect.program import is_watcher
from mecha_tui.collect.talkers import LocalTalkers, Peer, talkers_among, tcp_peers
from mecha_tui.core.log_lines import LogFact, LogKind
from mecha_tui.core.server_log import LogNews
from mecha_tui.core.talkers import Talker, Talkers
from mecha_tui.present.pages.talkers import talkers_page
from mecha_tui.present.text import plain, width_of
from mecha_tui.present.view import View
from tests.app import scenes


def shown(talkers: Talkers, width: int = 100, news: LogNews | None = None) -> str:
    picture = scenes.busy()
    if news is not None:
        picture = replace(picture, log=picture.log.with_news(news, picture.now_s - 5.0))
    page = talkers_page(View(picture), talkers, width)
    assert all(width_of(one) <= width for one in page.lines)
    return " ".join(" ".join(plain(one) for one in page.lines).split())


def test_connections_of_one_program_are_counted_together() -> None:
    found = talkers_among([Peer(os.getpid()), Peer(os.getpid()), Peer(None)], 1.0)
    assert [(one.pid, one.count, one.is_watching) for one in found.found] == [
        (os.getpid(), 2, True)
    ]
    assert found.hidden == 1


def test_another_machine_is_told_by_its_address() -> None:
    found = talkers_among([Peer(None, "192.0.2.7")] * 3, 1.0)
    assert found.found == (Talker("192.0.2.7", None, 3),)


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
def test_our_own_connection_is_found_once(family: socket.AddressFamily) -> None:
    host = "127.0.0.1" if family is socket.AF_INET else "::1"
    with socket.create_server((host, 0), family=family) as server:
        port = server.getsockname()[1]
        with socket.create_connection((host, port)):
            assert tcp_peers(port) == [Peer(os.getpid())]


@pytest.mark.parametrize(
    ("words", "is_one"),
    [
        (("python3", "-m", "mecha_tui"), True),
        (("/venv/bin/python", "/venv/bin/mecha-tui", "--url"), True),
        (("mecha-tui",), True),
        (("python3", "agent.py", "mecha-tui"), False),
        (("tail", "-f", "mecha-tui.log"), False),
        ((), False),
    ],
)
def test_a_watcher_is_known_by_its_command_line(words: tuple[str, ...], is_one: bool) -> None:
    assert is_watcher(words) is is_one


async def test_since_when_is_kept_from_look_to_look() -> None:
    now_s = [100.0]
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        with socket.create_connection(server.getsockname()):
            source = LocalTalkers(lambda: now_s[0])
            (first,) = (await taken_at(source, url, 100.0)).found
            now_s[0] = 110.0
            (later,) = (await taken_at(source, url, 110.0)).found
    assert (first.since_s, later.since_s) == (100.0, 100.0)


async def taken_at(source: LocalTalkers, url: str, at_s: float) -> Talkers:
    while True:
        found = await source.talkers(url)
        if found.taken_s == at_s:
            return found
        await asyncio.sleep(0.01)


def test_the_page_names_clients_and_watchers_and_counts_the_hidden() -> None:
    found = (
        Talker("python3 agent.py", 4242, 3, since_s=35.0),
        Talker("mecha-tui", 77, 1, is_watching=True),
    )
    text = shown(Talkers(found, 2, "", 100.0))
    assert "5 connections on 4 slots" in text
    assert "3 connections pid 4242 seen for 1:05" in text
    assert "pid 77 watching" in text
    assert "2 connections not visible" in text


@pytest.mark.parametrize("width", [20, 40, 72, 120])
def test_unknown_is_said_and_never_no_one(width: int) -> None:
    text = shown(Talkers(reason="the server runs on another machine"), width)
    assert "– unknown" in text
    assert "No client" not in text
    assert "No client is connected now." in shown(Talkers(reason=""), 60)


def test_a_name_is_data() -> None:
    text = shown(Talkers((Talker("evil\x1b[31m[b]", 1, 1),), 0, "", 1.0))
    assert "\x1b" not in text
    assert "[b]" in text


def test_the_page_counts_what_the_log_tells_and_says_where() -> None:
    refused = LogFact(LogKind.REFUSED, 1, None, 11_162, 8_192)
    text = shown(Talkers(reason=""), news=LogNews("/var/log/llama.log", "", (refused, refused)))
    assert "2 refused, longer than a slot, the last 0:05 ago" in text
    assert "read from /var/log/llama.log" in text
    unread = shown(Talkers(reason=""), news=LogNews(None, "its standard error is a terminal"))
    assert "its standard error is a terminal" in unread
    assert "nothing refused" not in unread
