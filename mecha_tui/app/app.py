"""The application: takes rounds from a sampler and lets screens draw them."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import Mapping

from textual import work
from textual.actions import ActionParseResult
from textual.app import App
from textual.dom import DOMNode
from textual.driver import Driver

from mecha_tui.app.crash import crash_text
from mecha_tui.app.desk import Desk
from mecha_tui.app.driver import TERMINAL_GONE, is_gone, patient
from mecha_tui.app.key_uses import bindings
from mecha_tui.app.keys import Place
from mecha_tui.app.screens.agreement import AgreementScreen
from mecha_tui.app.screens.dashboard import DashboardScreen
from mecha_tui.app.screens.events import EventsScreen
from mecha_tui.app.screens.help import HelpScreen
from mecha_tui.app.screens.inspection import InspectionScreen
from mecha_tui.app.screens.memory import MemoryScreen
from mecha_tui.app.screens.overview import OverviewScreen
from mecha_tui.app.screens.page_screen import PageScreen
from mecha_tui.app.screens.picture_screen import PictureScreen
from mecha_tui.app.screens.speed import SpeedScreen
from mecha_tui.app.screens.talkers import TalkersScreen
from mecha_tui.app.screens.tasks import TasksScreen
from mecha_tui.app.themes import DARK, LIGHT, THEMES, tone_variables
from mecha_tui.core.sample import Sampler
from mecha_tui.core.talkers import TalkerSource
from mecha_tui.core.usual import SpeedMemory
from mecha_tui.errors import UsageError

GONE_CHECK_S = 1.0
_ENDING_SIGNALS = ("SIGTERM", "SIGHUP", "SIGINT")


class MechaApp(App[None], inherit_bindings=False):
    """The dashboard. The command that runs it must return ``return_code``."""

    CSS_PATH = "styles/app.tcss"
    TITLE = "mecha-tui"
    ENABLE_COMMAND_PALETTE = False
    ALLOW_SELECT = False
    BINDINGS = bindings(Place.EVERYWHERE)

    def __init__(
        self,
        sampler: Sampler,
        *,
        interval_s: float = 1.0,
        theme: str | None = None,
        ascii_only: bool = False,
        talkers: TalkerSource | None = None,
        speeds: SpeedMemory | None = None,
    ) -> None:
        """Make the application.

        Args:
            sampler: Where rounds come from; closed when the application ends.
            interval_s: Seconds from the beginning of one round to that of the next.
            theme: A theme's name; None is mecha-dark.
            talkers: Tells who is connected to a server; None where nobody can.
            ascii_only: Draw with ASCII only, for terminals that are not UTF-8.
            speeds: What is usual, across runs; closed when the application ends.
        """
        super().__init__()
        self._sampler = sampler
        self._interval_s = interval_s
        self._talkers = talkers
        self._crash: str | None = None
        self._hurry = asyncio.Event()
        self.ascii_only = ascii_only
        self._speeds = speeds
        self.desk = Desk(interval_s, speeds)
        for one in THEMES:
            self.register_theme(one)
        # Without colours Textual draws the ansi themes black on black.
        is_drawable = theme and not (self.no_color and theme.startswith("ansi"))
        self.theme = theme if theme and is_drawable else DARK.name

    def get_css_variables(self) -> dict[str, str]:
        """Give every theme the tones that the stylesheet names."""
        variables = super().get_css_variables()
        return {**tone_variables(variables), **variables}

    def get_driver_class(self) -> type[Driver]:
        """Return what speaks to the terminal.

        Raises:
            UsageError: ``TEXTUAL_DRIVER`` names none.
        """
        try:
            return patient(super().get_driver_class())
        except (ImportError, AttributeError, RuntimeError, ValueError):
            raise UsageError("TEXTUAL_DRIVER names no driver of Textual's: unset it") from None

    def get_default_screen(self) -> PictureScreen:
        """Return the dashboard."""
        return DashboardScreen(self.desk, ascii_only=self.ascii_only)

    def on_load(self) -> None:
        """Hear signals before the terminal is changed, so that it is always given back."""
        self._end_on_signals()

    def on_mount(self) -> None:
        """Start to sample once there is something to draw on."""
        self.set_interval(GONE_CHECK_S, self._leave_if_gone)
        self.sample_forever()

    def _leave_if_gone(self) -> None:
        if is_gone(self._driver):
            self.exit(return_code=TERMINAL_GONE)

    async def on_unmount(self) -> None:
        """Close the sampler on the loop that used it, and keep what was measured."""
        await self._sampler.aclose()
        if self._speeds is not None:
            await asyncio.to_thread(self._speeds.close)

    @work(exclusive=True, group="sampling")
    async def sample_forever(self) -> None:
        """Sample, draw and wait: longer while nothing happens, and no longer after a key."""
        loop = asyncio.get_running_loop()
        while True:
            began_s = loop.time()
            self._hurry.clear()
            taken = await self._sampler.sample()
            self.desk.take(taken)
            self.redraw()
            await asyncio.sleep(max(0.0, began_s + self._interval_s - loop.time()))
            rest_s = began_s + taken.pause_s - loop.time()
            if rest_s > 0:
                with contextlib.suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(self._hurry.wait(), rest_s)

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Run what a key or a click asks for, and look again soon: somebody watches."""
        self._hurry.set()
        return await super().run_action(action, default_namespace, namespaces)

    def redraw(self) -> None:
        """Draw the screen on top."""
        if self.screen_stack and isinstance(self.screen, PictureScreen):
            self.screen.draw()

    def action_inspect(self) -> None:
        """Look into the chosen slot."""
        if self.desk.chosen_slot is not None:
            self._open(InspectionScreen(self.desk, ascii_only=self.ascii_only))

    def action_inspect_next(self, step: int) -> None:
        """Look into the slot before or after."""
        self.desk.move(step)
        self.redraw()

    def action_agreement(self) -> None:
        """Show why the numbers agree or not."""
        self._open(AgreementScreen(self.desk, ascii_only=self.ascii_only))

    def action_memory(self) -> None:
        """Show where the memory is."""
        self._open(MemoryScreen(self.desk, ascii_only=self.ascii_only))

    def action_speed(self) -> None:
        """Show the speed of the last minutes."""
        self._open(SpeedScreen(self.desk, ascii_only=self.ascii_only))

    def action_tasks(self) -> None:
        """Show all tasks."""
        self._open(TasksScreen(self.desk, ascii_only=self.ascii_only))

    def action_events(self) -> None:
        """Show everything that happened."""
        self._open(EventsScreen(self.desk, ascii_only=self.ascii_only))

    def action_talkers(self) -> None:
        """Show who talks to the server."""
        self._open(TalkersScreen(self.desk, self._talkers, ascii_only=self.ascii_only))

    def action_help(self) -> None:
        """Show the keys."""
        if not isinstance(self.screen, HelpScreen):
            self._open(HelpScreen(self.desk, ascii_only=self.ascii_only))

    def action_close(self) -> None:
        """Close the screen on top; the dashboard stays."""
        if isinstance(self.screen, PageScreen):
            self.pop_screen()

    def action_next_server(self, step: int) -> None:
        """Look at another server."""
        self.desk.next_server(step)
        self.redraw()

    def action_overview(self) -> None:
        """Show every server in one row."""
        if not isinstance(self.screen, OverviewScreen):
            self._open(OverviewScreen(self.desk, ascii_only=self.ascii_only))

    def action_pause(self) -> None:
        """Freeze the picture or let it go on; sampling goes on underneath."""
        self.desk.toggle_pause()
        self.redraw()

    def action_theme(self) -> None:
        """Change between dark and light."""
        self.theme = LIGHT.name if self.theme == DARK.name else DARK.name

    def action_leave(self) -> None:
        """End the application."""
        self.exit()

    def _open(self, screen: PictureScreen) -> None:
        self.push_screen(screen)

    def _end_on_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for name in _ENDING_SIGNALS:
            number = getattr(signal, name, None)
            if number is not None:
                # A loop without signal handlers ends as the platform has it.
                with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
                    loop.add_signal_handler(number, self._leave_after, int(number))

    def _leave_after(self, number: int) -> None:
        self.exit(return_code=128 + number)

    def _fatal_error(self) -> None:
        """Keep Textual from printing local variables, which may hold a key."""
        error = sys.exc_info()[1]
        self._crash = crash_text(error)
        self._close_messages_no_wait()

    def _print_error_renderables(self) -> None:
        """Print what happened once the terminal is given back."""
        if self._crash is not None:
            sys.stderr.write(self._crash)
            self._crash = None
        super()._print_error_renderables()
