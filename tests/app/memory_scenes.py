"""Memory as machines of every kind report it, for the tests of panel and page."""

from __future__ import annotations

from dataclasses import replace

from mecha_tui.core.history import Series
from mecha_tui.core.kv import KvLayer, ModelShape
from mecha_tui.core.launch import LaunchFlags
from mecha_tui.core.memory import (
    Device,
    GpuUse,
    Holder,
    Host,
    Limit,
    Memory,
    MemoryKind,
    Pressure,
    Role,
)
from mecha_tui.core.memory_findings import memory_findings
from mecha_tui.core.memory_history import MemoryHistory
from mecha_tui.core.numbers import ServerNumbers, server_numbers
from mecha_tui.core.picture import ServerPicture
from mecha_tui.core.reading import Reading, known, unknown
from mecha_tui.core.server import Model
from tests.app.scenes import GIB, NOW_S, calm

MEMINFO = "/proc/meminfo"


def gib(amount: float, source: str) -> Reading[int]:
    return known(round(amount * GIB), source)


def host(total: float, available: float, free: float, cache: float) -> Host:
    return Host(
        total_bytes=gib(total, f"MemTotal in {MEMINFO}"),
        free_bytes=gib(free, f"MemFree in {MEMINFO}"),
        available_bytes=gib(available, f"MemAvailable in {MEMINFO}"),
        page_cache_bytes=gib(cache, f"Active(file) and Inactive(file) in {MEMINFO}"),
        swap_used_bytes=known(0, f"SwapTotal less SwapFree in {MEMINFO}"),
        swap_total_bytes=gib(16, f"SwapTotal in {MEMINFO}"),
        huge_total_bytes=known(0, f"HugePages_Total in {MEMINFO}"),
        huge_free_bytes=known(0, f"HugePages_Free in {MEMINFO}"),
        arc_bytes=unknown("no ZFS here"),
        gpu_mapped_bytes=unknown("told by Jetson boards only"),
    )


def pressure(some: float = 0.0, kills: int = 0) -> Pressure:
    source = "/proc/pressure/memory"
    return Pressure(
        known(some, source),
        known(some / 2, source),
        known(kills, "oom_kill in /proc/vmstat"),
        NOW_S - 60 if kills else None,
    )


def no_limit() -> tuple[Limit, ...]:
    missing: Reading[int] = unknown("no limit is set")
    return (Limit("control group", missing, missing),)


def holders() -> tuple[Holder, ...]:
    return (
        Holder(4242, "llama-server", Role.SERVER, round(28.1 * GIB), round(0.4 * GIB), "PSS"),
        Holder(3990, "llama-server", Role.OTHER, round(1.9 * GIB), round(0.3 * GIB), "PSS"),
        Holder(2204, "gnome-shell", Role.OTHER, round(0.1 * GIB), round(0.4 * GIB), "PSS"),
        Holder(5120, "mecha", Role.OTHER, None, round(0.2 * GIB), "PSS"),
        Holder(5133, "mecha-tui", Role.OURS, None, round(0.04 * GIB), "PSS"),
    )


def with_memory(memory: Memory) -> ServerPicture:
    return replace(
        calm(),
        numbers=with_kv(),
        memory=memory,
        memory_findings=memory_findings(memory),
        memory_history=hour(memory),
    )


def with_kv() -> ServerNumbers:
    """The numbers of the scene, with a model whose file tells 96 KiB a token."""
    shape = ModelShape((KvLayer(1024, 1024),) * 24, 24, 131_072)
    launch = LaunchFlags(
        context_tokens=known(32_768, "argv"),
        slots=known(4, "argv"),
        is_unified=known(False, "default"),
        per_slot_cap_tokens=known(0, "default"),
        cache_ram_mib=known(8192, "default"),
        cache_type_k=known("f16", "default"),
        cache_type_v=known("f16", "default"),
        swa_full=known(False, "default"),
        physical_batch_tokens=known(512, "default"),
        model=known(shape, "model file"),
        is_complete=True,
    )
    slots = tuple(one.slot for one in calm().slots)
    return server_numbers(
        launch, calm().props, slots, (Model("m", training_window_tokens=131_072),)
    )


def hour(memory: Memory) -> MemoryHistory:
    """An hour in which the model was loaded, with a gap while nobody watched."""
    total = memory.pool_total_bytes.value
    if total is None:
        return MemoryHistory()
    values: list[float | None] = [
        None if 90 <= at < 110 else total * (0.05 if at < 60 else 0.24 + at % 30 / 1000)
        for at in range(240)
    ]
    series = Series(15.0, 240, int(NOW_S // 15), tuple(values))
    return MemoryHistory(series, series, NOW_S)


def gb10() -> Memory:
    total = host(121.7, 90.1, 59.1, 31.0)
    why: Reading[int] = unknown("NVML: not supported on NVIDIA GB10")
    uses = (GpuUse(4242, round(28.1 * GIB)), GpuUse(3990, round(1.9 * GIB)))
    return Memory(
        MemoryKind.UNIFIED,
        "NVIDIA GB10: no separate VRAM",
        pool_total_bytes=total.total_bytes,
        pool_available_bytes=total.available_bytes,
        page_cache_bytes=total.page_cache_bytes,
        server_gpu_bytes=gib(28.1, "NVML, by process"),
        server_host_bytes=gib(0.4, "PSS of 1 process"),
        server_cache_bytes=gib(0.02, "PSS of 1 process"),
        server_swap_bytes=known(0, "PSS of 1 process"),
        swap_used_bytes=total.swap_used_bytes,
        swap_total_bytes=total.swap_total_bytes,
        vram=why,
        gpu_used_bytes=gib(30.1, "NVML, by process"),
        llama_headroom_bytes=total.available_bytes,
        headroom_bytes=total.available_bytes,
        host=total,
        devices=(
            Device(
                "NVIDIA GB10",
                "NVML",
                MemoryKind.UNIFIED,
                0,
                total_bytes=why,
                available_bytes=why,
                processes=known(uses, "NVML"),
                tells_all_processes=True,
                taken_s=NOW_S,
            ),
        ),
        holders=holders(),
        limits=no_limit(),
        pressure=pressure(),
        taken_s=NOW_S,
    )


def gb10_short() -> Memory:
    """The same machine when everything goes wrong at once."""
    shown = host(121.7, 3.2, 1.1, 2.0)
    source = "SwapTotal less SwapFree in /proc/meminfo"
    return replace(
        gb10(),
        pool_available_bytes=shown.available_bytes,
        page_cache_bytes=shown.page_cache_bytes,
        server_swap_bytes=gib(6.4, "PSS of 1 process"),
        swap_used_bytes=gib(11.9, source),
        llama_headroom_bytes=known(GIB, "HugePages_Free × Hugepagesize in /proc/meminfo"),
        headroom_bytes=shown.available_bytes,
        host=replace(
            shown,
            swap_used_bytes=gib(11.9, source),
            huge_total_bytes=known(2 * GIB, "HugePages_Total × Hugepagesize in /proc/meminfo"),
            huge_free_bytes=known(GIB, "HugePages_Free × Hugepagesize in /proc/meminfo"),
        ),
        limits=(
            Limit(
                "control group /system.slice/llama.service",
                known(110 * GIB, "memory.max"),
                gib(2.1, "memory.max less memory.current without cached files"),
            ),
        ),
        pressure=pressure(0.24, 1),
        unattributed_gpu_bytes=round(40.2 * GIB),
        holders=(
            Holder(114687, "not visible here", Role.UNATTRIBUTED, round(40.2 * GIB)),
            *holders(),
        ),
    )


def discrete() -> Memory:
    own = (known(24 * GIB, "NVML"), gib(4.3, "NVML"))
    return replace(
        gb10(),
        kind=MemoryKind.DISCRETE,
        kind_note="NVIDIA GeForce RTX 3090",
        pool_total_bytes=own[0],
        pool_available_bytes=own[1],
        page_cache_bytes=unknown("a card's own memory holds no file cache"),
        server_gpu_bytes=gib(18.2, "NVML, by process"),
        vram=own[0],
        gpu_used_bytes=gib(19.7, "NVML"),
        llama_headroom_bytes=own[1],
        headroom_bytes=own[1],
        host=host(62.5, 54.1, 20.9, 33.0),
        devices=(
            Device(
                "NVIDIA GeForce RTX 3090",
                "NVML",
                MemoryKind.DISCRETE,
                0,
                total_bytes=own[0],
                available_bytes=own[1],
                processes=known((GpuUse(4242, round(18.2 * GIB)),), "NVML"),
                taken_s=NOW_S,
            ),
        ),
    )


def eight_gpus() -> Memory:
    (card,) = discrete().devices
    cards = tuple(replace(card, index=at) for at in range(8))
    why = "NVML: GPU is lost: it fell off the bus; a reboot brings it back"
    missing: Reading[int] = unknown(why)
    dead = Device(
        "NVIDIA GPU 3",
        "NVML",
        MemoryKind.UNKNOWN,
        3,
        total_bytes=missing,
        available_bytes=missing,
        processes=unknown(why),
        error=why,
    )
    return replace(
        discrete(),
        kind_note="7 GPUs, 1 with an error",
        pool_total_bytes=known(7 * 24 * GIB, "NVML"),
        pool_available_bytes=gib(7 * 4.3, "NVML"),
        headroom_bytes=gib(7 * 4.3, "NVML"),
        llama_headroom_bytes=gib(7 * 4.3, "NVML"),
        devices=(*cards[:3], dead, *cards[4:]),
    )


def strix_halo() -> Memory:
    shown = host(119.2, 80.4, 52.2, 28.0)
    carve = (known(4 * GIB, "amdgpu's vram"), gib(0.1, "amdgpu's vram"))
    mapped = (known(96 * GIB, "amdgpu's gtt"), gib(71.6, "amdgpu's gtt"))
    note = "Radeon 8060S Graphics: host memory with a carve-out for the GPU"
    total = gib(100.0, "amdgpu's vram + min(amdgpu's gtt, MemTotal in /proc/meminfo)")
    left = gib(71.7, "amdgpu's vram + min(amdgpu's gtt, MemAvailable in /proc/meminfo)")
    return replace(
        gb10(),
        kind_note=note,
        pool_total_bytes=total,
        pool_available_bytes=left,
        page_cache_bytes=shown.page_cache_bytes,
        server_gpu_bytes=gib(24.1, "fdinfo, by process"),
        vram=unknown(note),
        gpu_used_bytes=gib(28.3, "amdgpu"),
        llama_headroom_bytes=left,
        headroom_bytes=left,
        host=shown,
        devices=(
            Device(
                "Radeon 8060S Graphics",
                "amdgpu",
                MemoryKind.UNIFIED,
                0,
                total_bytes=carve[0],
                available_bytes=carve[1],
                shared_total_bytes=mapped[0],
                shared_available_bytes=mapped[1],
                processes=known((GpuUse(4242, round(24.1 * GIB)),), "fdinfo"),
                taken_s=NOW_S,
            ),
        ),
    )


def no_gpu() -> Memory:
    shown = host(23.5, 19.8, 4.1, 15.9)
    missing: Reading[int] = unknown("no GPU found")
    return replace(
        gb10(),
        kind=MemoryKind.NONE,
        kind_note="no GPU found",
        pool_total_bytes=shown.total_bytes,
        pool_available_bytes=shown.available_bytes,
        page_cache_bytes=shown.page_cache_bytes,
        server_gpu_bytes=missing,
        server_host_bytes=gib(9.1, "PSS of 1 process"),
        server_cache_bytes=gib(6.9, "PSS of 1 process"),
        vram=missing,
        gpu_used_bytes=missing,
        llama_headroom_bytes=shown.available_bytes,
        headroom_bytes=shown.available_bytes,
        host=shown,
        devices=(),
        holders=tuple(replace(one, gpu_bytes=None) for one in holders()),
    )


def broken_driver() -> Memory:
    why = "NVML: driver and library versions differ: reboot after the driver's update"
    missing: Reading[int] = unknown(why)
    return replace(
        gb10(),
        kind=MemoryKind.UNKNOWN,
        kind_note=why,
        pool_total_bytes=missing,
        pool_available_bytes=missing,
        page_cache_bytes=missing,
        server_gpu_bytes=missing,
        vram=missing,
        gpu_used_bytes=missing,
        llama_headroom_bytes=missing,
        headroom_bytes=missing,
        host=host(62.5, 54.1, 20.9, 33.0),
        devices=(),
        holders=tuple(replace(one, gpu_bytes=None) for one in holders()),
    )


MACHINES = {
    "gb10": gb10,
    "gb10-short": gb10_short,
    "discrete": discrete,
    "eight-gpus": eight_gpus,
    "strix-halo": strix_halo,
    "no-gpu": no_gpu,
    "broken-driver": broken_driver,
}
