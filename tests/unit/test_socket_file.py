"""A socket file at which nobody listens is named, with what to do."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from mecha_tui.collect.address import parse_address
from mecha_tui.collect.http import Connection
from mecha_tui.collect.no_reply import NoReplyError
from mecha_tui.core.replies import Failure


async def why(path: Path) -> str:
    connection = Connection(parse_address(str(path)), None)
    with pytest.raises(NoReplyError) as told:
        await connection.get("/health", 5.0, 1000)
    await connection.aclose()
    assert told.value.failure is Failure.REFUSED
    return told.value.detail


async def test_one_left_behind(tmp_path: Path) -> None:
    path = tmp_path / "left.sock"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
    told = await why(path)
    assert f"nobody listens at the socket file {path}" in told
    assert f"rm {path}" in told


async def test_one_that_is_not_there(tmp_path: Path) -> None:
    assert "there is no socket file" in await why(tmp_path / "none.sock")


async def test_a_file_of_another_kind(tmp_path: Path) -> None:
    path = tmp_path / "plain.sock"
    path.write_text("")
    assert (await why(path)).endswith("is no socket file")
