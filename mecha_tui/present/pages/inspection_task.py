"""What a slot's task was told, and what it reads and writes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import zip_longest

from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.slots import Slot
from mecha_tui.present import numbers
from mecha_tui.present.clean import clean_block
from mecha_tui.present.pages.page import heading, labelled
from mecha_tui.present.text import EMPTY, Line, Part, Tone, bold, cut, filled, line, muted, wrapped

TEXT_LIMIT = 20_000
"""Characters shown of a prompt or of generated text; the end is what matters."""
VALUE_LIMIT = 200
_NAME_CELLS = 26
_COLUMN_CELLS = 50
NO_TEXT = (
    "The server does not send it. To see prompt and generated text, start the server with "
    "LLAMA_SERVER_SLOTS_DEBUG=1 in its environment. It is private: everyone who can reach "
    "the server can then read it."
)


def parameter_lines(slot: Slot, picture: ServerPicture, width: int) -> list[Line]:
    """Return the sampling parameters, those that differ from the server's defaults first."""
    if not slot.parameters:
        why = "no task has run here yet" if slot.is_unused else "the server does not say"
        return [heading("parameters", width), line(muted(f"– {why}"))]
    defaults = picture.props.default_parameters if picture.props is not None else {}
    names = [name for name in slot.parameters if name != "lora"]
    changed = [
        name for name in names if name in defaults and slot.parameters[name] != defaults[name]
    ]
    lines = [heading("parameters that differ from the server's defaults", width)]
    lines += [_changed(name, slot.parameters[name], defaults[name], width) for name in changed]
    if not changed:
        lines.append(line(muted("none" if defaults else "– the server does not tell its defaults")))
    lines += [EMPTY, *_extras(slot), EMPTY, heading("all other parameters", width)]
    rest = [name for name in names if name not in changed]
    return lines + _others(rest, slot.parameters, width)


def _others(names: list[str], values: Mapping[str, object], width: int) -> list[Line]:
    """Return the remaining parameters, in two columns where both stay readable."""
    if width < 2 * _COLUMN_CELLS:
        return [_parameter(name, values[name], width) for name in names]
    left_width = width // 2
    half = -(-len(names) // 2)
    left = [filled(_parameter(name, values[name], left_width), left_width) for name in names[:half]]
    right = [_parameter(name, values[name], width - left_width) for name in names[half:]]
    return [line(one, other) for one, other in zip_longest(left, right, fillvalue=EMPTY)]


def _changed(name: str, value: object, default: object, width: int) -> Line:
    mark = Part("* ", Tone.WARNING)
    label = muted(f"{name:<{_NAME_CELLS}} ")
    told = muted(f"   default {value_text(default)}")
    return cut(line(mark, label, bold(value_text(value), Tone.WARNING), told), width)


def _parameter(name: str, value: object, width: int) -> Line:
    return cut(line("  ", muted(f"{name:<{_NAME_CELLS}} "), value_text(value)), width)


def value_text(value: object) -> str:
    """Return a JSON value on one line, capped; numbers without a float's noise."""
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "null"}[value]
    if isinstance(value, float):
        return f"{value:.6g}"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    text = text or '""'
    return text if len(text) <= VALUE_LIMIT else f"{text[:VALUE_LIMIT]}…"


def _extras(slot: Slot) -> list[Line]:
    lora = slot.parameters.get("lora")
    words = {None: numbers.UNKNOWN, True: "yes", False: "no"}
    adapters = numbers.UNKNOWN if lora is None else value_text(lora) if lora else "none"
    return [
        labelled("LoRA", adapters),
        labelled("speculative", words[slot.is_speculative]),
    ]


def text_lines(slot: Slot, width: int) -> list[Line]:
    """Return prompt and generated text, or how to have the server send them."""
    if slot.prompt is None and slot.generated is None:
        return [heading("prompt and generated text", width), *wrapped(NO_TEXT, width, Tone.MUTED)]
    lines: list[Line] = []
    for title, text in (("generated text", slot.generated), ("prompt", slot.prompt)):
        lines.append(heading(title, width))
        lines += [line(muted("–"))] if text is None else _text(text, width)
        lines.append(EMPTY)
    return lines[:-1]


def _text(text: str, width: int) -> list[Line]:
    shown = wrapped(clean_block(text[-TEXT_LIMIT:], TEXT_LIMIT), width)
    if len(text) <= TEXT_LIMIT:
        return shown or [line(muted("empty"))]
    left_out = len(text) - TEXT_LIMIT
    return [line(muted(f"… {left_out:,} characters before this are not shown")), *shown]
