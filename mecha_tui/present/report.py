"""The JSON object that scripts rely on, and the same in plain text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mecha_tui.core.agreement import Finding
from mecha_tui.core.client import ClientPromise
from mecha_tui.core.memory import Memory
from mecha_tui.core.picture import ServerPicture, SlotPicture
from mecha_tui.core.reading import Reading
from mecha_tui.core.router import running, unwatched_count
from mecha_tui.core.server import Role, acceptance_ratio
from mecha_tui.core.state import ServerState
from mecha_tui.present.report_tasks import tasks_json, thrash_json
from mecha_tui.present.words import report_name, unwatched_words

SCHEMA = 1
"""Version of the JSON object; it changes when a field changes its meaning or goes."""

MAY_KEEP_AWAKE = (
    "asking for its slots keeps it awake, should it sleep when idle, which nothing here tells: "
    "--gentle asks less"
)

Json = Mapping[str, object]

ROUTER = ", the router and all its models"
"""What the server's own figures of one model in a router stand for."""


def status_json(pictures: Iterable[ServerPicture]) -> Json:
    """Return the whole report. Unknown is None, which JSON writes as ``null``."""
    return {"schema": SCHEMA, "servers": [server_json(picture) for picture in pictures]}


def server_json(picture: ServerPicture) -> Json:
    """Return one server's part of the report."""
    return {
        "url": picture.url,
        "state": picture.condition.state.value,
        "reason": picture.condition.reason,
        "age_s": _rounded(picture.age_s),
        "model": picture.model_name,
        "build": None if picture.props is None else picture.props.build,
        "role": role(picture).value,
        "slot_count": picture.numbers.slots.value,
        "slot_window_tokens": picture.numbers.slot_window_tokens.value,
        "kv_mode": "unknown"
        if picture.numbers.kv_mode.value is None
        else picture.numbers.kv_mode.value.value,
        "pool_tokens": picture.numbers.pool_tokens.value,
        "busy": picture.busy,
        "waiting": {
            "count": picture.waiting.count,
            "exact": picture.waiting.is_exact,
            "source": picture.waiting.source,
        },
        "may_keep_awake": picture.may_keep_awake,
        "slots": [slot_json(one) for one in picture.slots],
        "numbers": numbers_json(picture),
        "clients": [client_json(client) for client in picture.clients],
        "speed": speed_json(picture),
        "agreement": picture.agreement.verdict.value,
        "tasks": tasks_json(picture),
        "thrash": thrash_json(picture.thrash),
        "findings": [finding_json(finding) for finding in picture.agreement.findings],
        "memory": memory_json(picture.memory, of_router=not picture.is_own_memory),
    }


def role(picture: ServerPicture) -> Role:
    """Return what kind of server it is; one that never said is taken for a model's."""
    return Role.MODEL if picture.props is None else picture.props.role


def slot_json(one: SlotPicture) -> Json:
    """Return one slot's part of the report."""
    slot = one.slot
    return {
        "id": slot.slot_id,
        "state": slot.phase.value,
        "task": slot.running_task_id,
        "held_tokens": slot.held_tokens,
        "window_tokens": slot.window_tokens,
        "reused_tokens": slot.reused_tokens if slot.is_processing else None,
        "read_tokens": slot.read_tokens if slot.is_processing else None,
        "written_tokens": slot.written_tokens if slot.is_processing else None,
        "remaining_tokens": slot.remaining_tokens if slot.is_processing else None,
        "tokens_per_s": _rounded(one.tokens_per_s),
    }


def speed_json(picture: ServerPicture) -> Json:
    """Return how fast all slots together are, by wall clock."""
    ratio = acceptance_ratio(picture.counters)
    return {
        "writing_tokens_per_s": _rounded(picture.writing_tokens_per_s),
        "reading_tokens_per_s": _rounded(picture.reading_tokens_per_s),
        "drafts_accepted_ratio": None if ratio is None else round(ratio, 3),
    }


def numbers_json(picture: ServerPicture) -> Json:
    """Return the numbers that must agree, each with its source or the reason why unknown.

    Of several clients' numbers, those of the client whose finding is worst.
    """
    numbers = picture.numbers
    readings: dict[str, Reading[int]] = {
        "context_tokens": numbers.context_tokens,
        "slots": numbers.slots,
        "slot_window_tokens": numbers.slot_window_tokens,
        "reasoning_budget": numbers.reasoning_budget,
    }
    nobody: Reading[int] = Reading(None, None, "no client that uses this server is known")
    client = picture.judged_client
    readings["context_window"] = client.context_window if client else nobody
    readings["max_tokens"] = client.max_tokens if client else nobody
    return {name: _reading_json(one) for name, one in readings.items()}


def client_json(client: ClientPromise) -> Json:
    """Return what one client was promised, each value with its source or why it is unknown."""
    readings: dict[str, Reading[int] | Reading[str]] = {
        "context_window": client.context_window,
        "max_tokens": client.max_tokens,
        "compact_at_tokens": client.compact_at_tokens,
        "model": client.model,
    }
    return {"name": client.name, **{name: _reading_json(one) for name, one in readings.items()}}


def _reading_json(reading: Reading[int] | Reading[str]) -> Json:
    return {"value": reading.value, "source": reading.source, "reason": reading.reason}


def finding_json(finding: Finding) -> Json:
    """Return one finding; ``cure`` is the first way out, ``cures`` are all of them."""
    return {
        "code": finding.code,
        "severity": finding.severity.value,
        "verdict": finding.verdict.value,
        "client": finding.client,
        "message": finding.message,
        "effect": finding.effect,
        "cure": finding.cures[0].line if finding.cures else None,
        "cures": [{"line": cure.line, "place": cure.place} for cure in finding.cures],
    }


def memory_json(memory: Memory, *, of_router: bool = False) -> Json:
    """Return the three quantities, and why any of them is unknown.

    Args:
        memory: Where memory stands.
        of_router: Whether the server's figures are those of a router and all its models.
    """
    readings: dict[str, Reading[int]] = {
        "pool_total_bytes": memory.pool_total_bytes,
        "pool_available_bytes": memory.pool_available_bytes,
        "server_gpu_bytes": memory.server_gpu_bytes,
        "server_host_bytes": memory.server_host_bytes,
    }
    why = memory.why
    if memory.kind_note:
        why["kind"] = memory.kind_note
    return {
        "kind": memory.kind.value,
        **{name: one.value for name, one in readings.items()},
        "sources": {
            name: f"{one.source}{ROUTER if of_router and name.startswith('server') else ''}"
            for name, one in readings.items()
            if one.is_known
        },
        "why": why,
    }


def is_answering(picture: ServerPicture) -> bool:
    """Whether a server answered: ready, or asleep by its own choice."""
    return picture.condition.state in (ServerState.READY, ServerState.ASLEEP)


def status_text(pictures: Iterable[ServerPicture]) -> str:
    """Return the report for people: a line for each server, then its slots and findings."""
    lines: list[str] = []
    for picture in pictures:
        lines.append(_summary(picture))
        lines += [f"  {_slot_line(one)}" for one in picture.slots]
        pool = picture.numbers.pool_tokens.value
        if picture.slots and pool is not None:
            lines.append(f"  all slots share  {_count(picture.held_tokens)}/{pool:,} tokens held")
        lines += [f"  {one}" for one in _without_slots(picture)]
        if picture.may_keep_awake:
            lines.append(f"  {MAY_KEEP_AWAKE}")
        if picture.thrash is not None:
            lines.append(f"  {_finding_line(picture.thrash.finding)}")
        lines += [f"  {one}" for one in _question_lines(picture)]
        lines += [f"  {_finding_line(one)}" for one in picture.agreement.disagreements]
    return "".join(f"{line}\n" for line in lines)


def _summary(picture: ServerPicture) -> str:
    parts = [picture.url, report_name(picture), picture.condition.state.value]
    if picture.condition.reason:
        parts[-1] += f" ({picture.condition.reason})"
    if picture.slots:
        parts.append(f"{_count(picture.busy)}/{len(picture.slots)} busy")
        about = "" if picture.waiting.is_exact or picture.waiting.count is None else "at most "
        parts.append(f"{about}{_count(picture.waiting.count)} waiting")
    if is_answering(picture):
        parts.append(
            {"agree": "numbers agree", "disagree": "numbers disagree"}.get(
                picture.agreement.verdict.value, "agreement unknown"
            )
        )
    return "  ".join(parts)


def _without_slots(picture: ServerPicture) -> list[str]:
    """Return why a server that answers has no slots to show, and a router's other models."""
    if picture.slots or not is_answering(picture):
        return []
    if not picture.is_router:
        return [f"no slots  {picture.slots_reason}"] if picture.slots_reason else []
    watched = running(picture.models)
    others = [one for one in picture.models if one not in watched]
    lines = [f"model {one.model_id}  {one.status or '–'}" for one in others]
    return lines + ([unwatched_words(picture)] if unwatched_count(picture.models) else [])


def _slot_line(one: SlotPicture) -> str:
    slot = one.slot
    held = f"{_count(slot.held_tokens)}/{_count(slot.window_tokens)} tokens held"
    rate = "" if one.tokens_per_s is None else f"  {one.tokens_per_s:,.1f} tok/s"
    task = "" if slot.running_task_id is None else f"  task {slot.running_task_id}"
    return f"slot {slot.slot_id}  {slot.phase.value:<7}  {held}{rate}{task}"


def _question_lines(picture: ServerPicture) -> list[str]:
    """Return why the verdict is unknown: the first reason, and how many more there are."""
    if not is_answering(picture) or not picture.agreement.open_questions:
        return []
    first, *others = picture.agreement.open_questions
    more = f" And {len(others)} more: mecha-tui check tells them." if others else ""
    return [f"unknown  {first.code}: {first.message}{more}"]


def _finding_line(finding: Finding) -> str:
    cures = " or ".join(cure.line for cure in finding.cures)
    return f"{finding.severity.value}  {finding.code}: {finding.message}" + (
        f" Cure: {cures}" if cures else ""
    )


def _count(value: int | None) -> str:
    return "–" if value is None else f"{value:,}"


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 1)
