"""How fast a server usually is, like for like, and whether it still is.

A speed means something only beside speeds of the same setup, with as many busy slots and
about as much held. Reading and writing fail apart, so they are kept and judged apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from mecha_tui.core.memory import MemoryKind

if TYPE_CHECKING:  # the picture holds what is usual, so it imports this module
    from mecha_tui.core.picture import ServerPicture

SLOWER_RATIO = 0.90
"""A tenth below the usual is a slowdown."""
RECOVERED_RATIO = 0.95
"""A slowdown is over only above this, so that it does not come and go."""
FASTER_RATIO = 1.10
ENOUGH_TOKENS = 50
"""Fewer tokens than these say nothing about a speed."""
ENOUGH_COUNT = 3
"""A usual speed rests on at least this many measurements…"""
ENOUGH_USUAL_TOKENS = 300
"""…and at least this many tokens."""
DAYS = 30
"""The newest days with measurements that a usual speed rests on."""
DAY_WEIGHT = 30.0
"""No day counts for more than this many measurements, so that one bad day changes little."""
SMALLEST_BAND_TOKENS = 1024
DAY_S = 86_400
_MAD_TO_DEVIATION = 1.4826
_LOOPBACK = ("localhost", "::1", "0.0.0.0", "::")  # noqa: S104  # compared, not bound


class Direction(Enum):
    """What was measured."""

    WRITING = "writing"
    READING = "reading"


@dataclass(frozen=True, slots=True)
class Setup:
    """What has to be the same for speeds to be comparable. None is not known."""

    model: str | None = None
    """Name of the model's file, else what the server calls it."""
    file_bytes: int | None = None
    """The weights' size as the server tells it."""
    quantization: str | None = None
    build: str | None = None
    window_tokens: int | None = None
    slot_count: int | None = None
    gpu: str | None = None
    """Names of the devices; ``none`` where there are none."""
    host: str | None = None
    """The address's host where it is another machine; None on this one."""

    @property
    def is_comparable(self) -> bool:
        """Whether enough is known to say that two servers are alike."""
        return None not in (self.model, self.window_tokens, self.slot_count)


@dataclass(frozen=True, slots=True)
class Load:
    """What else a speed depends on from moment to moment."""

    busy_slots: int
    depth_band: int
    """Tokens held by a busy slot, by the band's lower end; see ``depth_band``."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """One speed, measured under one condition throughout."""

    direction: Direction
    setup: Setup
    load: Load
    tokens_per_s: float
    """All busy slots together, tokens over wall-clock time."""
    tokens: int
    seconds: float
    wall_s: float
    """When it ended, in seconds since the epoch."""
    source: str
    """Who measured: ``watching`` or ``bench``."""


@dataclass(frozen=True, slots=True)
class Group:
    """Measurements of one condition and day that were about equally fast."""

    day: int
    """Days since the epoch."""
    tokens_per_s: float
    count: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Usual:
    """The usual speed under one condition."""

    tokens_per_s: float
    """Median, in which no day outweighs the others."""
    spread: float
    """Robust standard deviation (from the median deviation), in tokens per second."""
    count: int
    tokens: int
    days: int

    @property
    def is_settled(self) -> bool:
        """Whether it rests on enough to judge by."""
        return self.count >= ENOUGH_COUNT and self.tokens >= ENOUGH_USUAL_TOKENS


Condition = tuple[Direction, Load]
Usuals = Mapping[Condition, Usual]
"""What is usual for one setup, by condition."""


class Pace(Enum):
    """What a comparison came to."""

    AS_USUAL = "as-usual"
    SLOWER = "slower"
    FASTER = "faster"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Comparison:
    """A speed beside the usual one."""

    verdict: Pace
    ratio: float | None = None
    """The speed over the usual one; None when unknown."""
    reason: str | None = None
    """Why it cannot be judged; None when it can."""


class SpeedStore(Protocol):
    """Keeps speeds across runs. Nothing in it raises: trouble is told, and watching goes on."""

    @property
    def trouble(self) -> str | None:
        """What is wrong with keeping, in words; None while all is well."""
        ...

    def record(self, measurements: Sequence[Measurement]) -> None:
        """Keep measurements; those of a setup that is not comparable are dropped."""
        ...

    def usual(self, direction: Direction, setup: Setup, load: Load) -> Usual | None:
        """Return the usual speed under one condition; None when none was measured."""
        ...

    def usuals(self, setup: Setup) -> Usuals:
        """Return everything usual for one setup."""
        ...


class SpeedMemory(Protocol):
    """The store as the screen uses it: nothing here waits for a disk."""

    @property
    def trouble(self) -> str | None:
        """What is wrong with keeping, in words; None while all is well."""
        ...

    def recall(self, setup: Setup) -> Usuals:
        """Return what is known by now of a setup; the rest is read meanwhile."""
        ...

    def learn(self, measurements: Sequence[Measurement]) -> None:
        """Keep measurements, sooner or later."""
        ...

    def close(self) -> None:
        """Keep what is not kept yet."""
        ...


def depth_band(held_tokens: int) -> int:
    """Return the lower end of the band of depths that count as alike: 0, 1024, 2048 and so on."""
    if held_tokens < SMALLEST_BAND_TOKENS:
        return 0
    return 1 << (held_tokens.bit_length() - 1)


def setup_of(picture: ServerPicture) -> Setup:
    """Return what a server's speeds are to be compared by."""
    props = picture.props
    path = None if props is None else props.model_path
    model = path.replace("\\", "/").rpartition("/")[2] if path else None
    sizes = [one.file_bytes for one in picture.models if one.file_bytes is not None]
    return Setup(
        model=model or picture.model_name,
        file_bytes=sizes[0] if len(sizes) == 1 else None,
        quantization=None if props is None else props.quantization,
        build=None if props is None else props.build,
        window_tokens=picture.numbers.slot_window_tokens.value,
        slot_count=picture.numbers.slots.value,
        gpu=_gpu(picture),
        host=_other_host(picture.url),
    )


def usual(measurements: Iterable[Measurement]) -> Usual | None:
    """Return the usual speed of measurements that were made alike; None without any."""
    return usual_of(
        Group(int(one.wall_s // DAY_S), one.tokens_per_s, 1, one.tokens) for one in measurements
    )


def usual_of(groups: Iterable[Group]) -> Usual | None:
    """Return the usual speed of grouped measurements; None without any."""
    by_day: dict[int, list[Group]] = {}
    for one in groups:
        by_day.setdefault(one.day, []).append(one)
    newest = sorted(by_day, reverse=True)[:DAYS]
    weighed: list[tuple[float, float]] = []
    for day in newest:
        count = sum(one.count for one in by_day[day])
        share = min(1.0, DAY_WEIGHT / count)
        weighed += [(one.tokens_per_s, one.count * share) for one in by_day[day]]
    if not weighed:
        return None
    middle = _median(weighed)
    deviation = _median([(abs(value - middle), weight) for value, weight in weighed])
    kept = [one for day in newest for one in by_day[day]]
    return Usual(
        tokens_per_s=middle,
        spread=_MAD_TO_DEVIATION * deviation,
        count=sum(one.count for one in kept),
        tokens=sum(one.tokens for one in kept),
        days=len(newest),
    )


def compare(
    tokens_per_s: float | None, tokens: int, usual: Usual | None, *, was_slower: bool = False
) -> Comparison:
    """Return how a speed stands to the usual one.

    Args:
        tokens_per_s: The speed; None is not known.
        tokens: What it rests on.
        usual: What is usual under the same condition; None when nothing was measured.
        was_slower: Whether it was found slower before; it then has to come well back up.
    """
    if tokens_per_s is None or tokens < ENOUGH_TOKENS:
        return Comparison(Pace.UNKNOWN, reason="too few tokens to judge by")
    if usual is None or not usual.is_settled or usual.tokens_per_s <= 0:
        return Comparison(Pace.UNKNOWN, reason="not measured often enough under this load")
    ratio = tokens_per_s / usual.tokens_per_s
    mark = RECOVERED_RATIO if was_slower else SLOWER_RATIO
    # A speed that varies much by itself must fall further before that means anything.
    floor = min(mark * usual.tokens_per_s, usual.tokens_per_s - 2 * usual.spread)
    if tokens_per_s < floor:
        return Comparison(Pace.SLOWER, ratio)
    return Comparison(Pace.FASTER if ratio > FASTER_RATIO else Pace.AS_USUAL, ratio)


def _median(weighed: Sequence[tuple[float, float]]) -> float:
    """Return the weighted median; between the two middle values where they weigh the same."""
    ordered = sorted(weighed)
    half = sum(weight for _, weight in ordered) / 2
    so_far = 0.0
    for index, (value, weight) in enumerate(ordered):
        so_far += weight
        if so_far > half:
            return value
        if so_far == half and index + 1 < len(ordered):
            return (value + ordered[index + 1][0]) / 2
    return ordered[-1][0]


def _gpu(picture: ServerPicture) -> str | None:
    memory = picture.memory
    if memory.taken_s is None or _other_host(picture.url) is not None:
        return None
    if memory.kind is MemoryKind.NONE:
        return "none"
    return ", ".join(sorted(one.name for one in memory.devices)) or None


def _other_host(url: str) -> str | None:
    host = urlsplit(url).hostname if url.startswith(("http://", "https://")) else None
    is_here = host is None or host in _LOOPBACK or host.startswith("127.")
    return None if is_here else host
