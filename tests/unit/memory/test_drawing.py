"""Panel and page fit any room, and say in words what they cannot show."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mecha_tui.core.memory import Holder, Memory
from mecha_tui.core.memory_device import is_unified_chip
from mecha_tui.core.reading import unknown
from mecha_tui.present.pages.memory import memory_page
from mecha_tui.present.panels.memory_panel import (
    memory_footer,
    memory_line,
    memory_lines,
    memory_tone,
)
from mecha_tui.present.plain_glyphs import ascii_only
from mecha_tui.present.text import Line, Tone, plain, width_of
from mecha_tui.present.view import View
from tests.app.memory_scenes import MACHINES, broken_driver, gb10, no_gpu, with_memory

SIZES = [(width, room) for width in (1, 7, 24, 46, 60, 80, 120) for room in range(14)]


def text(lines: list[Line]) -> str:
    return "\n".join(plain(one) for one in lines)


@pytest.mark.parametrize("machine", MACHINES)
def test_the_panel_fits_any_room(machine: str) -> None:
    picture = with_memory(MACHINES[machine]())
    for width, room in SIZES:
        lines = memory_lines(picture, width, room)
        assert len(lines) <= room
        assert all(width_of(one) <= width for one in lines)
        assert width_of(memory_line(picture.memory, width)) <= width


@pytest.mark.parametrize("machine", MACHINES)
def test_the_page_fits_any_width_and_can_be_drawn_in_ascii(machine: str) -> None:
    view = View(picture=with_memory(MACHINES[machine]()))
    for width in (1, 7, 24, 46, 60, 80, 120):
        lines = memory_page(view, width).lines
        assert all(width_of(one) <= width for one in lines)
        assert ascii_only(text(list(lines))).isascii()


@pytest.mark.parametrize("machine", MACHINES)
def test_every_unknown_figure_on_the_page_has_its_reason(machine: str) -> None:
    lines = memory_page(View(picture=with_memory(MACHINES[machine]())), 120).lines
    for one in lines:
        label, dash, reason = plain(one).partition(" –  ")
        if dash and not label.lstrip()[:1].isdigit():
            assert reason.strip(), label


def test_what_the_driver_calls_not_available_is_said_in_words() -> None:
    shown = text(memory_lines(with_memory(gb10()), 60, 8))
    assert "NVIDIA GB10: no separate VRAM" in shown
    assert "N/A" not in shown


def test_a_broken_driver_names_what_to_do_and_host_memory_as_such() -> None:
    picture = with_memory(broken_driver())
    shown = text(memory_lines(picture, 80, 8))
    assert "reboot after the driver's update" in shown
    assert "host 54.1 of 62.5 GiB available" in shown
    assert "━" not in shown
    assert memory_tone(picture) is Tone.WARNING
    assert "gpu error" in plain(memory_footer(picture))


def test_a_share_that_is_only_half_known_is_named_as_that_half() -> None:
    half = replace(gb10(), server_gpu_bytes=unknown("the driver does not list it"))
    assert "server on host" in text(memory_lines(with_memory(half), 60, 8))
    none = replace(half, server_host_bytes=unknown("no permission"))
    shown = text(memory_lines(with_memory(none), 60, 8))
    assert "in use by all" in shown
    assert "other programs" not in shown


def test_old_figures_are_grey_and_tell_their_age() -> None:
    picture = with_memory(no_gpu())
    old = replace(picture, now_s=picture.now_s + 12.0)
    assert plain(memory_footer(picture)) == ""
    assert plain(memory_footer(old)) == "12 s old"
    tones = {part.tone for one in memory_lines(old, 60, 8) for part in one}
    assert tones <= {Tone.MUTED, Tone.FAINT}


def test_a_memory_never_read_claims_nothing() -> None:
    picture = with_memory(Memory())
    assert "not read yet" in text(memory_lines(picture, 60, 8))
    assert memory_tone(picture) is Tone.FAINT
    assert memory_footer(picture) == ()


def test_many_holders_are_cut_and_counted() -> None:
    crowd = tuple(Holder(pid, "one", host_bytes=pid, host_measure="PSS") for pid in range(40))
    lines = memory_page(View(picture=with_memory(replace(gb10(), holders=crowd))), 100).lines
    assert "28 more hold less" in text(list(lines))


@pytest.mark.parametrize(
    "name", ["NVIDIA GB10", "NVIDIA Thor", "Orin (nvgpu)", "NVIDIA DGX Spark", "Jetson AGX Orin"]
)
def test_chips_in_unified_memory_are_known_by_name(name: str) -> None:
    assert is_unified_chip(name)


@pytest.mark.parametrize(
    "name",
    ["NVIDIA GH200 480GB", "NVIDIA GB200", "NVIDIA GB100", "NVIDIA GeForce RTX 3090", "Sparkle"],
)
def test_coherent_memory_alone_is_not_unified(name: str) -> None:
    assert not is_unified_chip(name)
