"""Draws frames, and sends the terminal only the cells that changed.

Textual sends a changed line of a widget from the widget's left edge on. The canvas
therefore writes changes by itself; Textual draws it whole when it has to be drawn whole.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.segment import Segment
from rich.style import Style

# Private, like App._display below: the only two names that mecha-tui takes from inside
# Textual, for what it has no public way to do. tests/app/test_canvas.py holds them.
from textual._compositor import CompositorUpdate
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from mecha_tui.present.changes import changed_spans
from mecha_tui.present.frame import Frame
from mecha_tui.present.plain_glyphs import ascii_only
from mecha_tui.present.text import EMPTY, Line, Part, Tone


class Changes(CompositorUpdate):
    """What the terminal does not show yet, worked out when it is really written."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas

    def render_segments(self, console: Console) -> str:
        """Return what to write; neighbours of one look share its escape sequence."""
        written: list[str] = []
        text, look = "", None
        for x, y, strip in self._canvas.unsent():
            move = f"\x1b[{y + 1};{x + 1}H"
            for segment in strip:
                if text and segment.style != look:
                    written.append(Strip([Segment(text, look)]).render(console))
                    text = ""
                text, look, move = text + move + segment.text, segment.style, ""
        return "".join([*written, Strip([Segment(text, look)]).render(console)] if text else [])


class Canvas(Widget):
    """The whole screen."""

    COMPONENT_CLASSES = {f"canvas--{tone.value}" for tone in Tone} | {"canvas--lit"}

    def __init__(self, *, ascii_only: bool = False) -> None:
        super().__init__()
        self._ascii_only = ascii_only
        self._styles_by_look: dict[tuple[Tone, bool, bool], Style] = {}
        self._strips: dict[Line, Strip] = {}
        self.frame = Frame(())
        self._sent: dict[int, Line] = {}
        """The lines that the terminal shows, as far as that is known."""
        self._sent_size = Size()

    def show(self, frame: Frame) -> None:
        """Draw a frame; what it shares with the one before is left alone."""
        self.frame = frame
        if self._sent_size != self.app.size:
            self.forget()
        if len(self._sent) == len(frame.lines) and self.screen.is_current:
            if any(self._changed_lines()):
                # Textual says "renderable" and draws this kind first.
                self.app._display(self.screen, Changes(self))  # type: ignore[arg-type]
        else:
            self.refresh()

    def forget(self) -> None:
        """Count on nothing that the terminal shows: the next frame is drawn whole."""
        self._sent.clear()
        self._sent_size = self.app.size

    def unsent(self) -> Iterator[tuple[int, int, Strip]]:
        """Yield what changed, with its column and line, to be written at once."""
        for y in list(self._changed_lines()):
            after = self.frame.lines[y]
            for x, end in changed_spans(self._sent[y], after):
                yield x, y, self.strip(y).crop(x, end)
            self._sent[y] = after

    def _changed_lines(self) -> Iterator[int]:
        for y, after in enumerate(self.frame.lines):
            before = self._sent[y]
            if before is not after and before != after:
                yield y

    def notify_style_update(self) -> None:
        """Forget the colours of the theme before."""
        super().notify_style_update()
        self._styles_by_look.clear()
        self._strips.clear()
        self.refresh()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw lines whole, because Textual has to draw them whole."""
        blank = self._style(Part(" "))
        for y in crop.line_range:
            self._sent[y] = self.frame.lines[y] if y < len(self.frame.lines) else EMPTY
        return [self.strip(y).crop_extend(crop.x, crop.right, blank) for y in crop.line_range]

    def strip(self, y: int) -> Strip:
        """Return one line of the frame in the theme's colours."""
        parts = self.frame.lines[y] if y < len(self.frame.lines) else EMPTY
        found = self._strips.get(parts)
        if found is None:
            if len(self._strips) > 4 * max(1, len(self.frame.lines)):
                self._strips.clear()
            found = Strip(self._segments(parts)).simplify()
            for one in self.get_line_filters():
                found = found.apply_filter(one, self.background_colors[1])
            self._strips[parts] = found
        return found

    def _segments(self, parts: Line) -> Iterator[Segment]:
        """Yield the line's pieces; a blank takes the look after it, which is free to send."""
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
