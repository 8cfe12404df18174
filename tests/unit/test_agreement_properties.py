"""Whatever is known or unknown: nothing raises, nothing agrees unseen, and every cure cures."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from mecha_tui.core.agreement import Severity, Verdict, judge
from mecha_tui.core.client import SILENT, ClientPromise
from mecha_tui.core.division import KvMode
from mecha_tui.core.launch import LaunchFlags
from mecha_tui.core.numbers import ServerNumbers, server_numbers
from mecha_tui.core.reading import Reading, known, unknown
from mecha_tui.core.server import Model, Props, Role
from mecha_tui.core.slots import Slot
from tests.configuration import Configuration

counts = st.integers(-1, 2_000_000)


def readings(values: st.SearchStrategy[object]) -> st.SearchStrategy[Reading[object]]:
    return st.one_of(
        values.map(lambda value: known(value, "argv")),
        st.sampled_from([unknown("it runs as user alice"), unknown(SILENT)]),
    )


numbers = readings(counts)
switches = readings(st.booleans())
texts = readings(st.text(max_size=5))
launches = st.builds(
    LaunchFlags,
    context_tokens=numbers,
    slots=readings(st.integers(-1, 64)),
    is_unified=switches,
    per_slot_cap_tokens=numbers,
    reasoning_budget=numbers,
    cache_ram_mib=numbers,
    context_shift=switches,
    is_complete=st.booleans(),
)
servers = st.builds(
    ServerNumbers,
    context_tokens=numbers,
    slots=readings(st.integers(1, 64)),
    slot_window_tokens=readings(st.integers(1, 2_000_000)),
    kv_mode=readings(st.sampled_from(KvMode)),
    pool_tokens=readings(st.integers(1, 2_000_000)),
    reasoning_budget=numbers,
    training_window_tokens=numbers,
    cache_ram_mib=numbers,
    context_shift=switches,
    role=st.sampled_from([None, *Role]),
    thinks=switches,
    sees_images=switches,
    model_names=st.lists(st.text(max_size=5)).map(tuple),
    has_slots_endpoint=switches,
    has_metrics_endpoint=switches,
    launch=launches,
    slot_kv_bytes=readings(st.integers(0, 2**40)),
)
promises = st.builds(
    ClientPromise,
    name=st.text(max_size=5),
    context_window=readings(st.integers(1, 2_000_000)),
    max_tokens=readings(st.integers(1, 2_000_000)),
    compact_at_tokens=readings(st.integers(1, 2_000_000)),
    model=texts,
    vision=switches,
    thinking=switches,
    requests_at_once=readings(st.integers(1, 64)),
)


@given(servers, st.lists(promises, max_size=3).map(tuple))
def test_no_combination_of_known_and_unknown_raises(
    server: ServerNumbers, clients: tuple[ClientPromise, ...]
) -> None:
    judged = judge(server, clients)
    for finding in judged.findings:
        assert finding.message
        assert all(cure.line and cure.place for cure in finding.cures)
        assert finding.verdict is not Verdict.AGREE


@given(servers, st.lists(promises, max_size=3).map(tuple))
def test_agree_never_stands_beside_a_weighty_unknown(
    server: ServerNumbers, clients: tuple[ClientPromise, ...]
) -> None:
    judged = judge(server, clients)
    if judged.verdict is Verdict.AGREE:
        assert all(one.severity is Severity.INFO for one in judged.findings)


@given(
    launches,
    st.one_of(st.none(), st.builds(Props, slot_count=st.integers(1, 9), slot_window_tokens=counts)),
    st.one_of(st.none(), st.lists(st.builds(Slot, st.integers(0, 9))).map(tuple)),
    st.lists(st.builds(Model, st.text(max_size=3), training_window_tokens=counts)).map(tuple),
)
def test_numbers_of_any_answers_are_read_without_raising(
    launch: LaunchFlags,
    props: Props | None,
    slots: tuple[Slot, ...] | None,
    models: tuple[Model, ...],
) -> None:
    judge(server_numbers(launch, props, slots, models), ())


_CLIENT_INPUTS = ("context_window", "max_tokens", "compact_at_tokens", "model", "vision")


@given(st.sampled_from(_CLIENT_INPUTS))
def test_agree_is_never_said_with_any_of_a_clients_inputs_unread(name: str) -> None:
    configuration = Configuration(
        argv=("-c", "32768", "-np", "4", "--metrics", "--reasoning-budget", "1024"),
        settings={"context_window": 8192, "max_tokens": 4096, "model": "tiny", "vision": False},
    )
    assert configuration.judged().verdict is Verdict.AGREE
    hidden = replace(configuration.client, **{name: unknown("the file cannot be read")})  # type: ignore[arg-type]  # by name
    assert judge(configuration.numbers, (hidden,)).verdict is Verdict.UNKNOWN


_SERVER_INPUTS = (
    "slots",
    "slot_window_tokens",
    "reasoning_budget",
    "context_shift",
    "context_tokens",
    "sees_images",
)


@given(st.sampled_from(_SERVER_INPUTS))
def test_agree_is_never_said_with_any_of_the_servers_inputs_unread(name: str) -> None:
    configuration = Configuration(
        argv=("-c", "32768", "-np", "4", "--metrics", "--reasoning-budget", "1024"),
        thinks=True,
        settings={"context_window": 8192, "max_tokens": 4096, "thinking": True, "vision": False},
    )
    assert configuration.judged().verdict is Verdict.AGREE
    hidden = replace(configuration.numbers, **{name: unknown("it runs as user alice")})  # type: ignore[arg-type]  # by name
    judged = judge(hidden, (configuration.client,))
    assert judged.verdict is Verdict.UNKNOWN
    assert any("it runs as user alice" in one.message for one in judged.findings)


@st.composite
def configurations(draw: st.DrawFn) -> Configuration:
    argv: list[str] = []
    environment: dict[str, str] = {}

    def give(flag: str, variable: str, value: int) -> None:
        if draw(st.booleans()):
            environment[variable] = str(value)
        else:
            argv.extend((flag, str(value)))

    if draw(st.booleans()):
        give("-c", "LLAMA_ARG_CTX_SIZE", draw(st.integers(1024, 600_000)))
    if draw(st.booleans()):
        give("-np", "LLAMA_ARG_N_PARALLEL", draw(st.integers(1, 8)))
    if draw(st.integers(0, 3)) == 0:
        argv.append("-kvu")
    if draw(st.integers(0, 5)) == 0:
        cap = draw(st.integers(256, 40_000))
        give("--kv-unified-per-slot", "LLAMA_ARG_KV_UNIFIED_PER_SLOT", cap)
    give("--reasoning-budget", "LLAMA_ARG_THINK_BUDGET", draw(st.integers(-1, 20_000)))
    give("-cram", "LLAMA_ARG_CACHE_RAM", draw(st.sampled_from([-1, 0, 64, 8192])))
    if draw(st.integers(0, 5)) == 0:
        argv.append("--context-shift")
    client: dict[str, int | bool | str] = {}
    for key, values in {
        "context_window": st.integers(256, 300_000),
        "max_tokens": st.integers(1, 80_000),
        "compact_at_tokens": st.integers(1, 300_000),
        "requests_at_once": st.integers(1, 8),
        "thinking": st.booleans(),
        "vision": st.booleans(),
    }.items():
        if draw(st.booleans()):
            client[key] = draw(values)
    return Configuration(
        tuple(argv), environment, thinks=draw(st.booleans()), sees_images=None, settings=client
    )


@settings(max_examples=400)
@given(configurations())
def test_a_cure_applied_to_the_configuration_always_clears_its_finding(
    configuration: Configuration,
) -> None:
    for finding in configuration.judged().disagreements:
        for cure in finding.cures:
            if cure.line in ("--slots", "--metrics", "--mmproj FILE", "--no-mmproj"):
                continue
            left = configuration.cured(cure).judged()
            assert finding.code not in [one.code for one in left.disagreements], (cure, finding)
