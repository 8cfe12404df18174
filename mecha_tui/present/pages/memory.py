"""Where the memory is, with the source of every figure or why there is none."""

from __future__ import annotations

from mecha_tui.core.memory import Memory
from mecha_tui.core.reading import Reading
from mecha_tui.present import numbers
from mecha_tui.present.pages.page import Page
from mecha_tui.present.panels.memory_panel import memory_lines, memory_title
from mecha_tui.present.text import EMPTY, Line, Part, bold, cut, line, muted
from mecha_tui.present.view import View

_LABEL = 22
_BAR_LINES = 9


def memory_page(view: View, width: int, first: int = 0) -> Page:
    """Return the page."""
    picture = view.picture
    if picture is None:
        return Page(line(bold("4 memory")), [line(muted("Waiting for the first look."))], first)
    memory = picture.memory
    lines = [*memory_lines(memory, width, _BAR_LINES), EMPTY, *_figures(memory, width)]
    return Page(line(bold(f"4 memory · {memory_title(memory)}")), lines, first)


def _figures(memory: Memory, width: int) -> list[Line]:
    return [
        _figure("pool", memory.pool_total_bytes, width),
        _figure("available", memory.pool_available_bytes, width),
        _figure("page cache", memory.page_cache_bytes, width),
        _figure("server, on the GPU", memory.server_gpu_bytes, width),
        _figure("server, on the host", memory.server_host_bytes, width),
        _figure("swap used", memory.swap_used_bytes, width),
        _figure("swap", memory.swap_total_bytes, width),
    ]


def _figure(label: str, reading: Reading[int], width: int) -> Line:
    unit = muted(" GiB") if reading.is_known else Part("    ")
    why = muted(f"  {reading.source if reading.is_known else reading.reason or ''}")
    figure = f"{numbers.gib(reading.value):>9}"
    return cut(line(muted(f"{label:<{_LABEL}}"), figure, unit, why), width)
