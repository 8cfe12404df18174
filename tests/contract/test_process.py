"""The process behind an address is found by its socket, and tells its flags or why it does not."""

from __future__ import annotations

import http.server
import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from mecha_tui.collect.control_group import owner_of
from mecha_tui.collect.process import LocalProcesses
from mecha_tui.collect.program import is_llama_server
from mecha_tui.collect.sockets import Door, _own_sockets, is_local, listener, listens_for
from mecha_tui.core.division import KvMode
from mecha_tui.core.numbers import server_numbers
from mecha_tui.core.server import Props
from tests.servers import BUILDS, NEW, OLD, free_port, running_server

FLAGS = ("-c", "8192", "-np", "2", "--reasoning-budget", "4096")


@pytest.mark.parametrize("build", BUILDS)
def test_the_flags_are_read_from_the_process_that_owns_the_port(
    build: str, tiny_model: Path
) -> None:
    with running_server(build, tiny_model, *FLAGS, "--api-key", "sk-secret-7") as server:
        for url in (server.url, f"http://localhost:{server.port}"):
            facts = LocalProcesses()(url)
            assert facts.process is not None
            assert facts.process.pid == server.pid
            assert facts.launch.context_tokens.value == 8192
            assert facts.launch.slots.value == 2
            assert facts.launch.reasoning_budget.value == 4096
            assert facts.launch.is_complete
            assert "sk-secret-7" not in repr(facts)


@pytest.mark.skipif(OLD not in BUILDS, reason="the binary runs on Linux x86-64 only")
def test_the_environment_is_read_too_and_says_what_the_server_made_of_it(
    tiny_model: Path,
) -> None:
    environment = {
        "LLAMA_ARG_CTX_SIZE": "8192",
        "LLAMA_ARG_N_PARALLEL": "2",
        "LLAMA_ARG_KV_UNIFIED": "1",
        "LLAMA_ARG_THINK_BUDGET": "512",
        "LLAMA_API_KEY": "sk-secret-7",
    }
    with running_server(OLD, tiny_model, environment=environment) as server:
        facts = LocalProcesses()(server.url)
        assert facts.launch.context_tokens.source == "environment LLAMA_ARG_CTX_SIZE"
        assert facts.launch.reasoning_budget.value == 512
        assert "sk-secret-7" not in repr(facts)
        numbers = server_numbers(
            facts.launch, Props(slot_count=2, slot_window_tokens=8192), None, ()
        )
        assert numbers.kv_mode.value is KvMode.SHARED


def test_a_replaced_process_is_noticed_at_the_next_look(tiny_model: Path) -> None:
    port, find = free_port(), LocalProcesses()
    seen = []
    for context in ("4096", "8192"):
        with running_server(NEW, tiny_model, "-c", context, "-np", "1", port=port) as server:
            facts = find(server.url)
            assert find(server.url) is facts
            assert facts.process is not None
            seen.append((facts.process.pid == server.pid, facts.launch.context_tokens.value))
    assert seen == [(True, 4096), (True, 8192)]
    facts = find(f"http://127.0.0.1:{port}")
    assert facts.process is None
    assert "no local process listens there" in facts.why_no_process


@pytest.mark.skipif(OLD not in BUILDS, reason="the binary runs on Linux x86-64 only")
def test_a_unix_socket_has_an_owner_too(tiny_model: Path, tmp_path: Path) -> None:
    path = tmp_path / "llama.sock"
    flags = ("--host", str(path), "-c", "4096", "-np", "1")
    with running_server(OLD, tiny_model, *flags, wait=False) as server:
        while not path.exists():
            assert server.process.poll() is None
        facts = LocalProcesses()(f"unix:{path}")
        assert facts.process is not None
        assert facts.process.pid == server.pid
        assert facts.launch.context_tokens.value == 4096


def test_another_program_at_the_port_is_named_and_its_flags_are_not_taken_for_the_servers(
    port_of_another_program: int,
) -> None:
    facts = LocalProcesses()(f"http://127.0.0.1:{port_of_another_program}")
    assert facts.process is None
    assert "not llama-server" in facts.why_no_process
    assert facts.launch.context_tokens.value is None
    assert facts.launch.reasoning_budget.value is None


@pytest.fixture
def port_of_another_program() -> Iterator[int]:
    handler = http.server.BaseHTTPRequestHandler
    with http.server.HTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def test_hostile_arguments_of_a_process_do_no_harm(tmp_path: Path) -> None:
    program = tmp_path / "llama-server"
    program.write_text(
        "import socket, sys\n"
        "s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen()\n"
        "print(s.getsockname()[1], flush=True); sys.stdin.read()"
    )
    hostile = [b"\xff\xfe\x1b[31m", b"two\nlines -c 1", b"x" * 100_000, b"", b"--api-key", b"sk-7"]
    process = subprocess.Popen(
        [sys.executable, str(program), *hostile, "-c", "8192", "-m", b"/m/\xff.gguf"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        facts = LocalProcesses()(f"http://127.0.0.1:{int(process.stdout.readline())}")
        assert facts.launch.context_tokens.value == 8192
        assert facts.launch.model.reason == "the model file cannot be found from here"
        assert "sk-7" not in repr(facts)
    finally:
        process.communicate()


def test_two_servers_on_one_port_are_not_told_apart_by_a_guess() -> None:
    listen = (
        "import socket, sys\n"
        "s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)\n"
        "s.bind(('127.0.0.1', int(sys.argv[1]))); s.listen(); print('ready', flush=True)\n"
        "sys.stdin.read()"
    )
    port = free_port()
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", listen, str(port)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for _ in range(2)
    ]
    try:
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
        facts = LocalProcesses()(f"http://127.0.0.1:{port}")
        assert facts.process is None
        assert "several processes" in facts.why_no_process
    finally:
        for process in processes:
            process.communicate()


def test_processes_looked_at_one_by_one_show_the_same_listener() -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        door = Door("localhost", listening.getsockname()[1])
        assert list(_own_sockets(door)) == [(os.getpid(), listening.fileno())]
        assert listener(door).pid == os.getpid()
    assert list(_own_sockets(door)) == []


def test_a_server_on_another_machine_has_no_process_here() -> None:
    facts = LocalProcesses()("http://192.0.2.1:8080")
    assert facts.process is None
    assert "another machine (192.0.2.1)" in facts.why_no_process
    assert "another machine" in str(facts.launch.reasoning_budget.reason)


@pytest.mark.skipif(os.getuid() != 0, reason="another user can only be taken on by root")
def test_a_server_of_another_user_is_unknown_with_its_reason(tiny_model: Path) -> None:
    code = (
        "import os, sys\n"
        "from mecha_tui.collect.process import LocalProcesses\n"
        "os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        "facts = LocalProcesses()(sys.argv[1])\n"
        "print(facts.process, facts.launch.context_tokens.value, facts.why_no_process, sep='|')"
    )
    with running_server(NEW, tiny_model, *FLAGS) as server:
        seen = subprocess.run(
            [sys.executable, "-c", code, server.url], capture_output=True, text=True, check=True
        )
    assert seen.stdout == (
        "None|None|its process runs as user root and may not be read by this one\n"
    )


def look_as_nobody(url: str, shown: str) -> str:
    """Return what another user sees of a server, and of what systemd shows of it."""
    code = (
        "import os, sys\n"
        "from mecha_tui.collect.process import LocalProcesses\n"
        "find = LocalProcesses(lambda: sys.argv[2])\n"
        "os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        "flags, facts = find(sys.argv[1]).launch, find(sys.argv[1])\n"
        "for one in (flags.context_tokens, flags.slots, flags.reasoning_budget):\n"
        "    print(one.value, one.source, one.reason, sep='|')\n"
        "print(facts.process.pid, facts.process.unit, sep='|')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, url, shown], capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.skipif(os.getuid() != 0, reason="another user can only be taken on by root")
def test_a_server_of_another_user_is_known_by_its_systemd_unit(tiny_model: Path) -> None:
    with running_server(NEW, tiny_model, "-np", "2", "-c", "8192") as server:
        command = f"/usr/bin/llama-server -np 2 -c 4096 --port {server.port}"
        shown = (
            f"MainPID={server.pid}\nExecStart={{ path=/usr/bin/llama-server ; argv[]={command} ; "
            "ignore_errors=no ; start_time=[n/a] }\n"
            "Environment=LLAMA_ARG_THINK_BUDGET=512\nId=llama.service\n"
        )
        assert look_as_nobody(server.url, shown).splitlines() == [
            "8192|argv|None",
            "2|argv|None",
            "512|environment LLAMA_ARG_THINK_BUDGET|None",
            f"{server.pid}|llama.service",
        ]


@pytest.mark.skipif(os.getuid() != 0, reason="namespaces are made by root")
@pytest.mark.skipif(shutil.which("unshare") is None, reason="unshare makes the namespace")
def test_a_server_outside_of_our_container_is_unknown_with_its_reason(tiny_model: Path) -> None:
    code = (
        "import sys\n"
        "from mecha_tui.collect.process import LocalProcesses\n"
        "facts = LocalProcesses()(sys.argv[1])\n"
        "print(facts.process, facts.launch.context_tokens.value, facts.why_no_process, sep='|')"
    )
    with running_server(NEW, tiny_model, *FLAGS) as server:
        seen = subprocess.run(
            ["unshare", "--pid", "--fork", "--mount-proc", sys.executable, "-c", code, server.url],
            capture_output=True,
            text=True,
            check=True,
        )
    assert seen.stdout == (
        "None|None|its process is not visible from here: one of the two runs in a container\n"
    )


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["llama-server", "-c", "1"], True),
        (["/usr/local/bin/llama-server"], True),
        (["/nix/store/x/bin/.llama-server-wrapped"], True),
        (["C:\\llama\\llama-server.exe"], True),
        (["./server"], True),
        (["llama", "serve"], True),
        (["/usr/bin/python3.12", "-m", "mecha_tui.demo.server"], True),
        (["python", "/v/bin/llama-server-vulkan"], True),
        (["/bin/sh", "/opt/llama-server.sh"], True),
        (["nginx", "-c", "/etc/llama-server.conf"], False),
        (["llama-swap", "--config", "x"], False),
        (["ollama", "serve"], False),
        (["python", "-m", "llama_cpp.server"], False),
        (["docker-proxy"], False),
        (["python"], False),
        ([], False),
    ],
)
def test_llama_server_is_told_by_its_program(arguments: list[str], expected: bool) -> None:
    assert is_llama_server(arguments) is expected


@pytest.mark.parametrize(
    ("groups", "owner"),
    [
        ("0::/system.slice/llama.service\n", "llama.service"),
        ("0::/user.slice/user-1.slice/user@1.service/app.slice/llm.service\n", "llm.service"),
        ("0::/user.slice/user-1.slice/user@1.service/tmux.scope\n", None),
        (f"0::/system.slice/docker-{'ab' * 32}.scope\n", "docker abababababab"),
        (f"12:cpu:/docker/{'cd' * 32}\n", "docker cdcdcdcdcdcd"),
        (f"0::/machine.slice/libpod-{'ef' * 32}.scope\n", "podman efefefefefef"),
        ("0::/\n", None),
        ("", None),
    ],
)
def test_a_control_group_names_unit_or_container(groups: str, owner: str | None) -> None:
    assert owner_of(groups) == owner


@pytest.mark.parametrize(
    ("bound", "host", "expected"),
    [
        ("127.0.0.1", "127.0.0.1", True),
        ("127.0.0.1", "localhost", True),
        ("::1", "localhost", True),
        ("0.0.0.0", "127.0.0.1", True),
        ("::", "192.0.2.1", True),
        ("::ffff:127.0.0.1", "127.0.0.1", True),
        ("127.0.0.1", "127.0.0.2", False),
        ("192.0.2.1", "127.0.0.1", False),
        ("*", "127.0.0.1", False),
    ],
)
def test_a_socket_takes_connections_made_to_its_address(
    bound: str, host: str, expected: bool
) -> None:
    assert listens_for(bound, host) is expected


def test_this_machine_is_known_by_its_names() -> None:
    assert is_local("127.0.0.1")
    assert is_local("::1")
    assert is_local("localhost")
    assert not is_local("192.0.2.1")
    assert not is_local("no such host")
    assert is_local(socket.gethostname()) in (True, False)


@pytest.mark.skipif(shutil.which("unshare") is None, reason="unshare makes the namespaces")
@pytest.mark.skipif(os.getuid() != 0, reason="namespaces are made by root")
def test_a_server_in_a_container_is_seen_with_the_model_that_only_it_sees(
    tiny_model: Path,
) -> None:
    port = free_port()
    start = (
        f"mount -t tmpfs tmpfs /mnt && cp {tiny_model} /mnt/inside.gguf && exec {sys.executable} "
        f"-m mecha_tui.demo.server -m /mnt/inside.gguf -c 8192 -np 2 --port {port} --until-eof"
    )
    inside = subprocess.Popen(
        ["unshare", "--mount", "--pid", "--fork", "--mount-proc", "sh", "-c", start],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert inside.stdout is not None
        assert b"listening" in inside.stdout.readline()
        launch = LocalProcesses()(f"http://127.0.0.1:{port}").launch
        assert launch.context_tokens.value == 8192
        assert launch.model_path.value == "/mnt/inside.gguf"
        assert launch.model.value is not None
        assert not Path("/mnt/inside.gguf").exists()
    finally:
        inside.communicate()


def test_what_forwards_a_port_is_asked_about_at_its_engine(port_of_another_program: int) -> None:
    asked: list[tuple[str, ...]] = []

    def ask(command: tuple[str, ...]) -> str:
        asked.append(command[:2])
        return ""

    find = LocalProcesses(ask=ask)
    for _ in range(3):
        facts = find(f"http://127.0.0.1:{port_of_another_program}")
        assert "not llama-server" in facts.why_no_process
    assert asked == [("docker", "ps"), ("podman", "ps")]
