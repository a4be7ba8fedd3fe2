"""Puts the parts of the page together, and the page into a web application."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles

from rag.ui import kit
from rag.ui.chat_tab import ChatTab
from rag.ui.desk import Desk
from rag.ui.guard import Guard
from rag.ui.kit import Visit
from rag.ui.page_html import facts_html, top_html
from rag.ui.source_tab import SourcePanel

STATIC = Path(__file__).parent / "static"
_TICK_S = 0.5


def make_app(desk: Desk, login: tuple[str, str] | None = None) -> FastAPI:
    """The whole web application: the page, its files, and the headers that guard it."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    app.add_middleware(Guard)
    app.mount("/page", StaticFiles(directory=STATIC))
    return kit.mount(app, Page(desk).blocks, login)


class Page:
    """The top line and the tabs."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        with kit.page() as self.blocks:
            with kit.column("citewell"):
                with kit.row("top"):
                    kit.surface("tabs", top_html())
                    self._facts = kit.surface("facts", self._facts_html())
                with kit.row("chat"):
                    self._chat = ChatTab(desk)
                    self._source = SourcePanel(desk, self._chat)
            self._timer = kit.timer(_TICK_S)
            outputs = [self._facts, self._chat.turns, self._timer]
            kit.on(self._timer.tick, self._follow, outputs)
            kit.on(self.blocks.load, self._arrive, self._chat.talk)
            kit.on_close(self.blocks, desk.sessions.close)

    def _arrive(self, visit: Visit, data: dict[str, str]) -> tuple[Any, ...]:
        return self._chat.drawn(visit)

    def _follow(self, visit: Visit, data: dict[str, str]) -> tuple[Any, ...]:
        session, ready = self._desk.session(visit.tab), self._desk.backend.ready
        untouched = not session.turns and not session.busy
        turns = self._chat.welcome() if untouched else kit.skip()
        return self._facts_html(), turns, kit.active_if(not ready)

    def _facts_html(self) -> str:
        backend = self._desk.backend
        return facts_html(backend.count(), backend.model, backend.state)
