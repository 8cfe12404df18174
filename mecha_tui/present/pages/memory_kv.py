"""What the context takes, and what other flags would make of it."""

from __future__ import annotations

from mecha_tui.core.memory import Memory
from mecha_tui.core.memory_prediction import Prediction, predictions
from mecha_tui.core.numbers import ServerNumbers
from mecha_tui.core.reading import Reading
from mecha_tui.present import numbers
from mecha_tui.present.pages.memory_figures import LABEL, figure_row
from mecha_tui.present.pages.page import heading
from mecha_tui.present.text import Line, Part, Tone, cut, line, muted, wrapped

_NOTE = "It is reserved when the server starts: filling the context moves nothing."


def kv_lines(given: ServerNumbers, memory: Memory, width: int) -> list[Line]:
    """Return the section about keys and values."""
    window = numbers.tokens(given.slot_window_tokens.value)
    lines = [
        heading("context (KV)", width),
        figure_row("reserved", given.kv_bytes, width),
        figure_row(f"one slot of {window}", given.slot_kv_bytes, width),
        _prompt_cache(given.cache_ram_mib, width),
    ]
    found = predictions(given)
    if found:
        lines += wrapped(_NOTE, width, Tone.MUTED)
        lines.append(cut(line(muted("after a restart with")), width))
        lines += [cut(_prediction(one, memory), width) for one in found]
    return lines


def _prompt_cache(limit_mib: Reading[int], width: int) -> Line:
    """Return how far the host's prompt cache may grow, which no GPU figure holds."""
    label = muted(f"{'prompt cache, at most':<{LABEL}}")
    limit = limit_mib.value
    if limit is None:
        why = muted(f"      {limit_mib.reason or ''}")
        return cut(line(label, f"{numbers.UNKNOWN:>9}", why), width)
    if limit < 0:
        return cut(line(label, f"{'no limit':>9}", muted(f"      {limit_mib.source}")), width)
    shown = f"{numbers.gib(limit << 20):>9}"
    return cut(line(label, shown, muted(f" GiB  -cram, {limit_mib.source}")), width)


def _prediction(one: Prediction, memory: Memory) -> Line:
    sign = "+" if one.change_bytes >= 0 else "−"
    change = f"{sign}{numbers.gib(abs(one.change_bytes))}"
    return line(
        f"  {one.flags:<{LABEL - 2}}",
        f"{numbers.gib(one.kv_bytes):>9}",
        muted(f" GiB  {change:>7}   "),
        muted(f"{numbers.tokens(one.slot_window_tokens)} a slot   "),
        _fits(one, memory),
    )


def _fits(one: Prediction, memory: Memory) -> Part | str:
    left = memory.headroom_bytes.value
    if one.change_bytes <= 0 or left is None:
        return ""
    if one.change_bytes > left:
        return Part("✗ more than is available", Tone.ERROR)
    return Part("✓ fits", Tone.GOOD)
