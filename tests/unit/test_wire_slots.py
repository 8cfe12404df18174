"""``/slots`` of every build is read, and what a build does not say is None, never zero."""

from __future__ import annotations

import json

import pytest

from mecha_tui.collect.wire.slots import parse_slots
from mecha_tui.core.slots import Phase, Slot
from mecha_tui.core.text import TEXT_LIMIT


def parsed(payload: object) -> tuple[Slot, ...] | None:
    return parse_slots(json.dumps(payload).encode())


def only(entry: dict[str, object]) -> Slot:
    slots = parsed([entry])
    assert slots is not None
    return slots[0]


NOW = {
    "id": 3,
    "n_ctx": 8192,
    "speculative": False,
    "is_processing": True,
    "id_task": 2,
    "n_prompt_tokens": 4096,
    "n_prompt_tokens_processed": 2048,
    "n_prompt_tokens_cache": 5,
    "params": {"temperature": 0.5, "stop": ["a"], "lora": [{"id": 0, "scale": 1.0}]},
    "next_token": [{"has_next_token": True, "n_remain": 22, "n_decoded": 38}],
}


def test_a_slot_of_today_is_read_whole() -> None:
    assert only(NOW) == Slot(
        slot_id=3,
        is_processing=True,
        window_tokens=8192,
        task_id=2,
        held_tokens=4096,
        read_tokens=2048,
        reused_tokens=5,
        written_tokens=38,
        remaining_tokens=22,
        is_speculative=False,
        parameters={"temperature": 0.5, "stop": ("a",), "lora": ({"id": 0, "scale": 1.0},)},
    )


def test_held_tokens_are_the_servers_own_count_and_nothing_is_added() -> None:
    assert only(NOW).held_tokens == 4096


def test_a_slot_that_never_ran_has_four_keys_and_is_unused() -> None:
    slot = only({"id": 0, "n_ctx": 8192, "speculative": False, "is_processing": False})
    assert slot == Slot(0, False, 8192, is_speculative=False)
    assert slot.is_unused


def test_an_idle_slot_keeps_its_leftovers_and_does_not_count_as_running() -> None:
    slot = only(
        {
            "id": 0,
            "is_processing": False,
            "id_task": 41,
            "n_prompt_tokens": 9000,
            "next_token": [{"n_decoded": 0, "n_remain": -1}],
        }
    )
    assert (slot.phase, slot.held_tokens, slot.task_id) == (Phase.IDLE, 9000, 41)
    assert slot.running_task_id is None
    assert not slot.is_unlimited


@pytest.mark.parametrize(
    ("entry", "is_processing"),
    [
        ({"id": 0, "state": 0}, False),
        ({"id": 0, "state": 1}, True),
        ({"id": 0, "state": 1, "is_processing": False}, False),
        ({"id": 0}, None),
        ({"id": 0, "is_processing": 1}, None),
        ({"id": 0, "state": True}, None),
        ({"id": 0, "is_processing": "yes", "state": "busy"}, None),
    ],
)
def test_busy_is_told_by_old_and_new_builds(
    entry: dict[str, object], is_processing: bool | None
) -> None:
    assert only(entry).is_processing is is_processing


@pytest.mark.parametrize(
    ("next_token", "written", "remaining"),
    [
        ([{"n_decoded": 10, "n_remain": 90}], 10, 90),
        ({"n_decoded": 10, "n_remain": 90}, 10, 90),
        ({"num_tokens_predicted": 7, "n_remain": 93}, 7, 93),
        ([], None, None),
        (None, None, None),
        ([None], None, None),
        ("x", None, None),
        ([{"n_decoded": True, "n_remain": 2.5}], None, None),
        ([{"n_decoded": -4, "n_remain": -7}], None, None),
        ([{"n_decoded": 2**70, "n_remain": 1}], None, 1),
    ],
)
def test_the_next_token_has_many_shapes(
    next_token: object, written: int | None, remaining: int | None
) -> None:
    slot = only({"id": 0, "is_processing": True, "next_token": next_token})
    assert (slot.written_tokens, slot.remaining_tokens) == (written, remaining)
    assert not slot.is_unlimited


def test_a_running_task_without_limit_says_so_and_has_nothing_left_to_count() -> None:
    slot = only({"id": 0, "is_processing": True, "next_token": [{"n_remain": -1, "n_decoded": 3}]})
    assert slot.is_unlimited
    assert slot.remaining_tokens is None


def test_the_first_builds_named_the_task_otherwise() -> None:
    slot = only({"id": 0, "task_id": 3, "state": 1, "next_token": {"num_tokens_predicted": 7}})
    assert (slot.task_id, slot.written_tokens, slot.held_tokens) == (3, 7, None)


def test_minus_one_is_no_task() -> None:
    assert only({"id": 0, "id_task": -1, "is_processing": False}).task_id is None


def test_older_builds_send_sampling_parameters_among_the_slots_own_fields() -> None:
    slot = only({"id": 0, "n_ctx": 1024, "state": 1, "temperature": 0.8, "prompt": "hi"})
    assert slot.parameters == {"temperature": 0.8}
    assert slot.prompt == "hi"


def test_a_fork_may_wrap_the_list() -> None:
    assert parsed({"slots": [NOW]}) == parsed([NOW])


@pytest.mark.parametrize(
    "name",
    ["n_ctx", "id_task", "n_prompt_tokens", "n_prompt_tokens_processed", "n_prompt_tokens_cache"],
)
@pytest.mark.parametrize("value", [True, "12", 1.5, -2, None, [], {}, 2**60, 1e308])
def test_one_bad_field_costs_that_field_only(name: str, value: object) -> None:
    good, bad = only(NOW), only({**NOW, name: value})
    fields = {
        "n_ctx": "window_tokens",
        "id_task": "task_id",
        "n_prompt_tokens": "held_tokens",
        "n_prompt_tokens_processed": "read_tokens",
        "n_prompt_tokens_cache": "reused_tokens",
    }
    for field in Slot.__slots__:
        expected = None if field == fields[name] else getattr(good, field)
        assert getattr(bad, field) == expected, field


def test_a_window_of_zero_is_unknown_and_no_count_is_clamped() -> None:
    assert only({"id": 0, "n_ctx": 0}).window_tokens is None
    assert only({"id": 0, "n_ctx": 10, "n_prompt_tokens": 12}).held_tokens == 12


def test_slots_without_usable_numbers_are_numbered_in_order() -> None:
    slots = parsed([{"id": 7, "n_ctx": 1}, {"id": 7, "n_ctx": 1}])
    assert slots is not None
    assert [slot.slot_id for slot in slots] == [0, 1]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html><body>Not here</body></html>",
        b"null",
        b"3",
        b'"slots"',
        b"{}",
        b'{"slots": 4}',
        b"[1, 2]",
        b'[{"name": "somebody else\'s list"}]',
        b"[" * 100_000,
        b'[{"id": 0}',
        b"\xff\xfe\x00",
    ],
)
def test_another_shape_is_nobodys_slots(body: bytes) -> None:
    assert parse_slots(body) is None


def test_an_integer_of_thousands_of_digits_costs_only_its_field() -> None:
    slots = parse_slots(b'[{"id": 0, "n_ctx": ' + b"9" * 10_000 + b', "is_processing": false}]')
    assert slots == (Slot(0, False),)


def test_invalid_utf8_costs_a_character_and_not_the_reply() -> None:
    slots = parse_slots(b'[{"id": 0, "prompt": "a\xe3\x81"}]')
    assert slots is not None
    assert slots[0].prompt == "a\ufffd"


def test_private_text_is_capped_and_made_safe_and_its_end_is_kept() -> None:
    slot = only({"id": 0, "prompt": "x" * 10**6 + "end", "generated": "a\x1b]0;title\x07b\r\nc"})
    assert slot.prompt is not None
    assert len(slot.prompt) == TEXT_LIMIT
    assert slot.prompt.endswith("xend")
    assert slot.generated == "ab\nc"


def test_parameters_are_data_that_cannot_hurt() -> None:
    hostile = {
        "grammar": "g" * 10**5,
        "\x1b[31mred": [[[[[["deep"]]]]]],
        "n": 10**30,
        "x": "\ud800",
    }
    slot = only({"id": 0, "params": hostile})
    assert len(str(slot.parameters["grammar"])) == 300
    assert slot.parameters["n"] is None
    assert slot.parameters["x"] == ""
    assert "red" in slot.parameters
