"""Where memory stands: the pool, the server's GPU memory, the server's host memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from mecha_tui.core.reading import Reading, unknown

_UNREAD: Reading[int] = unknown("not read yet")
_UNREAD_RATIO: Reading[float] = unknown("not read yet")
_UNREAD_USES: Reading[tuple[GpuUse, ...]] = unknown("not read yet")


class MemoryKind(Enum):
    """What kind of memory the model lives in."""

    UNIFIED = "unified"
    """One pool for GPU and host."""
    DISCRETE = "discrete"
    """The card has memory of its own."""
    NONE = "none"
    """No GPU: the host's memory is all there is."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Host:
    """The host's memory, as the kernel tells it."""

    total_bytes: Reading[int] = _UNREAD
    free_bytes: Reading[int] = _UNREAD
    """Unused by anything; small on a healthy machine, because files are cached."""
    available_bytes: Reading[int] = _UNREAD
    """What programs can still get without swapping."""
    page_cache_bytes: Reading[int] = _UNREAD
    """Cached files that the kernel gives back when asked."""
    swap_used_bytes: Reading[int] = _UNREAD
    swap_total_bytes: Reading[int] = _UNREAD
    huge_total_bytes: Reading[int] = _UNREAD
    """Memory set aside for huge pages; 0 when there are none."""
    huge_free_bytes: Reading[int] = _UNREAD
    arc_bytes: Reading[int] = _UNREAD
    """ZFS's cache above its lower bound: given back under need, yet not counted as available."""
    gpu_mapped_bytes: Reading[int] = _UNREAD
    """What all programs hold for the GPU; told by Jetson boards only (``NvMapMemUsed``)."""


@dataclass(frozen=True, slots=True)
class GpuUse:
    """What one process holds on one GPU, as the driver says."""

    pid: int
    gpu_bytes: int | None
    """None when the driver names the process and not the amount."""
    is_visible: bool = True
    """Whether the pid is a process here; not so when drivers count another namespace's."""


@dataclass(frozen=True, slots=True)
class Device:
    """One GPU and its memory, or why that is not known."""

    name: str
    driver: str
    """What was asked, such as ``NVML`` or ``amdgpu``."""
    kind: MemoryKind = MemoryKind.UNKNOWN
    index: int | None = None
    total_bytes: Reading[int] = _UNREAD
    """Memory of its own; for a chip in unified memory, unknown or only a carve-out."""
    available_bytes: Reading[int] = _UNREAD
    shared_total_bytes: Reading[int] | None = None
    """Host memory it may map, where the driver counts it apart (AMD's GTT); else None."""
    shared_available_bytes: Reading[int] | None = None
    processes: Reading[tuple[GpuUse, ...]] = _UNREAD_USES
    tells_all_processes: bool = False
    """Whether the driver lists every process, and not only those that were asked about."""
    error: str | None = None
    """What is wrong with the whole device or driver, and what to do; None when it answers."""
    taken_s: float | None = None
    """Monotonic seconds at which the figures were read; older than the look when it failed."""


class Role(Enum):
    """Whose a process that holds memory is."""

    SERVER = "server"
    """The watched server, one of its children included."""
    OURS = "ours"
    """mecha-tui itself."""
    OTHER = "other"
    UNATTRIBUTED = "unattributed"
    """The driver names a pid that is not visible here, as in a container."""


@dataclass(frozen=True, slots=True)
class Holder:
    """A process and what it holds. What is not known is None."""

    pid: int
    name: str
    role: Role = Role.OTHER
    gpu_bytes: int | None = None
    host_bytes: int | None = None
    host_measure: str | None = None
    """``PSS`` or ``RSS``."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A bound below the whole machine, such as a control group's."""

    name: str
    limit_bytes: Reading[int] = _UNREAD
    """The bound; unknown with a reason that says whether none is set or none was readable."""
    left_bytes: Reading[int] = _UNREAD
    """What may still be taken below it, cached files not counted as taken."""


@dataclass(frozen=True, slots=True)
class Pressure:
    """Signs that the machine is short of memory."""

    some_ratio: Reading[float] = _UNREAD_RATIO
    """Share of the last ten seconds in which something waited for memory (PSI)."""
    full_ratio: Reading[float] = _UNREAD_RATIO
    """Share in which everything did."""
    oom_kills: Reading[int] = _UNREAD
    """Processes the kernel killed for memory since the first look."""
    killed_s: float | None = None
    """Monotonic seconds at which the newest of these kills was noticed; None without one."""


@dataclass(frozen=True, slots=True)
class Memory:
    """Three quantities, kept apart and never inferred from each other."""

    kind: MemoryKind = MemoryKind.UNKNOWN
    kind_note: str = ""
    """Why it is this kind, in a few words, such as ``NVIDIA GB10: no separate VRAM``."""
    pool_total_bytes: Reading[int] = _UNREAD
    """The memory that models compete for: unified or host RAM, or a card's VRAM."""
    pool_available_bytes: Reading[int] = _UNREAD
    page_cache_bytes: Reading[int] = _UNREAD
    """Reclaimable file cache inside the pool; unknown for VRAM."""
    server_gpu_bytes: Reading[int] = _UNREAD
    server_host_bytes: Reading[int] = _UNREAD
    """Its children included; the source says whether PSS or RSS."""
    server_cache_bytes: Reading[int] = _UNREAD
    """The part of the host bytes that is file cache: reclaimable, and in the page cache too."""
    server_swap_bytes: Reading[int] = _UNREAD
    """What of the server has been written out to swap."""
    swap_used_bytes: Reading[int] = _UNREAD
    swap_total_bytes: Reading[int] = _UNREAD
    vram: Reading[int] = _UNREAD
    """A card's own memory in bytes; unknown with the reason on unified and broken machines."""
    gpu_used_bytes: Reading[int] = _UNREAD
    """What all programs hold on the GPU, where drivers tell it."""
    unattributed_gpu_bytes: int | None = None
    """GPU bytes of pids that are not visible here; None when there are no such pids."""
    llama_headroom_bytes: Reading[int] = _UNREAD
    """What llama.cpp will think is free when it starts."""
    headroom_bytes: Reading[int] = _UNREAD
    """What a server can really still take."""
    host: Host = field(default_factory=Host)
    devices: tuple[Device, ...] = ()
    holders: tuple[Holder, ...] = ()
    """The processes that hold most, by GPU and by host memory."""
    limits: tuple[Limit, ...] = ()
    pressure: Pressure = field(default_factory=Pressure)
    taken_s: float | None = None
    """Monotonic seconds at which it was read."""

    @property
    def why(self) -> dict[str, str]:
        """The reason for each figure that is unknown, by its name."""
        figures = {
            "vram": self.vram,
            "pool_total_bytes": self.pool_total_bytes,
            "pool_available_bytes": self.pool_available_bytes,
            "server_gpu_bytes": self.server_gpu_bytes,
            "server_host_bytes": self.server_host_bytes,
        }
        return {
            name: reading.reason
            for name, reading in figures.items()
            if reading.value is None and reading.reason
        }
