"""How a speed stands to the usual one, in words."""

from __future__ import annotations

from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.usual import SLOWER_RATIO, Direction, Load, Usual
from mecha_tui.present import numbers
from mecha_tui.present.text import Line, Part, Tone, line, muted


def usual_line(picture: ServerPicture) -> Line | None:
    """Return the slowdown that is told, else what is usual under the load of now.

    Returns:
        None where nothing is usual under this load yet, or nothing runs.
    """
    for direction in Direction:
        judgement = picture.paces.of(direction)
        ratio = judgement.comparison.ratio
        if judgement.is_slow and ratio is not None and judgement.usual is not None:
            told_usual = numbers.rate(judgement.usual.tokens_per_s)
            told = f"! {direction.value} {difference_words(ratio)}"
            return line(Part(told, Tone.WARNING), muted(f"  usual {told_usual}"))
    slots = tuple(one.slot for one in picture.slots)
    for direction in Direction:
        usual = picture.paces.usual_now(slots, direction)
        if usual is None:
            continue
        about = "" if direction is Direction.WRITING else " reading"
        found = [muted(f"usual here {numbers.rate(usual.tokens_per_s)}{about}")]
        is_writing = direction is Direction.WRITING
        rate = picture.writing_tokens_per_s if is_writing else picture.reading_tokens_per_s
        if rate is not None:
            found += [muted("  "), _difference(rate / usual.tokens_per_s)]
        return line(*found)
    return None


def difference_words(ratio: float) -> str:
    """Return a ratio to the usual as a difference, such as ``−4 %``."""
    percent = round((ratio - 1) * 100)
    return f"{percent:+d} %".replace("-", "−") if percent else "±0 %"


def _difference(ratio: float) -> Part:
    tone = Tone.WARNING if ratio < SLOWER_RATIO else Tone.GOOD
    return Part(difference_words(ratio), tone)


def load_words(load: Load) -> str:
    """Return a condition in words, such as ``1 busy, 2,048–4,095 held``."""
    low = load.depth_band
    high = 2 * low - 1 if low else 1023
    return f"{load.busy_slots} busy, {low:,}–{high:,} held"


def spread_words(usual: Usual) -> str:
    """Return what a usual speed rests on."""
    days = "1 day" if usual.days == 1 else f"{usual.days} days"
    return f"± {numbers.rate(usual.spread)}  {usual.tokens:,} tokens, {days}"
