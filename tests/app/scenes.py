"""Pictures of servers in every condition, for the tests of the screen."""

from __future__ import annotations

from dataclasses import replace

from mecha_tui.core.agreement import Agreement, Cure, Finding, Severity, Verdict
from mecha_tui.core.client import ClientPromise
from mecha_tui.core.events import Event, EventKind
from mecha_tui.core.fuel import fuel
from mecha_tui.core.gone_slots import with_gone_slots
from mecha_tui.core.history import Hours, Series
from mecha_tui.core.memory import Memory, MemoryKind
from mecha_tui.core.numbers import KvMode, ServerNumbers
from mecha_tui.core.paces import Paces
from mecha_tui.core.picture import ServerPicture, SlotPicture
from mecha_tui.core.reading import known, unknown
from mecha_tui.core.server import Counters, Model, Props, Role, ServerProcess
from mecha_tui.core.slots import Phase, Slot
from mecha_tui.core.slowdown import Judgement
from mecha_tui.core.state import Condition, ServerState
from mecha_tui.core.succession import Identity, Proof, Replacement
from mecha_tui.core.usual import (
    Comparison,
    Direction,
    Load,
    Measurement,
    Pace,
    Setup,
    Usual,
)
from mecha_tui.core.waiting import Waiting

NOW_S = 10_000.0
WALL_S = 1_795_867_471.0
"""12:04:31 UTC on a day in November 2026."""
GIB = 1024**3
HOSTILE = "qwen[/b]\x1b[31m"
WIDE = "通义千问-模型"

SAMPLING: dict[str, object] = {
    "seed": 4294967295,
    "temperature": 0.6,
    "top_k": 20,
    "top_p": 0.95,
    "min_p": 0.05,
    "repeat_penalty": 1.0,
    "max_tokens": 4096,
    "stop": [],
    "samplers": ["penalties", "dry", "top_k", "top_p", "min_p", "temperature"],
    "lora": [],
}
DEFAULTS: dict[str, object] = {**SAMPLING, "temperature": 0.8, "top_k": 40, "max_tokens": -1}


def slot(slot_id: int, phase: Phase, held: int | None, window: int = 8192, **more: object) -> Slot:
    given: dict[str, object] = {"task_id": 4700 + slot_id, "parameters": SAMPLING, **more}
    if phase is Phase.WRITING:
        given = {"read_tokens": 98, "reused_tokens": 5404, "written_tokens": 70, **given}
    elif phase is Phase.READING:
        given = {"read_tokens": held, "reused_tokens": 0, "written_tokens": 0, **given}
    return Slot(
        slot_id,
        is_processing=phase is not Phase.IDLE,
        window_tokens=window,
        held_tokens=held,
        **given,  # type: ignore[arg-type]  # each test gives what the field takes
    )


def slot_picture(
    of: Slot, promise: int | None = 32_768, rate: float | None = None, since_s: float | None = None
) -> SlotPicture:
    compaction = None if promise is None else promise * 2 // 3
    gauge = fuel(of.held_tokens, of.window_tokens, promise, compaction)
    began_s = None if since_s is None else NOW_S - since_s
    return SlotPicture(of, gauge, rate, began_s, began_s)


def four_slots(promise: int | None = 32_768) -> tuple[SlotPicture, ...]:
    return (
        slot_picture(slot(0, Phase.WRITING, 5571, remaining_tokens=410), promise, 38.2, 21),
        slot_picture(slot(1, Phase.READING, 2212), promise, 1480.0, 2),
        slot_picture(
            slot(2, Phase.WRITING, 7455, is_unlimited=True, reused_tokens=7300), promise, 36.9, 100
        ),
        slot_picture(slot(3, Phase.IDLE, 998), promise, None, 252),
    )


def agreeing() -> Agreement:
    return Agreement(Verdict.AGREE)


def disagreeing() -> Agreement:
    return Agreement(
        Verdict.DISAGREE,
        (
            Finding(
                "window-over-slot",
                Severity.ERROR,
                Verdict.DISAGREE,
                "context_window promises 32,768 tokens, but a slot holds 8,192.",
                "Requests between the two fail with exceed_context_size_error.",
                (
                    Cure("context_window = 8192", "~/.mecha/config.toml [providers.local]"),
                    Cure("-c 131072", "the server's launch flags"),
                ),
                "local",
            ),
            Finding(
                "answer-room-none",
                Severity.ERROR,
                Verdict.DISAGREE,
                "All 4,096 tokens of an answer may be spent thinking.",
                "Answers come back empty.",
                (
                    Cure("max_tokens = 8192", "~/.mecha/config.toml [agent]"),
                    Cure("--reasoning-budget 2048", "the server's launch flags"),
                ),
                "local",
            ),
        ),
    )


def client(window: int | None = 32_768) -> ClientPromise:
    source = "~/.mecha/config.toml [providers.local]"
    return ClientPromise(
        "local",
        known(window, source) if window else unknown("the client does not say"),
        known(4096, "~/.mecha/config.toml [agent]"),
        known((window or 0) * 2 // 3, "two thirds of context_window"),
        known("qwen3.6-35b-a3b", source),
    )


def history(level: float = 75.0, gap: bool = True) -> Series:
    values: list[float | None] = [
        None if gap and 70 <= at < 95 else level * (0.6 + 0.4 * ((at * 7) % 60) / 60)
        for at in range(240)
    ]
    return Series(1.0, 240, int(NOW_S), tuple(values))


def unified_memory() -> Memory:
    return Memory(
        MemoryKind.UNIFIED,
        "NVIDIA GB10: no separate VRAM",
        pool_total_bytes=known(int(121.7 * GIB), "/proc/meminfo"),
        pool_available_bytes=known(int(90.1 * GIB), "/proc/meminfo MemAvailable"),
        page_cache_bytes=known(int(31.0 * GIB), "/proc/meminfo Cached"),
        server_gpu_bytes=known(int(28.1 * GIB), "NVML, pid 4242"),
        server_host_bytes=known(int(0.4 * GIB), "PSS of pid 4242"),
        swap_used_bytes=known(0, "/proc/meminfo"),
        swap_total_bytes=known(16 * GIB, "/proc/meminfo"),
        taken_s=NOW_S,
    )


RESTART = Replacement(
    number=1,
    began_s=NOW_S - 400,
    then=Identity(ServerProcess(4100, WALL_S - 90_000), "/m/q.gguf", "q", "b11434", 8192, 4),
    now=Identity(ServerProcess(4242, WALL_S - 400), "/m/q.gguf", "q", "b11549", 8192, 4),
    proofs=(Proof.PROCESS,),
    away_s=41.0,
)


def events() -> tuple[Event, ...]:
    return (
        Event(WALL_S - 2, EventKind.QUEUE, "2"),
        Event(
            WALL_S - 204,
            EventKind.FINDING,
            "window-over-slot",
            "context_window promises 32,768 tokens, but a slot holds 8,192.",
        ),
        Event(WALL_S - 351, EventKind.REPLACED, "restarted", replacement=RESTART),
        Event(WALL_S - 9_351, EventKind.STATE, "ready"),
    )


def busy() -> ServerPicture:
    """The server of the design: four slots, two numbers that disagree."""
    return ServerPicture(
        key="http://127.0.0.1:8080",
        url="http://127.0.0.1:8080",
        model_id=None,
        condition=Condition(ServerState.READY),
        state_since_s=NOW_S - 351,
        now_s=NOW_S,
        now_wall_s=WALL_S,
        props=Props(
            model_alias="qwen3.6-35b-a3b",
            quantization="Q4_K_M",
            build="b11549",
            slot_count=4,
            slot_window_tokens=8192,
            default_parameters=DEFAULTS,
        ),
        slots=four_slots(),
        slots_taken_s=NOW_S,
        busy=3,
        waiting=Waiting(2, is_exact=True, source="metrics"),
        writing_tokens_per_s=75.1,
        reading_tokens_per_s=1480.0,
        writing_history=history(75.0),
        reading_history=history(1480.0),
        numbers=ServerNumbers(
            context_tokens=known(32_768, "argv"),
            slots=known(4, "/slots"),
            slot_window_tokens=known(8192, "/slots"),
            kv_mode=known(KvMode.DIVIDED, "8,192 × 4 = 32,768"),
            pool_tokens=unknown("the slots share no pool"),
            reasoning_budget=known(4096, "argv"),
            training_window_tokens=known(131_072, "/v1/models"),
            cache_ram_mib=unknown("not given"),
            context_shift=known(False, "default"),
        ),
        clients=(client(),),
        agreement=disagreeing(),
        memory=unified_memory(),
        process=ServerProcess(4242, WALL_S - 3 * 86400 - 4 * 3600 - 60, "llama.service"),
        events=events(),
    )


def calm() -> ServerPicture:
    """A server whose numbers agree."""
    agreed = replace(client(8192), max_tokens=known(8192, "~/.mecha/config.toml [agent]"))
    return replace(busy(), slots=four_slots(8192), clients=(agreed,), agreement=agreeing())


def fresh(state: ServerState, reason: str | None = None) -> ServerPicture:
    """A server that never answered with slots."""
    return ServerPicture(
        key="http://127.0.0.1:8080",
        url="http://127.0.0.1:8080",
        model_id=None,
        condition=Condition(state, reason),
        state_since_s=NOW_S - 75,
        now_s=NOW_S,
        now_wall_s=WALL_S,
        events=(Event(WALL_S - 75, EventKind.STATE, state.value, reason),),
    )


def lost(state: ServerState, reason: str | None = None) -> ServerPicture:
    """A server that was well once: its last picture stays."""
    return with_gone_slots(
        replace(
            busy(),
            condition=Condition(state, reason),
            state_since_s=NOW_S - 75,
            slots_taken_s=NOW_S - 76,
            writing_tokens_per_s=None,
            reading_tokens_per_s=None,
            events=(Event(WALL_S - 75, EventKind.STATE, state.value, reason), *events()),
        )
    )


def with_usual() -> ServerPicture:
    """A server that writes two answers at once, about as fast as is usual for it."""
    setup = Setup(
        "qwen3.6-35b-a3b-Q4_K_M.gguf", 19 * GIB, "Q4_K_M", "b11549", 8192, 4, "NVIDIA GB10"
    )
    hours = Hours()
    for minute in range(200):
        hours = hours.with_value(minute * 60.0, None if 70 <= minute < 90 else 60.0 + minute % 20)
    return replace(
        busy(),
        slots=tuple(one for one in four_slots() if one.slot.phase is not Phase.READING),
        writing_hours=hours,
        paces=Paces(
            setup,
            {
                (Direction.WRITING, Load(2, 4096)): Usual(78.0, 1.9, 212, 98_210, 6),
                (Direction.WRITING, Load(1, 4096)): Usual(52.5, 0.6, 420, 198_400, 9),
                (Direction.WRITING, Load(1, 65536)): Usual(31.0, 0.4, 2, 700, 1),
                (Direction.READING, Load(1, 4096)): Usual(1570.0, 44.0, 60, 812_000, 9),
            },
        ),
        counters=Counters(drafted_tokens=12_345.0, accepted_tokens=8_765.0),
    )


def slowed() -> ServerPicture:
    """The same server, found slower than it was."""
    picture = with_usual()
    load = Load(2, 4096)
    slow = Measurement(
        Direction.WRITING, picture.paces.setup, load, 60.8, 608, 10.0, WALL_S - 90, "watching"
    )
    comparison = Comparison(Pace.SLOWER, 60.8 / 78.0)
    usual = picture.paces.usuals[Direction.WRITING, load]
    judgement = Judgement(slow, usual, comparison, 120.0, 0.0, WALL_S - 90)
    return replace(
        picture, writing_tokens_per_s=60.8, paces=replace(picture.paces, writing=judgement)
    )


def many_slots(count: int) -> ServerPicture:
    phases = (Phase.WRITING, Phase.READING, Phase.IDLE)
    slots = tuple(
        slot_picture(
            slot(at, phases[at % 3], 500 + 613 * at % 7600),
            8192,
            None if at % 3 == 2 else 20.0 + at % 9,
            5 + at,
        )
        for at in range(count)
    )
    return replace(calm(), slots=slots, busy=count * 2 // 3)


def shared_pool() -> ServerPicture:
    slots = tuple(
        slot_picture(replace(one.slot, window_tokens=32_768), None, one.tokens_per_s, 30)
        for one in four_slots()
    )
    given = replace(
        busy().numbers,
        slot_window_tokens=known(32_768, "/slots"),
        kv_mode=known(KvMode.SHARED, "every slot has the whole of -c"),
        pool_tokens=known(32_768, "argv"),
    )
    return replace(calm(), slots=slots, numbers=given)


def old_build() -> ServerPicture:
    """A server from before the counts: occupancy is unknown."""
    slots = tuple(
        slot_picture(
            Slot(
                at,
                is_processing=at == 0,
                window_tokens=8192,
                task_id=at,
                written_tokens=9 if at == 0 else None,
            ),
            8192,
        )
        for at in range(4)
    )
    return replace(
        calm(),
        slots=slots,
        waiting=Waiting(None, reason="started without --metrics"),
        numbers=ServerNumbers(),
        clients=(),
        agreement=Agreement(),
        memory=Memory(),
        process=None,
        props=Props(model_alias="old"),
        writing_tokens_per_s=None,
        reading_tokens_per_s=None,
        writing_history=Series(1.0, 240),
        reading_history=Series(1.0, 240),
        busy=1,
    )


def router() -> ServerPicture:
    models = (
        Model("qwen3.6-35b-a3b", "loaded"),
        Model("embed-small", "sleeping"),
        Model("coder", "failed", exit_code=1),
    )
    return replace(fresh(ServerState.READY), props=Props(role=Role.ROUTER), models=models)


def named(picture: ServerPicture, name: str) -> ServerPicture:
    assert picture.props is not None
    return replace(picture, props=replace(picture.props, model_alias=name))
