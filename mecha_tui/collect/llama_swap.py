"""llama-swap, which starts and stops a server for each model and passes requests on."""

from __future__ import annotations

from mecha_tui.collect.asking import Asker
from mecha_tui.collect.http import Connection
from mecha_tui.core.replies import Answer, Replies
from mecha_tui.core.server import Model, Props, Role


async def llama_swap(running: Asker[tuple[Model, ...]], connection: Connection) -> Replies | None:
    """Ask what it runs, and nothing else: its other addresses load models and pin them.

    Returns:
        None where another program answers.
    """
    answer = await running.ask(connection)
    if answer.value is None:
        return None
    props = Answer(answer.asked_s, Props(role=Role.LLAMA_SWAP), taken_s=answer.taken_s)
    return Replies(props=props, models=answer)
