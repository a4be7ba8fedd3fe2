"""The Map tab: the library as a picture, to look around in and to choose from."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Lock

from rag.errors import CitewellError
from rag.ui import kit
from rag.ui.backend import Edition
from rag.ui.desk import Desk
from rag.ui.kit import Component, Visit
from rag.ui.layout import Layout, lay_out
from rag.ui.library_html import failure_html
from rag.ui.library_tab import LibraryTab
from rag.ui.map_html import WAITING, map_html
from rag.ui.source_tab import SourcePanel
from rag.ui.turn import named_papers


class MapTab:
    """Draws the tab and answers what is done in it."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._surface = kit.surface("picture", events=["paper", "act"])
        self._lock = Lock()
        self._drawn: tuple[Edition, Layout] | None = None

    def listen(self, source: SourcePanel, library: LibraryTab, tabs: Component) -> None:
        """Answer events; what is done to chosen papers is the library tab's."""
        kit.on(tabs.on_show_map, self._show, [self._surface])
        kit.on(self._surface.on_act, library.act, library.acted)
        source.opens(self._surface)

    def _show(self, visit: Visit, data: dict[str, str]) -> Iterator[str]:
        if self._drawn is None or self._drawn[0] != self._desk.backend.edition:
            yield WAITING
        try:
            layout = self._layout()
        except CitewellError as error:
            yield failure_html(str(error))
            return
        turns = self._desk.session(visit.tab).turns
        hits = named_papers(turns[-1].answer, turns[-1].evidence) if turns else ()
        yield map_html(layout, set(hits))

    def _layout(self) -> Layout:
        """The map of the library as it is; made once for all tabs, and anew when it changed."""
        with self._lock:
            edition = self._desk.backend.edition
            if self._drawn is None or self._drawn[0] != edition:
                self._drawn = edition, lay_out(*self._desk.paper_vectors())
            return self._drawn[1]
