"""A few lines for a screen too small for panels: the most important first."""

from __future__ import annotations

from mecha_tui.present import numbers
from mecha_tui.present.panels.memory_panel import memory_parts
from mecha_tui.present.panels.numbers_panel import verdict_part
from mecha_tui.present.panels.slots_panel import slots_lines
from mecha_tui.present.text import Line, Part, Tone, bold, cut, filled, line, muted
from mecha_tui.present.view import View
from mecha_tui.present.words import state_sentence, state_sign


def summary_lines(view: View, width: int, height: int) -> list[Line]:
    """Return exactly ``height`` lines of ``width`` cells that answer what they can."""
    lines = _content(view, width, height)
    return [filled(one, width) for one in (*lines, *[()] * height)][: max(0, height)]


def _content(view: View, width: int, height: int) -> list[Line]:
    picture = view.picture
    if picture is None:
        return [line(muted("○ waiting"))]
    sign = state_sign(picture)
    state = Part(str(sign), sign.tone)
    verdict = verdict_part(picture)
    paused = Part("‖ paused ", Tone.WARNING) if view.paused_wall_s is not None else ""
    busy = f"{numbers.tokens(picture.busy)}/{len(picture.slots)} busy"
    waiting = picture.waiting
    queue = (
        "" if not waiting.count else f" {'' if waiting.is_exact else '≤'}{waiting.count} waiting"
    )
    age = picture.age_s
    old = (
        Part(f"  {numbers.age(age)} old", Tone.WARNING) if view.is_stale and age is not None else ""
    )
    if height == 1:
        short = Part(
            verdict.text.removesuffix(" disagree").removesuffix(" disagrees"), verdict.tone
        )
        return [cut(line(paused, state, f" {busy}{queue} ", short, old), width)]
    model = bold(picture.model_name or "unknown model")
    rates = line(
        bold(numbers.rate(picture.writing_tokens_per_s)),
        muted(" tok/s out  "),
        bold(numbers.rate(picture.reading_tokens_per_s)),
        muted(" in"),
    )
    memory = memory_parts(picture.memory)
    free = line(
        bold(numbers.gib(memory.available)), muted(f" of {numbers.gib(memory.total)} GiB free")
    )
    first = line(paused, state, "  ", model)
    sentence = state_sentence(picture)
    if sentence is not None and not picture.slots:
        return [first, line(sentence), line(muted(picture.condition.reason or "")), line(verdict)]
    lines = [first, line(f"{busy}{queue}", old), line(verdict), rates, free]
    room = height - len(lines)
    return [*lines, *slots_lines(view, width, room).lines] if room > 0 else lines
