"""Every rule on both sides of its threshold, and every cure applied."""

from __future__ import annotations

import shlex
from dataclasses import replace

import pytest
import tomlkit

from mecha_tui.core.agreement import Severity, Verdict, judge
from mecha_tui.core.client import ClientPromise
from mecha_tui.core.numbers import ServerNumbers
from mecha_tui.core.reading import known, unknown
from mecha_tui.core.server import Role
from tests.configuration import SHAPE, Configuration

DIVIDED, SHARED = "-c 32768 -np 4 --metrics", "-c 32768 --metrics"
MIB_OF_A_SLOT = 256
"""8,192 tokens at 32 KiB each."""

CASES = [
    # flags, the client's settings, the codes that are facts
    (DIVIDED, {"context_window": 8192}, ()),
    (DIVIDED, {"context_window": 8193}, ("window-over-slot",)),
    (DIVIDED, {"context_window": 7936}, ()),
    (DIVIDED, {"context_window": 7935}, ("window-under-slot",)),
    (DIVIDED, {}, ("window-missing",)),
    (DIVIDED, {"context_window": 8192, "max_tokens": 8191}, ()),
    (DIVIDED, {"context_window": 8192, "max_tokens": 8192}, ("output-over-slot",)),
    (DIVIDED, {"context_window": 8192, "compact_at_tokens": 8191}, ()),
    (DIVIDED, {"context_window": 8192, "compact_at_tokens": 8192}, ("compaction-over-slot",)),
    (DIVIDED, {"context_window": 8000, "compact_at_tokens": 8000}, ("compaction-over-slot",)),
    (SHARED, {"context_window": 8192}, ()),
    (SHARED, {"context_window": 8193}, ("pool-oversold",)),
    (SHARED, {"context_window": 32768}, ("pool-oversold",)),
    (SHARED, {"context_window": 32769}, ("window-over-slot",)),
    (SHARED, {"context_window": 7936}, ()),
    (SHARED, {"context_window": 7935}, ("window-under-slot",)),
    ("-c 8192 -np 2 -kvu --metrics", {"context_window": 4096}, ()),
    ("-c 8192 -np 2 -kvu --metrics", {"context_window": 4097}, ("pool-oversold",)),
    ("--kv-unified-per-slot 2048 --metrics", {"context_window": 2048}, ()),
    ("--kv-unified-per-slot 2048 --metrics", {"context_window": 4096}, ("window-over-slot",)),
    ("-c 10000 -np 3 --metrics", {"context_window": 3584}, ()),
    ("-c 10000 -np 3 --metrics", {"context_window": 3333}, ()),
    ("-c 1000000 -np 4 --metrics", {"context_window": 131072}, ("division-unexpected",)),
    ("-c 524288 -np 4 --metrics", {"context_window": 131072}, ()),
    ("-c 525312 -np 4 --metrics", {"context_window": 131072}, ()),
    ("-c 525316 -np 4 --metrics", {"context_window": 131072}, ("division-unexpected",)),
    (
        "-c 32768 --kv-unified-per-slot 2048 -np 4 --metrics",
        {"context_window": 2048},
        ("division-unexpected",),
    ),
    ("-c 0 -np 4 --metrics", {"context_window": 131072}, ()),
    ("-np 4 --metrics", {"context_window": 131072}, ()),
    ("-c 8192 -np 1 --metrics", {"context_window": 8192}, ("one-slot-many-talkers",)),
    (
        "-c 8192 -np 1 --metrics",
        {"context_window": 8192, "requests_at_once": 4},
        ("one-slot-many-talkers",),
    ),
    ("-c 8192 -np 1 --metrics", {"context_window": 8192, "requests_at_once": 1}, ()),
    (
        "-c 24576 -np 3 --metrics",
        {"context_window": 8192, "requests_at_once": 4},
        ("slots-under-concurrency",),
    ),
    (DIVIDED, {"context_window": 8192, "requests_at_once": 4}, ()),
    (f"{DIVIDED} -cram {MIB_OF_A_SLOT}", {"context_window": 8192}, ()),
    (f"{DIVIDED} -cram {MIB_OF_A_SLOT - 1}", {"context_window": 8192}, ("prompt-cache-small",)),
    (
        f"{DIVIDED} -cram {MIB_OF_A_SLOT // 2} -ctk q8_0",
        {"context_window": 8192},
        ("prompt-cache-small",),
    ),
    (f"{DIVIDED} -cram 136 -ctk q8_0 -ctv q8_0", {"context_window": 8192}, ()),
    (f"{DIVIDED} -cram 135 -ctk q8_0 -ctv q8_0", {"context_window": 8192}, ("prompt-cache-small",)),
    (f"{DIVIDED} -cram -1", {"context_window": 8192}, ()),
    (f"{DIVIDED} -cram 0", {"context_window": 8192}, ("prompt-cache-off",)),
    (f"{DIVIDED} --context-shift", {"context_window": 8192}, ("context-shift-on",)),
    (f"{DIVIDED} --no-context-shift", {"context_window": 8192}, ()),
    (f"{DIVIDED} --no-slots", {"context_window": 8192}, ("slots-hidden",)),
    ("-c 32768 -np 4", {"context_window": 8192}, ("metrics-off",)),
    (DIVIDED, {"context_window": 8192, "model": "tiny"}, ()),
    (DIVIDED, {"context_window": 8192, "model": "other"}, ("model-mismatch",)),
    (DIVIDED, {"context_window": 8192, "vision": True}, ("vision-unserved",)),
    (DIVIDED, {"context_window": 8192, "vision": False}, ()),
]


@pytest.mark.parametrize(("flags", "settings", "codes"), CASES)
def test_the_rules_fire_on_their_side_of_their_thresholds(
    flags: str, settings: dict[str, int | bool | str], codes: tuple[str, ...]
) -> None:
    configuration = Configuration(argv=tuple(shlex.split(flags)), settings=settings)
    judged = configuration.judged()
    assert tuple(one.code for one in judged.disagreements) == codes
    weighty = [one for one in judged.disagreements if one.severity is not Severity.INFO]
    assert judged.verdict is (Verdict.DISAGREE if weighty else Verdict.AGREE)


@pytest.mark.parametrize(("flags", "settings", "codes"), [case for case in CASES if case[2]])
def test_every_cure_clears_its_finding_and_leaves_numbers_that_agree(
    flags: str, settings: dict[str, int | bool | str], codes: tuple[str, ...]
) -> None:
    configuration = Configuration(argv=tuple(shlex.split(flags)), settings=settings)
    (finding,) = configuration.judged().disagreements
    assert finding.code in codes
    assert finding.cures or finding.code == "prompt-cache-off"
    for cure in finding.cures:
        if "mmproj" in cure.line or "--alias" in cure.line or cure.line == "--slots":
            continue
        cured = configuration.cured(cure).judged()
        assert finding.code not in [one.code for one in cured.disagreements], cure
        assert cured.verdict is Verdict.AGREE, (cure, cured)


@pytest.mark.parametrize(
    ("budget", "thinks", "thinking", "code", "verdict"),
    [
        ("-1", True, True, "budget-unlimited", Verdict.DISAGREE),
        ("-1", True, False, None, None),
        ("-1", False, True, None, None),
        ("4096", True, True, None, None),
        ("0", True, True, "thinking-off", Verdict.DISAGREE),
        ("0", True, False, None, None),
        ("-1", None, True, "budget-unlimited", Verdict.UNKNOWN),
        ("-1", True, None, "budget-unlimited", Verdict.UNKNOWN),
    ],
)
def test_thinking_without_a_cap_is_told_where_it_happens(
    budget: str, thinks: bool | None, thinking: bool | None, code: str | None, verdict: object
) -> None:
    settings: dict[str, int | bool | str] = {"context_window": 8192, "max_tokens": 6000}
    if thinking is not None:
        settings["thinking"] = thinking
    argv = (*shlex.split(DIVIDED), "--reasoning-budget", budget)
    configuration = Configuration(argv=argv, thinks=thinks, settings=settings)
    found = [(one.code, one.verdict) for one in configuration.judged().findings]
    assert found == ([] if code is None else [(code, verdict)])
    for finding in configuration.judged().disagreements:
        for cure in finding.cures:
            cured = configuration.cured(cure).judged()
            assert cured.verdict is Verdict.AGREE
            assert cured.findings == ()


@pytest.mark.parametrize(("thinks", "is_silent"), [(False, True), (True, False), (None, False)])
def test_an_unread_budget_matters_unless_the_model_never_thinks(
    thinks: bool | None, is_silent: bool
) -> None:
    settings: dict[str, int | bool | str] = {"context_window": 8192, "max_tokens": 4096}
    configuration = Configuration(
        argv=tuple(shlex.split(DIVIDED)), thinks=thinks, settings=settings
    )
    numbers = replace(configuration.numbers, reasoning_budget=unknown("another machine"))
    found = [one.code for one in judge(numbers, (configuration.client,)).findings]
    assert ("answer-room-none" not in found) is is_silent
    assert ("budget-unlimited" not in found) is is_silent


def test_a_server_told_not_to_think_has_no_use_for_a_budget() -> None:
    argv = (*shlex.split(DIVIDED), "--reasoning", "off", "--reasoning-budget", "4096")
    settings: dict[str, int | bool | str] = {"context_window": 8192, "max_tokens": 64}
    assert Configuration(argv=argv, thinks=True, settings=settings).judged().findings == ()


@pytest.mark.parametrize(
    ("vision", "sees", "code"),
    [
        (True, False, "vision-unserved"),
        (True, True, None),
        (False, True, "vision-unused"),
        (False, False, None),
    ],
)
def test_images_are_sent_exactly_where_they_are_seen(
    vision: bool, sees: bool, code: str | None
) -> None:
    settings: dict[str, int | bool | str] = {"context_window": 8192, "vision": vision}
    configuration = Configuration(
        argv=tuple(shlex.split(DIVIDED)), sees_images=sees, settings=settings
    )
    assert [one.code for one in configuration.judged().findings] == ([code] if code else [])


def test_an_old_server_that_does_not_say_whether_it_sees_is_unknown() -> None:
    settings: dict[str, int | bool | str] = {"context_window": 8192, "vision": True}
    configuration = Configuration(
        argv=tuple(shlex.split(DIVIDED)), sees_images=None, settings=settings
    )
    judged = configuration.judged()
    assert judged.verdict is Verdict.UNKNOWN
    assert [one.code for one in judged.findings] == ["vision-unserved"]


def test_the_reference_launch_comes_out_clean() -> None:
    configuration = Configuration(
        argv=tuple(
            shlex.split("-c 1048576 -np 4 -cram 32768 --reasoning-budget 4096 --jinja --metrics")
        ),
        trained=262_144,
        thinks=True,
        settings={
            "context_window": 262_144,
            "max_tokens": 64_000,
            "thinking": True,
            "requests_at_once": 4,
        },
    )
    judged = configuration.judged()
    assert judged.findings == ()
    assert judged.verdict is Verdict.AGREE


def test_an_unreadable_model_leaves_its_rule_unknown_without_weighing() -> None:
    configuration = Configuration(
        argv=tuple(shlex.split(DIVIDED)), shape=unknown("the model file cannot be read")
    )
    judged = configuration.judged()
    assert judged.verdict is Verdict.AGREE
    (finding,) = judged.findings
    assert (finding.code, finding.verdict) == ("prompt-cache-small", Verdict.UNKNOWN)
    assert "the model file cannot be read" in finding.message


def test_without_the_flags_a_window_between_share_and_slot_is_unknown() -> None:
    numbers = replace(
        Configuration().numbers, kv_mode=unknown("remote"), pool_tokens=unknown("remote")
    )
    promise = Configuration(settings={"context_window": 4096}).client
    codes = {one.code: one.verdict for one in judge(numbers, (promise,)).findings}
    assert codes["window-under-slot"] is Verdict.UNKNOWN


def test_clients_of_a_router_are_judged_against_the_model_they_ask_for() -> None:
    numbers = replace(Configuration().numbers, router_model="tiny")
    asks = Configuration(settings={"context_window": 999, "model": "tiny"}).client
    other = Configuration(settings={"context_window": 999, "model": "other"}).client
    assert "window-under-slot" in [one.code for one in judge(numbers, (asks,)).findings]
    assert [one.code for one in judge(numbers, (other,)).disagreements] == ["metrics-off"]
    (nobody,) = judge(numbers, (other,)).open_questions
    assert "No client of this router asks for tiny" in nobody.effect


def test_a_router_itself_has_only_the_names_of_its_models() -> None:
    numbers = ServerNumbers(role=Role.ROUTER, model_names=("a", "b"))
    asks_a = Configuration(settings={"model": "a"}).client
    asks_c = Configuration(settings={"model": "c"}).client
    assert judge(numbers, (asks_a,)).findings == ()
    assert judge(numbers, (asks_a,)).verdict is Verdict.UNKNOWN
    assert [one.code for one in judge(numbers, (asks_c,)).findings] == ["model-mismatch"]


def test_each_of_two_clients_is_judged_on_its_own() -> None:
    right, wrong = Configuration().client, Configuration(settings={"context_window": 1}).client
    wrong = replace(wrong, name="wrong")
    judged = judge(Configuration(argv=tuple(shlex.split(DIVIDED))).numbers, (right, wrong))
    assert [(one.code, one.client) for one in judged.findings] == [("window-under-slot", "wrong")]


def test_two_flags_that_cure_together_are_one_line() -> None:
    configuration = Configuration(
        argv=("-np", "1", "--metrics"), environment={"LLAMA_ARG_CTX_SIZE": "8192"}
    )
    (finding,) = configuration.judged().disagreements
    assert finding.cures[0].line == "LLAMA_ARG_CTX_SIZE=32768 -np 4"
    assert configuration.cured(finding.cures[0]).judged().findings == ()


def test_findings_come_worst_first_and_unknown_ones_last() -> None:
    configuration = Configuration(
        argv=("-c", "32768", "-np", "4", "--context-shift", "--reasoning-budget", "4096"),
        shape=unknown("unread"),
        settings={"context_window": 9000, "max_tokens": 64},
    )
    found = configuration.judged().findings
    ranks = [(one.verdict is Verdict.UNKNOWN, one.severity.value) for one in found]
    assert ranks == [
        (False, "error"),
        (False, "error"),
        (False, "warning"),
        (False, "info"),
        (True, "info"),
    ]


def test_the_shape_of_these_tests_takes_what_they_say() -> None:
    numbers = Configuration().numbers
    assert numbers.slot_kv_bytes == known(MIB_OF_A_SLOT * 1024 * 1024, "model file and flags")
    assert numbers.kv_bytes.value == 4 * MIB_OF_A_SLOT * 1024 * 1024
    assert SHAPE.layer_count == 8
    assert isinstance(Configuration().client, ClientPromise)


@pytest.mark.parametrize(
    "name", ["m", "a b", "$(rm -rf ~)", "it's", 'say "hi"', "\\", "`x`", "qwen[/b]"]
)
def test_a_cure_is_safe_to_paste_whatever_a_model_is_called(name: str) -> None:
    settings: dict[str, int | bool | str] = {"context_window": 8192, "model": name}
    configuration = Configuration(argv=tuple(shlex.split(DIVIDED)), settings=settings)
    (finding,) = configuration.judged().disagreements
    assert finding.code == "model-mismatch"
    assert shlex.split(finding.cures[1].line) == ["--alias", name]


@pytest.mark.parametrize("name", ["m", 'say "hi"', "\\", "[x]", "# no"])
def test_a_cure_is_safe_to_write_into_toml_whatever_the_server_is_called(name: str) -> None:
    settings: dict[str, int | bool | str] = {"context_window": 8192, "model": "other"}
    configuration = Configuration(argv=tuple(shlex.split(DIVIDED)), settings=settings)
    numbers = replace(configuration.numbers, model_names=(name,))
    (finding,) = judge(numbers, (configuration.client,)).disagreements
    assert tomlkit.parse(finding.cures[0].line) == {"model": name}
