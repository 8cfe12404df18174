"""A round tells what a server said, never raises, and never waits for one that hangs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from mecha_tui.collect.address import ServerAddress, parse_address
from mecha_tui.collect.http import ApiKey
from mecha_tui.collect.manners import Manners
from mecha_tui.collect.sampler import HttpSampler
from mecha_tui.collect.sources import ProcessFacts
from mecha_tui.collect.target import RESTART_LIMIT_S, Target
from mecha_tui.collect.timing import Timing
from mecha_tui.core.client import ClientPromise
from mecha_tui.core.launch import LaunchFlags
from mecha_tui.core.memory import Memory
from mecha_tui.core.polling import CALM_INTERVAL_S
from mecha_tui.core.reading import known
from mecha_tui.core.replies import Failure, Replies
from mecha_tui.core.router import RUNNING_LIMIT
from mecha_tui.core.sample import Round, ServerSample
from mecha_tui.core.server import Role, ServerProcess
from mecha_tui.core.state import ServerState, condition
from tests.servers import free_port, wait_until
from tests.stub_server import HangUpError, StubServer, reply, stub_server

PROPS = {
    "total_slots": 2,
    "default_generation_settings": {"n_ctx": 512},
    "is_sleeping": False,
    "endpoint_slots": True,
    "endpoint_metrics": True,
}
IDLE = {"id": 0, "n_ctx": 512, "is_processing": False}
BUSY = {"id": 1, "n_ctx": 512, "is_processing": True, "id_task": 7}
METRICS = b"llamacpp:requests_processing 2\nllamacpp:requests_deferred 3\n"
MODELS = {"data": [{"id": "m", "meta": {"n_ctx_train": 4096}}]}
NEVER_SLEEPS = ProcessFacts(
    ServerProcess(7, 1.0), launch=LaunchFlags(sleep_idle_s=known(-1, "argv"))
)
SLEEPS = ProcessFacts(ServerProcess(7, 1.0), launch=LaunchFlags(sleep_idle_s=known(60, "argv")))


class Server:
    """A llama-server made of canned replies, each of which a test may replace."""

    def __init__(self) -> None:
        self.raw: dict[str, bytes] = {
            "/health": reply({"status": "ok"}),
            "/props": reply(PROPS),
            "/slots": reply([IDLE, BUSY]),
            "/metrics": reply(METRICS),
            "/v1/models": reply(MODELS),
        }
        self.silent: set[str] = set()

    def __call__(self, target: str) -> Iterable[bytes]:
        if target in self.silent:
            return []
        return [self.raw.get(target, reply({"error": {"type": "not_found_error"}}, "404 No"))]


class Clock:
    """A monotonic clock that a test moves."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


PATIENT_S = 30.0
"""A round's limit where nothing hangs, so that a slow machine only takes longer."""


def patient(targets: list[Target], **sources: Any) -> HttpSampler:  # noqa: ANN401
    return HttpSampler(targets, timing=Timing(round_limit_s=PATIENT_S), **sources)


@asynccontextmanager
async def sampling(sampler: HttpSampler) -> AsyncIterator[HttpSampler]:
    try:
        yield sampler
    finally:
        await sampler.aclose()


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def stub(server: Server) -> Iterator[StubServer]:
    with stub_server(server) as running:
        yield running


def target(stub: StubServer) -> Target:
    return Target(parse_address(stub.url))


async def look(sampler: HttpSampler) -> ServerSample:
    return (await sampler.sample()).servers[0]


async def until(sampler: HttpSampler, met: Callable[[Replies], bool]) -> ServerSample:
    """Look again and again until a round shows something."""
    for _ in range(400):
        sample = await look(sampler)
        if met(sample.replies):
            return sample
        await asyncio.sleep(0.01)
    raise AssertionError(f"never happened; last: {sample.replies}")


async def test_one_round_asks_each_endpoint_once_over_one_connection(stub: StubServer) -> None:
    async with sampling(patient([target(stub)])) as sampler:
        sample = await look(sampler)
    assert sample.url == stub.url
    assert sample.replies.props is not None
    assert sample.replies.props.value is not None
    assert sample.replies.slots is not None
    assert sample.replies.slots.value is not None
    assert [slot.task_id for slot in sample.replies.slots.value] == [None, 7]
    assert sample.replies.metrics is not None
    assert sample.replies.metrics.value is not None
    assert sample.replies.metrics.value.deferred_requests == 3
    assert sample.replies.models is not None
    assert stub.targets == ["/props", "/slots", "/metrics", "/v1/models"]
    assert stub.connections == 1


async def test_a_server_that_never_sleeps_is_asked_for_its_slots_alone(
    stub: StubServer, server: Server
) -> None:
    server.raw["/slots"] = reply([IDLE])
    sampler = patient([target(stub)], processes=lambda _: NEVER_SLEEPS)
    async with sampling(sampler):
        for _ in range(4):
            await sampler.sample()
    assert stub.targets == ["/props", "/slots", "/v1/models", "/slots", "/slots", "/slots"]


async def test_a_sleeping_server_is_asked_for_nothing_that_wakes_it(
    stub: StubServer, server: Server
) -> None:
    server.raw["/props"] = reply({**PROPS, "is_sleeping": True})
    async with sampling(patient([target(stub)])) as sampler:
        for _ in range(3):
            sample = await look(sampler)
    assert condition(sample.replies).state is ServerState.ASLEEP
    assert set(stub.targets) == {"/props", "/v1/models"}


class Processor:
    """What a process has used of the processor, as a test has it."""

    def __init__(self) -> None:
        self.used_s = 1.0
        self.clock = Clock()

    def __call__(self, _: ServerProcess) -> float | None:
        return self.used_s

    def sampler(self, stub: StubServer, facts: ProcessFacts) -> HttpSampler:
        timing = Timing(self.clock, PATIENT_S)
        return HttpSampler([target(stub)], processes=lambda _: facts, cpu=self, timing=timing)

    async def look(self, sampler: HttpSampler, *, used_s: float) -> ServerSample:
        """Look once, one second later."""
        self.clock.now_s += 1.0
        self.used_s += used_s
        return await look(sampler)


async def test_an_idle_server_that_sleeps_is_not_asked_until_its_process_works(
    stub: StubServer, server: Server
) -> None:
    processor = Processor()
    async with sampling(processor.sampler(stub, SLEEPS)) as sampler:
        await look(sampler)
        for _ in range(5):
            sample = await processor.look(sampler, used_s=0.01)
        assert not {"/slots", "/metrics"} & set(stub.targets)
        assert sample.replies.slots is not None
        assert sample.replies.slots.failure is Failure.RESTING
        assert condition(sample.replies).state is ServerState.READY
        for _ in range(3):
            await processor.look(sampler, used_s=0.9)
        assert stub.targets.count("/slots") == 3
        server.raw["/slots"] = reply([IDLE])
        for _ in range(5):
            sample = await processor.look(sampler, used_s=0.0)
        assert stub.targets.count("/slots") == 4, "its end is seen, and then it is left alone"
        assert sample.is_quiet


async def test_an_idle_server_whose_work_would_be_seen_is_asked_rarely(
    stub: StubServer, server: Server
) -> None:
    server.raw["/slots"] = reply([IDLE])
    processor = Processor()
    async with sampling(processor.sampler(stub, NEVER_SLEEPS)) as sampler:
        for _ in range(60):
            sample = await processor.look(sampler, used_s=0.0)
        idle = len(stub.targets)
        assert idle < 30
        assert sample.is_quiet
        await processor.look(sampler, used_s=0.5)
    assert "/slots" in stub.targets[idle:]


async def test_nothing_that_the_settings_exclude_is_asked(stub: StubServer) -> None:
    plain = Target(parse_address(stub.url), manners=Manners(wants_metrics=False))
    async with sampling(patient([plain])) as sampler:
        sample = await look(sampler)
    assert stub.targets == ["/props", "/slots", "/v1/models"]
    assert sample.replies.metrics is not None
    assert "metrics = false" in sample.replies.metrics.detail


@pytest.mark.parametrize(
    ("manners", "slots_asked", "may_keep_awake"),
    [
        (Manners(), 3, True),
        (Manners(is_gentle=True), 1, False),
        (Manners(is_gentle=True, is_once=True), 0, False),
    ],
)
async def test_a_server_of_which_nothing_is_known_is_asked_as_gently_as_the_user_wants(
    stub: StubServer,
    server: Server,
    monkeypatch: pytest.MonkeyPatch,
    manners: Manners,
    slots_asked: int,
    *,
    may_keep_awake: bool,
) -> None:
    server.raw["/slots"] = reply([IDLE])
    monkeypatch.setattr(ServerAddress, "is_loopback", property(lambda _: False))
    far = Target(parse_address(stub.url), manners=manners)
    async with sampling(patient([far])) as sampler:
        for _ in range(3):
            sample = await look(sampler)
    assert stub.targets.count("/slots") == slots_asked
    assert sample.may_keep_awake is may_keep_awake


async def test_an_endpoint_that_is_off_is_told_every_round_and_asked_once(
    stub: StubServer, server: Server
) -> None:
    del server.raw["/slots"]
    server.raw["/props"] = reply({"total_slots": 2})
    server.raw["/metrics"] = reply(
        {"error": {"type": "not_supported_error", "message": "Start it with `--metrics`"}},
        "501 Not Implemented",
    )
    async with sampling(patient([target(stub)])) as sampler:
        for _ in range(3):
            sample = await look(sampler)
    assert sample.replies.slots is not None
    assert sample.replies.slots.failure is Failure.MISSING
    assert sample.replies.metrics is not None
    assert sample.replies.metrics.failure is Failure.OFF
    assert "--metrics" in sample.replies.metrics.detail
    assert stub.targets.count("/slots") == stub.targets.count("/metrics") == 1
    assert condition(sample.replies).state is ServerState.READY


async def test_an_endpoint_that_is_off_is_tried_again_when_another_process_answers(
    stub: StubServer, server: Server
) -> None:
    del server.raw["/slots"]
    clock = Clock()
    pid = 7
    sampler = HttpSampler(
        [target(stub)],
        processes=lambda _: replace(NEVER_SLEEPS, process=ServerProcess(pid, 1.0)),
        timing=Timing(clock, PATIENT_S),
    )
    async with sampling(sampler):
        await look(sampler)
        server.raw["/slots"] = reply([IDLE])
        pid = 8
        clock.now_s += 6.0
        await until(sampler, lambda r: r.slots is not None and r.slots.value is not None)


async def test_the_process_is_looked_for_anew_as_soon_as_the_state_changes(
    stub: StubServer, server: Server
) -> None:
    clock, calls = Clock(), 0

    def processes(_: str) -> ProcessFacts:
        nonlocal calls
        calls += 1
        return NEVER_SLEEPS

    async with sampling(
        HttpSampler([target(stub)], processes=processes, timing=Timing(clock, PATIENT_S))
    ) as sampler:
        for _ in range(3):
            await sampler.sample()
        assert calls == 1
        clock.now_s += 60.0
        await sampler.sample()
        server.raw["/slots"] = reply({"error": {"type": "unavailable_error"}}, "503 No")
        for _ in range(3):
            await sampler.sample()
        assert calls == 3


@pytest.mark.parametrize(
    ("raw", "state"),
    [
        (reply(b"<html>hello</html>"), ServerState.NOT_LLAMA_SERVER),
        (reply({"object": "x"}), ServerState.NOT_LLAMA_SERVER),
        (reply(b"", "302 Found", "Location: http://127.0.0.1:1/"), ServerState.NOT_LLAMA_SERVER),
        (b"garbage\r\n\r\n", ServerState.NOT_LLAMA_SERVER),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 52428800\r\n\r\n" + b" " * 5_000_000,
            ServerState.NOT_LLAMA_SERVER,
        ),
        (reply({"error": {"type": "authentication_error"}}, "401 No"), ServerState.LOCKED),
        (
            reply({"error": {"type": "unavailable_error", "message": "Loading model"}}, "503 No"),
            ServerState.LOADING,
        ),
        (reply(b"oops", "500 Oops"), ServerState.READY),
    ],
)
async def test_what_props_says_speaks_for_the_server(
    stub: StubServer, server: Server, raw: bytes, state: ServerState
) -> None:
    server.raw["/props"] = raw
    async with sampling(patient([target(stub)])) as sampler:
        sample = await look(sampler)
    assert condition(sample.replies).state is state
    if state is not ServerState.READY:
        assert stub.targets == ["/props"] * len(stub.targets)


async def test_a_llama_server_that_follows_another_program_is_seen_at_once(
    server: Server, stub: StubServer
) -> None:
    usual, server.raw = server.raw, {}
    async with sampling(patient([target(stub)])) as sampler:
        for _ in range(2):
            state = condition((await look(sampler)).replies).state
            assert state is ServerState.NOT_LLAMA_SERVER
        server.raw = usual
        replies = (await look(sampler)).replies
    assert condition(replies).state is ServerState.READY
    assert replies.slots is not None
    assert replies.slots.value is not None


@pytest.mark.parametrize("raw", [b"<html>", b"\xff\x00", b"[1]", b"{}"])
async def test_one_bad_endpoint_costs_that_endpoint(
    stub: StubServer, server: Server, raw: bytes
) -> None:
    server.raw["/slots"] = reply(raw)
    async with sampling(patient([target(stub)])) as sampler:
        sample = await look(sampler)
    assert sample.replies.slots is not None
    assert sample.replies.slots.failure is Failure.FOREIGN
    assert sample.replies.metrics is not None
    assert sample.replies.metrics.value is not None
    assert condition(sample.replies).state is ServerState.READY


async def test_nobody_there_is_down_and_the_key_is_nowhere_to_be_seen() -> None:
    nobody = Target(parse_address(f"http://127.0.0.1:{free_port()}"), ApiKey("s3cret"))
    async with sampling(patient([nobody])) as sampler:
        taken = await sampler.sample()
    assert condition(taken.servers[0].replies).state is ServerState.DOWN
    assert "s3cret" not in repr(taken)
    assert "s3cret" not in repr(nobody)


async def test_a_hung_server_is_told_from_a_busy_one_by_its_health(
    stub: StubServer, server: Server
) -> None:
    server.silent = {"/slots"}
    async with sampling(HttpSampler([target(stub)])) as sampler:
        first = await look(sampler)
        assert first.replies.slots is None
        sample = await until(sampler, lambda r: r.slots is not None)
        assert sample.replies.slots is not None
        assert sample.replies.slots.failure is Failure.PENDING
        assert "/health answers" in sample.replies.slots.detail
        assert condition(sample.replies).state is ServerState.NOT_ANSWERING
        server.silent = {"/slots", "/health"}
        await until(sampler, lambda r: r.slots is not None and "nor to /health" in r.slots.detail)
    assert stub.targets.count("/slots") == 1


async def test_a_late_answer_is_taken_when_it_comes(server: Server) -> None:
    may_go = threading.Event()

    def script(asked: str) -> Iterator[bytes]:
        if asked == "/slots":
            may_go.wait(30)
        yield from server(asked)

    with stub_server(script) as stub:
        async with sampling(HttpSampler([target(stub)])) as sampler:
            await until(
                sampler, lambda r: r.slots is not None and r.slots.failure is Failure.PENDING
            )
            assert stub.connections == 2
            may_go.set()
            sample = await until(
                sampler, lambda r: r.slots is not None and r.slots.value is not None
            )
            for _ in range(3):
                await sampler.sample()
            assert stub.connections == 2
            wait_until(lambda: stub.ended == 1, "the second connection ended")
            assert stub.targets.count("/health") == 1
    assert condition(sample.replies).state is ServerState.READY


async def test_a_server_killed_in_the_middle_of_its_answer_costs_one_round(
    server: Server,
) -> None:
    is_dying = True

    def script(asked: str) -> Iterator[bytes]:
        for part in server(asked):
            if is_dying and asked == "/slots":
                yield part[:-5]
                raise HangUpError
            yield part

    with stub_server(script) as stub:
        async with sampling(patient([target(stub)])) as sampler:
            sample = await look(sampler)
            assert sample.replies.slots is not None
            assert sample.replies.slots.failure is Failure.DROPPED
            is_dying = False
            sample = await look(sampler)
    assert condition(sample.replies).state is ServerState.READY


async def test_slow_and_broken_sources_neither_delay_nor_break_a_round(stub: StubServer) -> None:
    may_end = threading.Event()

    def hangs(_: object) -> ProcessFacts:
        may_end.wait(60)
        return NEVER_SLEEPS

    def fails(_: object) -> tuple[ClientPromise, ...]:
        raise ZeroDivisionError

    sampler = patient([target(stub)], processes=hangs, clients=fails, memory=lambda _: 1 / 0)
    async with sampling(sampler):
        for _ in range(3):
            sample = await look(sampler)
            assert condition(sample.replies).state is ServerState.READY
        assert sample.process is None
        may_end.set()
        for _ in range(400):
            sample = await look(sampler)
            if sample.process is not None:
                break
            await asyncio.sleep(0.01)
    assert sample.process == ServerProcess(7, 1.0)
    assert sample.clients == ()
    assert sample.memory == Memory()


async def test_memory_is_read_faster_while_a_server_is_away_but_not_for_ever() -> None:
    now, read_at = [1000.0], list[float]()

    def memory(_: ServerProcess | None) -> Memory:
        read_at.append(now[0])
        return Memory(taken_s=now[0])

    async def rounds(count: int) -> int:
        """Return how often memory was read in so many rounds, half a second apart."""
        before = len(read_at)
        for _ in range(count):
            now[0] += 0.5
            await look(sampler)
            reading = sampler._rounds[gone.address.url].watched._memory._future
            if reading is not None:
                await asyncio.wrap_future(reading)
        return len(read_at) - before

    gone = Target(parse_address(f"http://127.0.0.1:{free_port()}"))
    sampler = HttpSampler([gone], memory=memory, timing=Timing(lambda: now[0], PATIENT_S))
    async with sampling(sampler):
        await rounds(4)
        assert await rounds(20) == 20
        now[0] += RESTART_LIMIT_S
        await rounds(4)
        assert await rounds(20) == 2, "it is tried every five seconds"


async def test_what_the_sources_read_comes_with_the_round(stub: StubServer) -> None:
    promise = ClientPromise("local", context_window=known(8192, "file"))
    seen: list[ServerProcess | None] = []

    def memory(process: ServerProcess | None) -> Memory:
        seen.append(process)
        return Memory(taken_s=5.0)

    sampler = patient(
        [target(stub)],
        processes=lambda url: NEVER_SLEEPS if url == stub.url else ProcessFacts(),
        clients=lambda url: (promise,) if url == stub.url else (),
        memory=memory,
    )
    async with sampling(sampler):
        for _ in range(400):
            sample = await look(sampler)
            if sample.clients and sample.memory.taken_s:
                break
            await asyncio.sleep(0.01)
    assert sample.clients == (promise,)
    assert sample.memory == Memory(taken_s=5.0)
    assert seen[0] == sample.process == ServerProcess(7, 1.0)


ROUTER = {"role": "router", "model_path": "none", "default_generation_settings": {"n_ctx": 0}}


def router(states: dict[str, str]) -> Callable[[str], Iterable[bytes]]:
    def script(asked: str) -> Iterable[bytes]:
        path, _, query = asked.partition("?")
        if not query:
            if path == "/models":
                data = [
                    {"id": name, "status": {"value": state, "args": ["llama-server", "-c", "64"]}}
                    for name, state in states.items()
                ]
                return [reply({"data": data})]
            return [reply(ROUTER if path == "/props" else {"error": {"message": "x"}})]
        return Server()(path)

    return script


async def test_a_router_shows_itself_and_each_loaded_model_and_asks_no_other() -> None:
    states = {"a": "loaded", "b": "unloaded", "c": "sleeping", "d": "loading", "e": "dreaming"}
    flags = LaunchFlags(context_tokens=known(64, "router"))
    with stub_server(router(states)) as stub:
        facts = ProcessFacts(ServerProcess(9, 2.0), "", flags)
        memory = {9: Memory(kind_note="the child's"), None: Memory(kind_note="the router's")}
        sampler = patient(
            [target(stub)],
            launch=lambda _: facts,
            memory=lambda process: memory[process and process.pid],
        )
        async with sampling(sampler):
            taken: Round = await sampler.sample()
            states["a"], states["b"] = "sleeping", "loaded"
            later: Round = await sampler.sample()
            while not later.servers[1].is_own_memory:
                later = await sampler.sample()
    assert later.servers[1].memory == memory[9], "its own, and not the router's"
    own, child, sleeper = taken.servers
    assert sleeper.model_id == "c"
    assert condition(sleeper.replies).state is ServerState.ASLEEP
    assert own.replies.props is not None
    assert own.replies.props.value is not None
    assert own.replies.props.value.role is Role.ROUTER
    assert own.replies.models is not None
    assert own.replies.models.value is not None
    words = [model.status for model in own.replies.models.value]
    assert words == ["loaded", "unloaded", "sleeping", "loading", "dreaming"]
    assert (child.model_id, child.key, child.launch) == ("a", f"{stub.url}#a", flags)
    assert child.replies.slots is not None
    assert child.replies.slots.value is not None
    assert [sample.model_id for sample in later.servers] == [None, "a", "b", "c"]
    assert condition(later.servers[1].replies).state is ServerState.ASLEEP
    assert later.servers[1].replies.props is not None
    assert later.servers[1].replies.props.value is not None
    assert later.servers[1].replies.props.value.slot_count == 2
    asked = [one for one in stub.targets if "?" in one]
    assert all(one.endswith("&autoload=false") for one in asked)
    assert {one.split("model=")[1][0] for one in asked} == {"a", "b"}


async def test_a_router_with_hundreds_of_loaded_models_is_watched_in_part() -> None:
    states = {f"m{number}": "loaded" for number in range(300)}
    with stub_server(router(states)) as stub:
        async with sampling(patient([target(stub)])) as sampler:
            taken = await sampler.sample()
    assert len(taken.servers) == 1 + RUNNING_LIMIT
    assert stub.connections == 1 + RUNNING_LIMIT


async def test_models_of_a_router_that_hangs_keep_their_place_and_are_not_asked() -> None:
    answers = router({"a": "loaded"})
    is_hung = False
    with stub_server(lambda asked: [] if is_hung else answers(asked)) as stub:
        async with sampling(HttpSampler([target(stub)])) as sampler:
            await until(sampler, lambda r: r.models is not None and r.models.value is not None)
            is_hung = True
            asked = len([one for one in stub.targets if "?" in one])
            taken = await sampler.sample()
            assert [sample.model_id for sample in taken.servers] == [None, "a"]
            assert taken.servers[1].replies == Replies()
    assert len([one for one in stub.targets if "?" in one]) == asked


async def test_several_servers_are_looked_at_at_once_and_one_that_hangs_costs_no_other(
    stub: StubServer,
) -> None:
    with stub_server(lambda _: []) as hung:
        async with sampling(HttpSampler([target(hung), target(stub)])) as sampler:
            taken = await sampler.sample()
            while condition(taken.servers[1].replies).state is ServerState.CONNECTING:
                taken = await sampler.sample()
    assert [sample.url for sample in taken.servers] == [hung.url, stub.url]
    assert condition(taken.servers[1].replies).state is ServerState.READY


async def test_a_server_that_is_down_for_long_is_tried_less_often() -> None:
    clock = Clock()
    gone = Target(parse_address(f"http://127.0.0.1:{free_port()}"))
    async with sampling(HttpSampler([gone], timing=Timing(clock, PATIENT_S))) as sampler:

        async def tries(count: int) -> int:
            """Return in how many rounds, a second apart, the server was tried."""
            tried = 0
            for _ in range(count):
                clock.now_s += 1.0
                tried += (await look(sampler)).replies != Replies()
            return tried

        assert await tries(10) == 10, "it may be restarting"
        clock.now_s += RESTART_LIMIT_S
        await look(sampler)
        assert await tries(10) == 2
        assert (await sampler.sample()).pause_s > 0


async def test_the_next_look_may_wait_only_while_nothing_works(
    stub: StubServer, server: Server
) -> None:
    server.raw["/slots"] = reply([IDLE])
    processor = Processor()
    async with sampling(processor.sampler(stub, NEVER_SLEEPS)) as sampler:
        assert (await sampler.sample()).pause_s == 0, "its process was not seen to rest yet"
        for _ in range(12):
            await processor.look(sampler, used_s=0.0)
        assert (await sampler.sample()).pause_s == CALM_INTERVAL_S
        processor.clock.now_s += 1.0
        processor.used_s += 0.5
        assert (await sampler.sample()).pause_s == 0


async def test_servers_that_appear_are_watched_and_those_gone_for_good_are_not(
    stub: StubServer,
) -> None:
    clock = Clock()
    gone = Target(parse_address(f"http://127.0.0.1:{free_port()}"))
    sampler = HttpSampler([gone], discover=lambda: [target(stub)], timing=Timing(clock, PATIENT_S))
    async with sampling(sampler):
        for _ in range(400):
            taken = await sampler.sample()
            if len(taken.servers) == 2:
                break
            await asyncio.sleep(0.01)
        assert [one.url for one in taken.servers] == [gone.address.url, stub.url]
        clock.now_s += RESTART_LIMIT_S
        for _ in range(2):
            taken = await sampler.sample()
        assert [one.url for one in taken.servers] == [stub.url]


async def test_llama_swap_is_told_as_such_and_asked_only_for_what_it_runs() -> None:
    running = {
        "running": [{"model": "qwen", "state": "ready"}, {"model": "gemma", "state": "starting"}]
    }

    def script(asked: str) -> Iterable[bytes]:
        if asked == "/running":
            return [reply(running)]
        return [reply(b"404 page not found", "404 Not Found")]

    with stub_server(script) as stub:
        async with sampling(patient([target(stub)])) as sampler:
            for _ in range(3):
                taken = await sampler.sample()
    (sample,) = taken.servers
    assert sample.replies.props is not None
    assert sample.replies.props.value is not None
    assert sample.replies.props.value.role is Role.LLAMA_SWAP
    assert sample.replies.models is not None
    models = sample.replies.models.value or ()
    assert [(one.model_id, one.status) for one in models] == [
        ("qwen", "ready"),
        ("gemma", "starting"),
    ]
    assert condition(sample.replies).state is ServerState.READY
    assert set(stub.targets) == {"/props", "/slots", "/running"}
