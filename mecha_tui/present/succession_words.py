"""One server after another at one address, in words."""

from __future__ import annotations

from mecha_tui.core.succession import Identity, Proof, Replacement
from mecha_tui.present import numbers

_KNOWN_BY = {
    Proof.LOADING: "known by its loading",
    Proof.COUNTERS: "known by its counters, which went back",
    Proof.TASKS: "known by its task numbers, which went back",
    Proof.SLOTS: "known by its slots, which are as new",
}


def replacement_text(one: Replacement) -> str:
    """Return what happened in one sentence: how, how long it was away, and old and new."""
    if one.is_alternating:
        both = f"{_named(one.then, one.now)} and {_named(one.now, one.then)}"
        return f"two servers answer here in turns: {both}. Both hold the port: end one of them"
    away = "" if one.away_s is None else f", away {numbers.age(one.away_s)}"
    by = f" by {one.by}" if one.by else ""
    told = "; ".join([", ".join(_changes(one)) or "same as before, as far as known", *_proof(one)])
    return f"{_head(one)}{by}{away}: {told}"


def _head(one: Replacement) -> str:
    if one.proofs == (Proof.MODEL,) and one.away_s is None:
        return "another model answers" if one.is_other_model else "another build answers"
    return "restarted with another model" if one.is_other_model else "restarted"


def _changes(one: Replacement) -> list[str]:
    then, now = one.then, one.now
    pairs = [
        ("model", _model(then, now), _model(now, then)),
        ("build", then.build, now.build),
        ("window", _count(then.window_tokens), _count(now.window_tokens)),
        ("slots", _count(then.slot_count), _count(now.slot_count)),
        ("pid", _pid(then), _pid(now)),
    ]
    changed = [f"{name} {old} → {new}" for name, old, new in pairs if old and new and old != new]
    same = [name for name, old, new in pairs if old and old == new and name != "pid"]
    if not same:
        return changed
    words = same[0] if len(same) == 1 else f"{', '.join(same[:-1])} and {same[-1]}"
    return [*changed, f"same {words}"]


def _proof(one: Replacement) -> list[str]:
    if Proof.PROCESS in one.proofs or Proof.MODEL in one.proofs:
        return []
    return [_KNOWN_BY[one.proofs[0]]]


def _model(one: Identity, other: Identity) -> str | None:
    """Return what a model is called; its file's folder only where nothing else differs."""
    if one.model_name and one.model_name != other.model_name:
        return _file_name(one.model_name)
    if one.model_path is None or other.model_path is None:
        return one.model_name and _file_name(one.model_name)
    name = _last(one.model_path)
    is_told = name != _last(other.model_path) or one.model_path == other.model_path
    return name if is_told else one.model_path


def _file_name(name: str) -> str:
    return _last(name) if name.startswith("/") else name


def _last(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


def _named(one: Identity, other: Identity) -> str:
    words = [_model(one, other) or "one", one.build if one.build != other.build else None]
    words.append(f"pid {_pid(one)}" if _pid(one) != _pid(other) and _pid(one) else None)
    return " ".join(word for word in words if word)


def _pid(one: Identity) -> str | None:
    return None if one.process is None else str(one.process.pid)


def _count(value: int | None) -> str | None:
    return None if value is None else numbers.tokens(value)
