"""Looks at servers round by round until there is enough to report."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.sample import NOT_LOOKED, Sampler
from mecha_tui.core.state import ServerState
from mecha_tui.core.watch import Pictures, next_pictures

FIRST_LOOK_PATIENCE_S = 6.0
"""How long the first answers may take before a report says that there are none."""
LOOK_INTERVAL_S = 0.1


async def looked_until(
    sampler: Sampler, pictures: Pictures, patience_s: float, met: Callable[[ServerPicture], bool]
) -> Pictures:
    """Look until every server meets a condition, or the patience ends."""
    loop = asyncio.get_running_loop()
    deadline_s = loop.time() + patience_s
    while True:
        pictures = next_pictures(pictures, await sampler.sample())
        if all(map(met, pictures.values())) or loop.time() > deadline_s:
            return pictures
        await asyncio.sleep(LOOK_INTERVAL_S)


def is_whole(picture: ServerPicture) -> bool:
    """Whether a first report has all its parts, or the state that explains their absence."""
    if picture.condition.state in (ServerState.CONNECTING, ServerState.NOT_ANSWERING):
        return False
    return picture.memory.taken_s is not None or picture.condition.state is ServerState.DOWN


def is_settled(picture: ServerPicture) -> bool:
    """Whether the server answered and its process was looked for."""
    if picture.condition.state is ServerState.DOWN:
        return True
    looked = picture.process is not None or picture.why_no_process not in ("", NOT_LOOKED)
    return looked and picture.numbers.launch.model.reason != NOT_LOOKED and is_whole(picture)
