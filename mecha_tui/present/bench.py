"""What a benchmark will cost, how far it is, and what it found, for people and for scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from mecha_tui.core.bench import BenchResults, Rate, Timed, spread
from mecha_tui.core.bench_plan import MESSAGE_TOKENS, RUNS, BenchPlan, Part
from mecha_tui.core.picture import ServerPicture
from mecha_tui.present.check import Line, Piece, Tone
from mecha_tui.present.numbers import UNKNOWN, duration, percent, rate
from mecha_tui.present.words import report_name

SCHEMA = 1
"""Version of the JSON object; it changes when a field changes its meaning or goes."""


def subject_line(picture: ServerPicture) -> Line:
    """Return what is measured."""
    props = picture.props
    more = [] if props is None else [one for one in (props.quantization, props.build) if one]
    slots = picture.numbers.slots.value
    window = picture.numbers.slot_window_tokens.value
    if slots is not None and window is not None:
        more.append(f"{slots} {'slot' if slots == 1 else 'slots'} of {window:,} tokens")
    return (
        Piece(picture.url, Tone.STRONG),
        Piece("  " + "  ".join([report_name(picture), *more])),
    )


def cost_lines(plan: BenchPlan, picture: ServerPicture, slot_id: int | None) -> list[Line]:
    """Return what will be run, what it takes, and whose tokens may be lost by it."""
    lines: list[Line] = [subject_line(picture), ()]
    lines += [
        (Piece(f"  {part.value:<10}", Tone.STRONG), Piece(_task(part, plan))) for part in plan.parts
    ]
    read = f"reads {plan.read_tokens:,}"
    if plan.most_read_tokens > plan.read_tokens:
        read += f" ({plan.most_read_tokens:,} where nothing is reused)"
    lines += [(), (Piece(f"It writes {plan.written_tokens:,} tokens and {read}."),)]
    lines.append((Piece(_place(plan, slot_id)),))
    return [*lines, *_displaced(plan, picture, slot_id), *_shared(picture)]


def progress_text(part: Part, number: int, count: int, elapsed_s: float) -> str:
    """Return how far a benchmark is."""
    word = "turn" if part is Part.AFFINITY else "run"
    text = f"{part.value}  {word} {number} of {count}"
    return f"{text}  {duration(elapsed_s)}" if elapsed_s else text


def result_lines(results: BenchResults, picture: ServerPicture) -> list[Line]:
    """Return the table; a part of which nothing was measured has no row."""
    rows = _rate_rows(results)
    lines: list[Line] = [subject_line(picture), ()]
    if rows:
        lines.append((Piece(_row("", "tok/s", "spread", "runs", "tokens each"), Tone.QUIET),))
    lines += [(Piece(_row(*row)),) for row in rows]
    lines += _turn_lines(results)
    if not rows and not results.turns:
        lines.append((Piece("Nothing was measured.", Tone.WARNING),))
    return lines


def bench_json(
    results: BenchResults, picture: ServerPicture, plan: BenchPlan, why_incomplete: str | None
) -> Mapping[str, object]:
    """Return the object for scripts. What was not measured is None."""
    props = picture.props
    return {
        "schema": SCHEMA,
        "url": picture.url,
        "model": picture.model_name,
        "quantization": None if props is None else props.quantization,
        "build": None if props is None else props.build,
        "slot_count": picture.numbers.slots.value,
        "slot_window_tokens": picture.numbers.slot_window_tokens.value,
        "busy_before": picture.busy,
        "is_complete": why_incomplete is None,
        "why_incomplete": why_incomplete,
        "single": _rates_json([one.writing for one in results.single]),
        "streams": None
        if not results.streams
        else {
            "streams": plan.streams,
            **(_rates_json([one.together for one in results.streams]) or {}),
        },
        "reading": _rates_json([one.reading for one in results.reading]),
        "affinity": _affinity_json(results),
    }


def _task(part: Part, plan: BenchPlan) -> str:
    return {
        Part.SINGLE: f"{RUNS} times one answer of {plan.tokens:,} tokens",
        Part.STREAMS: f"{RUNS} times {plan.streams} at once, each of {plan.tokens:,} tokens",
        Part.READING: f"{RUNS} times a prompt of {plan.prompt_tokens:,} tokens",
        Part.AFFINITY: f"a conversation of {plan.turns} turns that begins with "
        f"{plan.prefix_tokens + MESSAGE_TOKENS:,} tokens",
    }[part]


def _place(plan: BenchPlan, slot_id: int | None) -> str:
    alone = [part.value for part in plan.parts if part in (Part.SINGLE, Part.READING)]
    if slot_id is None or not alone:
        return "It runs in slots of the server's choice."
    where = f"{' and '.join(alone)} in slot {slot_id}"
    return f"{where}; the rest in slots of the server's choice." if _roams(plan) else f"{where}."


def _roams(plan: BenchPlan) -> bool:
    """Whether something runs in slots that the server chooses."""
    return Part.STREAMS in plan.parts or Part.AFFINITY in plan.parts


def _displaced(plan: BenchPlan, picture: ServerPicture, slot_id: int | None) -> list[Line]:
    """Return whose tokens may be lost, so that their owner's next request reads them again."""
    if not picture.slots:
        words = "What its slots hold now is not known; it may be displaced."
        return [(Piece(words, Tone.WARNING),)]
    used = [one.slot for one in picture.slots if not one.slot.is_unused]
    if slot_id is not None and not _roams(plan):
        used = [slot for slot in used if slot.slot_id == slot_id]
    held = [
        f"slot {slot.slot_id} holds {_count(slot.held_tokens)}"
        for slot in used
        if slot.held_tokens != 0
    ]
    if not held:
        return []
    words = f"May be displaced, and read again by its owner: {' · '.join(held)} tokens."
    return [(Piece(words, Tone.WARNING),)]


def _shared(picture: ServerPicture) -> list[Line]:
    if not picture.busy or picture.numbers.pool_tokens.value is None:
        return []
    words = "The slots share one pool: if it overflows, the requests that run now end as well."
    return [(Piece(words, Tone.BAD),)]


def _rate_rows(results: BenchResults) -> list[tuple[str, str, str, str, str]]:
    rows = []
    if results.single:
        rates = [one.writing for one in results.single]
        rows.append(_rate_row("single stream", rates))
    if results.streams:
        count = results.streams[0].streams
        name = "1 stream, wall clock" if count == 1 else f"{count} streams, wall clock"
        rows.append(_rate_row(name, [one.together for one in results.streams]))
    if results.reading:
        rows.append(_rate_row("reading a prompt", [one.reading for one in results.reading]))
    return rows


def _rate_row(name: str, rates: Sequence[Rate]) -> tuple[str, str, str, str, str]:
    found = spread(rates)
    middle, ends = UNKNOWN, UNKNOWN
    if found is not None:
        middle, ends = rate(found.median), f"{rate(found.low)} to {rate(found.high)}"
    return name, middle, ends, str(len(rates)), f"{median(one.tokens for one in rates):,.0f}"


def _row(name: str, middle: str, ends: str, runs: str, each: str) -> str:
    return f"  {name:<22}{middle:>10}   {ends:<20}{runs:>5}{each:>13}"


def _turn_lines(results: BenchResults) -> list[Line]:
    later = results.turns[1:]
    if not later:
        return []
    again = [turn.reread_tokens for turn in later]
    reused = percent(_reuse_ratio([turn.timed for turn in later]))
    words = (
        f"{len(results.turns)} turns   read again: {median(again):,.0f} tokens in the middle "
        f"turn, {max(again):,} at most; {reused} reused"
    )
    return [(Piece(f"  {'affinity':<13}"), Piece(words))]


def _reuse_ratio(timed: Sequence[Timed]) -> float | None:
    reused = [one.reused_tokens for one in timed]
    known = sum(one for one in reused if one is not None)
    read = sum(one.reading.tokens for one in timed)
    return None if None in reused or not known + read else known / (known + read)


def _rates_json(rates: Sequence[Rate]) -> Mapping[str, object] | None:
    if not rates:
        return None
    found = spread(rates)
    return {
        "tokens_per_s": None if found is None else round(found.median, 3),
        "low": None if found is None else round(found.low, 3),
        "high": None if found is None else round(found.high, 3),
        "runs": [{"tokens": one.tokens, "seconds": round(one.seconds, 6)} for one in rates],
    }


def _affinity_json(results: BenchResults) -> Mapping[str, object] | None:
    if not results.turns:
        return None
    again = [turn.reread_tokens for turn in results.turns[1:]]
    return {
        "reread_tokens_median": median(again) if again else None,
        "reread_tokens_most": max(again) if again else None,
        "turns": [
            {
                "prompt_tokens": turn.prompt_tokens,
                "new_tokens": turn.new_tokens,
                "read_tokens": turn.timed.reading.tokens,
                "reused_tokens": turn.timed.reused_tokens,
                "reread_tokens": turn.reread_tokens,
                "reading_s": round(turn.timed.reading.seconds, 6),
            }
            for turn in results.turns
        ],
    }


def _count(tokens: int | None) -> str:
    return UNKNOWN if tokens is None else f"{tokens:,}"
