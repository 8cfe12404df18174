"""``GET /metrics``: the few counters that are used, out of Prometheus text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mecha_tui.collect.wire.fields import LARGEST, read_json
from mecha_tui.core.server import Counters

_PREFIX = "llamacpp:"
_LINE = re.compile(r"[\w:]+(?:\s+\S+|\s*\{.*\}\s*\S+(?:\s+-?\d+)?)\s*")
"""The server writes no time behind a value; who adds labels may add that, too."""
_NAMES = {
    "prompt_tokens_total": "prompt_tokens",
    "prompt_tokens_cached_total": "prompt_cached_tokens",
    "prompt_seconds_total": "prompt_seconds",
    "tokens_predicted_total": "written_tokens",
    "tokens_predicted_seconds_total": "written_seconds",
    "spec_decode_num_draft_tokens_total": "drafted_tokens",
    "spec_decode_num_accepted_tokens_total": "accepted_tokens",
    "requests_processing": "processing_requests",
    "requests_deferred": "deferred_requests",
}


def parse_metrics(body: bytes) -> Counters | None:
    """Return the counters; None for a reply of another shape.

    Only the lines that are used reach the parser, one by one, so that a line which
    cannot be read costs only itself. Labelled samples of one name are added up.
    """
    content = body.decode("utf-8", "replace")
    if content.lstrip()[:1] == '"':  # builds after llama.cpp's pull request 17384
        unquoted = read_json(body)
        content = unquoted if isinstance(unquoted, str) else ""
    if _PREFIX not in content:
        return None
    sums: dict[str, float | None] = {}
    for name, value in _samples(content):
        field = _NAMES[name]
        so_far = sums.get(field, 0.0)
        sums[field] = None if value is None or so_far is None else so_far + value
    return Counters(
        prompt_tokens=sums.get("prompt_tokens"),
        prompt_cached_tokens=sums.get("prompt_cached_tokens"),
        prompt_seconds=sums.get("prompt_seconds"),
        written_tokens=sums.get("written_tokens"),
        written_seconds=sums.get("written_seconds"),
        drafted_tokens=sums.get("drafted_tokens"),
        accepted_tokens=sums.get("accepted_tokens"),
        processing_requests=_count(sums.get("processing_requests")),
        deferred_requests=_count(sums.get("deferred_requests")),
    )


def _samples(content: str) -> Iterator[tuple[str, float | None]]:
    from prometheus_client.parser import text_string_to_metric_families  # slow to import

    for line in content.splitlines():
        if not line.startswith(_PREFIX):
            continue
        name = line[len(_PREFIX) :].split(" ", 1)[0].split("{", 1)[0]
        if name not in _NAMES:
            continue
        if not _LINE.fullmatch(line):
            yield name, None
            continue
        try:
            families = list(text_string_to_metric_families(line + "\n"))
        except (ValueError, KeyError, IndexError):
            yield name, None
            continue
        for family in families:
            for sample in family.samples:
                yield name, _usable(sample.value)


def _usable(value: float) -> float | None:
    return float(value) if 0 <= value <= LARGEST else None


def _count(value: float | None) -> int | None:
    return int(value) if value is not None and value == int(value) else None
