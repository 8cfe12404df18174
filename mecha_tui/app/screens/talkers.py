"""Who talks to the server."""

from __future__ import annotations

from textual import work

from mecha_tui.app.desk import Desk
from mecha_tui.app.screens.page_screen import PageScreen
from mecha_tui.core.talkers import Talkers, TalkerSource
from mecha_tui.present.pages.page import Page
from mecha_tui.present.pages.talkers import talkers_page
from mecha_tui.present.view import View

INTERVAL_S = 2.0
_NO_SOURCE = "this picture was not taken where connections can be seen"


class TalkersScreen(PageScreen):
    """Connections by program; they are looked for only while this screen is open."""

    def __init__(
        self, desk: Desk, source: TalkerSource | None, *, ascii_only: bool = False
    ) -> None:
        super().__init__(desk, ascii_only=ascii_only)
        self._source = source
        self._found: dict[str, Talkers] = {}

    def on_mount(self) -> None:
        """Draw, look at once, and then at a slow pace."""
        super().on_mount()
        self.look()
        self.set_interval(INTERVAL_S, self.look)

    @work(exclusive=True)
    async def look(self) -> None:
        """Look once at the server that is shown; a frozen picture stays as it is."""
        picture = self.desk.picture
        is_frozen = self.desk.view.paused_wall_s is not None
        if picture is None or self._source is None or (is_frozen and picture.url in self._found):
            return
        self._found[picture.url] = await self._source.talkers(picture.url)
        self.draw()

    def page(self, view: View, width: int) -> Page:
        """Return the page."""
        unknown = Talkers() if self._source is not None else Talkers(reason=_NO_SOURCE)
        url = view.picture.url if view.picture else ""
        return talkers_page(view, self._found.get(url, unknown), width, self.first)
