"""Puts the parts of the page together, and the page into a web application."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles

from rag.ui import kit
from rag.ui.chat_tab import ChatTab
from rag.ui.compare_tab import CompareTab
from rag.ui.desk import Desk
from rag.ui.guard import Guard
from rag.ui.kit import Component, Value, Visit
from rag.ui.library_tab import LibraryTab
from rag.ui.limits import Limits
from rag.ui.map_tab import MapTab
from rag.ui.page_html import TABS, top_html
from rag.ui.shelf_tab import Libraries
from rag.ui.source_tab import SourcePanel
from rag.ui.status_tab import Machine, StatusTab

STATIC = Path(__file__).parent / "static"
_TICK_S = 1.0


class Place(Machine, Libraries, Protocol):
    """What the page asks of the machine that it is served from."""


def make_app(
    desk: Desk,
    machine: Place,
    login: tuple[str, str] | None = None,
    *,
    endpoints: Mapping[str, kit.Handler] | None = None,
    mcp: bool = False,
) -> FastAPI:
    """The whole web application: the page, its files, what programs call, and the guards.

    `endpoints` are functions by name; with `mcp` they are tools for language models too.
    """
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    app.add_middleware(Limits, often=login is not None)
    app.add_middleware(Guard, open_to_all=login is not None)
    app.mount("/page", StaticFiles(directory=STATIC))
    return kit.mount(app, Page(desk, machine, endpoints or {}).blocks, login, mcp=mcp)


class Page:
    """The top line and the tabs."""

    def __init__(self, desk: Desk, machine: Place, endpoints: Mapping[str, kit.Handler]) -> None:
        self._desk, self._machine = desk, machine
        with kit.page() as self.blocks:
            with kit.column("citewell"):
                with kit.row("top"):
                    tabs = kit.surface("tabs", top_html(), [f"show_{name}" for name, _ in TABS])
                    self._facts = kit.surface("facts", desk.facts_html())
                self._timer = kit.timer(_TICK_S)
                with kit.row("desk"):
                    self._draw(tabs)
            self._listen()
            for name, function in endpoints.items():
                kit.offer(name, function)

    def _draw(self, tabs: Component) -> None:
        with kit.column("panels"):
            with kit.row("chat"):
                self._chat = ChatTab(self._desk)
            with kit.column("compare"):
                compare = CompareTab(self._desk, self._chat)
            with kit.column("library"):
                library = LibraryTab(self._desk, self._machine, self._chat, compare)
            with kit.column("map"):
                picture = MapTab(self._desk)
            with kit.column("status"):
                status = StatusTab(self._desk, self._machine)
        source = SourcePanel(self._desk, self._chat)
        compare.listen(source, tabs)
        library.listen(source, tabs, self._facts, self._timer)
        picture.listen(source, library, tabs)
        status.listen(tabs, self._facts, self._timer)

    def _listen(self) -> None:
        followed = [self._facts, self._chat.turns, self._timer]
        # Ticks that a busy machine cannot answer in time must not pile up.
        kit.on(self._timer.tick, self._follow, followed, once=True)
        kit.on(self.blocks.load, self._arrive, [*self._chat.talk, self._facts, self._timer])
        kit.on_close(self.blocks, self._desk.sessions.close)

    def _arrive(self, visit: Visit, data: dict[str, str]) -> tuple[Value, ...]:
        timer = kit.active_if(not self._desk.backend.ready)
        return *self._chat.arrive(visit), self._desk.facts_html(), timer

    def _follow(self, visit: Visit, data: dict[str, str]) -> tuple[Value, ...]:
        session, ready = self._desk.session(visit.tab), self._desk.backend.ready
        untouched = not session.turns and not session.busy
        turns = self._chat.welcome() if untouched else kit.skip()
        return self._desk.facts_html(), turns, kit.active_if(not ready)
