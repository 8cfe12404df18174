"""An engine's word on a container that publishes a port stands in for its hidden process."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

import pytest

from mecha_tui.collect.container import container_at
from mecha_tui.collect.process import facts_of_container

ID = "447582677fcf5d507a394dd20b8978be733bfd3e113d01905d96d423a7e6a474"
LISTED = f"{ID} 0.0.0.0:8080->8080/tcp, [::]:8080->8080/tcp, 0.0.0.0:9000-9002->9000-9002/tcp\n"
INSPECTED = {
    "Id": ID,
    "Path": "/app/llama-server",
    "Args": ["-m", "/m/x.gguf", "-np", "2", "--api-key", "sk-7"],
    "State": {"Pid": os.getpid()},
    "Config": {"Env": ["PATH=/bin", "LLAMA_ARG_CTX_SIZE=8192", "LLAMA_API_KEY=sk-8"]},
}


class Engine:
    """Answers as ``docker`` does, from what it was given."""

    def __init__(self, listed: str, inspected: object, engine: str = "docker") -> None:
        self._answers: Mapping[tuple[str, str], str] = {
            (engine, "ps"): listed,
            (engine, "inspect"): json.dumps(inspected),
        }

    def __call__(self, command: tuple[str, ...]) -> str:
        return self._answers.get((command[0], command[1]), "")


@pytest.mark.parametrize("engine", ["docker", "podman"])
@pytest.mark.parametrize("port", [8080, 9001])
def test_a_published_port_leads_to_the_containers_flags(engine: str, port: int) -> None:
    container = container_at(port, Engine(LISTED, [INSPECTED], engine))
    assert container is not None
    assert container.name == f"{engine} 447582677fcf"
    facts = facts_of_container(container)
    assert facts is not None
    assert facts.process is not None
    assert facts.process.unit == f"{engine} 447582677fcf"
    assert facts.launch.slots.value == 2
    assert facts.launch.context_tokens.source == "environment LLAMA_ARG_CTX_SIZE"
    assert facts.launch.is_complete
    assert "sk-" not in repr(facts)
    assert "sk-" not in repr(container)


@pytest.mark.parametrize(
    ("listed", "inspected"),
    [
        ("", [INSPECTED]),
        (LISTED.replace("8080->", "8081->"), [INSPECTED]),
        (f"{ID} 8080/tcp\n", [INSPECTED]),
        ("--all 0.0.0.0:8080->8080/tcp\n", [INSPECTED]),
        (LISTED, []),
        (LISTED, {}),
        (LISTED, [{**INSPECTED, "Path": "nginx"}]),
        (LISTED, [{"Path": 7, "Args": 7, "State": 7, "Config": 7}]),
        (LISTED + LISTED.replace("4475", "5586"), [INSPECTED]),
    ],
)
def test_any_doubt_names_no_container(listed: str, inspected: object) -> None:
    assert container_at(8080, Engine(listed, inspected)) is None


def test_a_container_in_a_machine_of_its_own_has_no_process_here() -> None:
    container = container_at(8080, Engine(LISTED, [{**INSPECTED, "State": {"Pid": 0}}]))
    assert container is not None
    assert container.pid is None
    assert facts_of_container(container) is None
