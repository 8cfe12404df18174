"""What a server's log told since the watching began."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from mecha_tui.core.log_lines import LogFact, LogKind

NOT_READ = "its log was not looked for yet"
NEWEST_LIMIT = 32


@dataclass(frozen=True, slots=True)
class LogNews:
    """What one look at the log brought."""

    name: str | None = None
    """What the log is called, such as a path; None where it cannot be read."""
    reason: str = NOT_READ
    """Why it cannot be read; empty where it can."""
    facts: tuple[LogFact, ...] = ()
    """What was written since the look before."""


@dataclass(frozen=True, slots=True)
class Told:
    """One fact and when it was read."""

    seen_s: float
    """Monotonic second of the round that brought it; the line may be some seconds older."""
    fact: LogFact


@dataclass(frozen=True, slots=True)
class Tally:
    """All facts of one kind."""

    count: int = 0
    newest: tuple[Told, ...] = ()
    """The last of them, newest first."""
    announced: int = 0
    """How many of them events have told."""
    announced_s: float | None = None
    """Monotonic second of the newest such event; None before the first."""

    def with_facts(self, facts: tuple[LogFact, ...], now_s: float) -> Tally:
        """Return the tally with facts added, oldest of them first."""
        told = tuple(Told(now_s, fact) for fact in reversed(facts))
        newest = (*told, *self.newest)[:NEWEST_LIMIT]
        return replace(self, count=self.count + len(facts), newest=newest)

    def with_announced(self, now_s: float) -> Tally:
        """Return the tally after an event told all of it."""
        return replace(self, announced=self.count, announced_s=now_s)


@dataclass(frozen=True, slots=True)
class LogPicture:
    """What is known from a server's log."""

    name: str | None = None
    """What the log is called; None where it cannot be read, or not yet."""
    reason: str = NOT_READ
    refused: Tally = field(default_factory=Tally)
    """Requests that did not fit into a slot."""
    overflowed: Tally = field(default_factory=Tally)
    """Requests that died because the slots' common context was full."""
    reprocessed: Tally = field(default_factory=Tally)
    """Prompts that were read again as a whole, because a checkpoint did not reach back."""

    def of(self, kind: LogKind) -> Tally:
        """Return one kind's tally."""
        tallies = {LogKind.REFUSED: self.refused, LogKind.OVERFLOWED: self.overflowed}
        return tallies.get(kind, self.reprocessed)

    def with_tally(self, kind: LogKind, tally: Tally) -> LogPicture:
        """Return the picture with one kind's tally replaced."""
        if kind is LogKind.REFUSED:
            return replace(self, refused=tally)
        if kind is LogKind.OVERFLOWED:
            return replace(self, overflowed=tally)
        return replace(self, reprocessed=tally)

    def with_news(self, news: LogNews, now_s: float) -> LogPicture:
        """Return the picture after one more look."""
        picture = replace(self, name=news.name, reason=news.reason)
        for kind in LogKind:
            facts = tuple(fact for fact in news.facts if fact.kind is kind)
            if facts:
                picture = picture.with_tally(kind, picture.of(kind).with_facts(facts, now_s))
        return picture
