"""Draws frames, and sends the terminal only the cells that changed.

Textual sends a changed line of a widget from the widget's left edge on. The canvas is
therefore cut into tiles at the columns where changes begin, and every tile asks for its
own stretch of a line alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from rich.segment import Segment
from rich.style import Style
from textual.app import ComposeResult
from textual.geometry import Offset, Region, Size, Spacing
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.strip import Strip
from textual.widget import Widget

from mecha_tui.present.clean import cell_width
from mecha_tui.present.frame import Box, Frame
from mecha_tui.present.plain_glyphs import ascii_only
from mecha_tui.present.text import EMPTY, Line, Part, Tone

TILES = 16
"""Tiles kept ready; no frame is cut into more."""

Cell = tuple[str, Tone, bool, bool]


class Tile(Widget):
    """One rectangle of the canvas."""

    def __init__(self, canvas: Canvas) -> None:
        super().__init__()
        self._canvas = canvas
        self.box = Box(0, 0, 0, 0)

    def render_line(self, y: int) -> Strip:
        """Draw one line of the rectangle."""
        box = self.box
        return self._canvas.strip(box.y + y).crop_extend(box.x, box.x + box.width, None)

    def refresh_line(self, y: int, last_x: int) -> None:
        """Ask for one line to be drawn again, up to and with one column."""
        self.refresh(Region(0, y, last_x + 1, 1))


class Tiling(Layout):
    """Puts every tile where its box is."""

    name = "tiling"

    def arrange(
        self,
        parent: Widget,
        children: list[Widget],
        size: Size,  # noqa: ARG002
        greedy: bool = True,  # noqa: ARG002
    ) -> ArrangeResult:
        """Place the tiles; those without a box get no room."""
        parent.pre_layout(self)
        nowhere, no_margin = Offset(0, 0), Spacing()
        return [
            WidgetPlacement(Region(box.x, box.y, box.width, box.height), nowhere, no_margin, tile)
            for tile in children
            if isinstance(tile, Tile)
            for box in (tile.box,)
        ]


class Canvas(Widget):
    """The whole screen."""

    COMPONENT_CLASSES = {f"canvas--{tone.value}" for tone in Tone} | {"canvas--lit"}

    def __init__(self, *, ascii_only: bool = False) -> None:
        super().__init__()
        self._ascii_only = ascii_only
        self._tiles = tuple(Tile(self) for _ in range(TILES))
        self._styles_by_look: dict[tuple[Tone, bool, bool], Style] = {}
        self._strips: dict[Line, Strip] = {}
        self.frame = Frame(())
        self._tiling = Tiling()

    @property
    def layout(self) -> Layout:
        """Return what places the tiles."""
        return self._tiling

    def compose(self) -> ComposeResult:
        """Mount the tiles once; later only their boxes change."""
        yield from self._tiles

    def show(self, frame: Frame) -> None:
        """Draw a frame; what it shares with the one before is left alone."""
        before, self.frame = self.frame, frame
        if frame.boxes != before.boxes:
            self._place(frame.boxes)
            return
        for y, changed in enumerate(zip(before.lines, frame.lines, strict=False)):
            if changed[0] != changed[1]:
                self._refresh_line(y, *changed)

    def notify_style_update(self) -> None:
        """Forget the colours of the theme before."""
        super().notify_style_update()
        self._styles_by_look.clear()
        self._strips.clear()
        for tile in self._tiles:
            tile.refresh()

    def strip(self, y: int) -> Strip:
        """Return one line of the frame in the theme's colours."""
        parts = self.frame.lines[y] if y < len(self.frame.lines) else EMPTY
        found = self._strips.get(parts)
        if found is None:
            if len(self._strips) > 4 * max(1, len(self.frame.lines)):
                self._strips.clear()
            found = Strip(self._segments(parts)).simplify()
            self._strips[parts] = found
        return found

    def _place(self, boxes: tuple[Box, ...]) -> None:
        spare = (Box(0, 0, 0, 0),) * (TILES - len(boxes))
        for tile, box in zip(self._tiles, (*boxes, *spare), strict=True):
            tile.box = box
            # A child's layout, unlike the canvas's own, makes Textual arrange the canvas anew.
            tile.refresh(layout=True)

    def _refresh_line(self, y: int, before: Line, after: Line) -> None:
        old, new = _cells(before), _cells(after)
        length = min(len(old), len(new))
        for tile in self._tiles:
            box = tile.box
            if not box.y <= y < box.y + box.height:
                continue
            end = min(box.x + box.width, max(len(old), len(new)))
            changed = (x for x in range(end - 1, box.x - 1, -1) if x >= length or old[x] != new[x])
            last = next(changed, None)
            if last is not None:
                tile.refresh_line(y - box.y, last - box.x)

    def _segments(self, parts: Line) -> Iterator[Segment]:
        """Yield the line's pieces; a blank takes the look after it, which is free to send.

        A tile often begins with a blank, which would otherwise have a look of its own.
        """
        looks: list[Part] = []
        for part in reversed(parts):
            after = looks[-1] if looks else None
            is_blank = part.text.isspace() and after is not None and part.is_lit is after.is_lit
            looks.append(after if is_blank and after is not None else part)
        for part, look in zip(parts, reversed(looks), strict=True):
            yield Segment(self._text(part), self._style(look))

    def _text(self, part: Part) -> str:
        return ascii_only(part.text) if self._ascii_only else part.text

    def _style(self, part: Part) -> Style:
        look = (part.tone, part.is_bold, part.is_lit)
        if look not in self._styles_by_look:
            style = self.get_component_rich_style(f"canvas--{part.tone.value}")
            if part.is_lit:
                style += Style(bgcolor=self.get_component_rich_style("canvas--lit").bgcolor)
            self._styles_by_look[look] = style + Style(bold=part.is_bold or None)
        return self._styles_by_look[look]


@lru_cache(maxsize=256)
def _cells(parts: Line) -> tuple[Cell, ...]:
    """Return what each cell shows; blanks of any tone look alike.

    Every line is asked for twice, as the new one and then as the one before.
    """
    cells: list[Cell] = []
    for part in parts:
        blank = (" ", Tone.TEXT, False, part.is_lit)
        for character in part.text:
            cell = blank if character == " " else (character, part.tone, part.is_bold, part.is_lit)
            cells += [cell] * cell_width(character)
    return tuple(cells)
