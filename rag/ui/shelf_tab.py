"""The top of the Library tab: which library is open, another one, a new one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from rag.errors import CitewellError
from rag.ui import kit
from rag.ui.desk import Desk
from rag.ui.kit import Component, Value, Visit
from rag.ui.library_html import done_html, failure_html
from rag.ui.shelf_html import shelf_html


class Libraries(Protocol):
    """What the page asks about the libraries of this machine."""

    def libraries(self) -> tuple[tuple[str, ...], str, str]:
        """The names of all, of the one that is open, and of the one opened at the start."""

    def open_library(self, name: str) -> None:
        """Open another one, for all who use the page. Raises CitewellError."""

    def create_library(self, name: str) -> None:
        """Make an empty one and open it. Raises CitewellError."""


class ShelfPanel:
    """Draws the choice of libraries, and opens another one."""

    def __init__(self, desk: Desk, libraries: Libraries) -> None:
        self._desk, self._libraries = desk, libraries
        self.surface = kit.surface("shelf", events=["switch", "create"])

    def listen(
        self, tabs: Component, shown: list[Component], redraw: Callable[[Visit], tuple[Value, ...]]
    ) -> None:
        """Answer events; `redraw` gives values for `shown` when another library is open."""
        kit.on(tabs.on_show_library, lambda visit, data: self._html(), [self.surface])
        for event, act in (
            (self.surface.on_switch, self._libraries.open_library),
            (self.surface.on_create, self._libraries.create_library),
        ):
            kit.on(event, self._acting(act, len(shown), redraw), [self.surface, *shown])

    def _acting(
        self, act: Callable[[str], None], count: int, redraw: Callable[[Visit], tuple[Value, ...]]
    ) -> kit.Handler:
        def change(visit: Visit, data: dict[str, str]) -> tuple[Value, ...]:
            before = self._desk.backend.edition
            try:
                act(data.get("name", ""))
            except CitewellError as error:
                return self._html(failure_html(str(error))), *(kit.skip(),) * count
            if self._desk.backend.edition != before:
                self._desk.sessions.forget_papers()
            current = self._libraries.libraries()[1]
            return self._html(done_html(f"“{current}” is open.")), *redraw(visit)

        return change

    def _html(self, news: str = "") -> str:
        return shelf_html(*self._libraries.libraries(), news)
