"""Puts the page together with Gradio; the only module that imports it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gradio as gr
from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles

from rag.errors import UnknownPaper
from rag.ui.backend import Backend
from rag.ui.headers import SafeHeaders
from rag.ui.page_html import top_html, welcome_html
from rag.ui.session import Cited, Session, Sessions
from rag.ui.source_html import EMPTY, gone_html, source_html
from rag.ui.talk import answer_turn
from rag.ui.turn_html import draft_html, turn_html

STATIC = Path(__file__).parent / "static"
_HEAD = '<link rel="stylesheet" href="/page/page.css"><script src="/page/page.js"></script>'
# The names in the comment are the events that Gradio lets Python listen to.
_ACTIONS = """
element.addEventListener('click', (event) => {
  const button = event.target.closest('[data-on]');
  if (button) trigger(button.dataset.on, {...button.dataset});
}); // 'source' 'example' 'retry'
"""
_QUESTION_LIMIT = 8000
_UPLOAD_LIMIT = "64mb"
_TICK_S = 0.5
_QUIET: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
_ALONGSIDE: dict[str, Any] = {**_QUIET, "concurrency_limit": None, "trigger_mode": "multiple"}


def make_app(backend: Backend, login: tuple[str, str] | None = None) -> FastAPI:
    """The whole web application: the page, its files, and the headers that guard it."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    app.add_middleware(SafeHeaders)
    app.mount("/page", StaticFiles(directory=STATIC))
    return gr.mount_gradio_app(  # type: ignore[no-any-return]
        app,
        Page(backend).blocks,
        path="/",
        auth=[login] if login else None,
        footer_links=[],
        run_history=False,
        max_file_size=_UPLOAD_LIMIT,
        ssr_mode=False,
        enable_monitoring=False,
        pwa=False,
        theme=gr.themes.Base(font=["system-ui", "sans-serif"], font_mono=["monospace"]),
        head=_HEAD,
    )


class Page:
    """The components of the page and what happens when one of them is used."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._sessions = Sessions()
        with gr.Blocks(title="Citewell", analytics_enabled=False, fill_width=True) as self.blocks:
            with gr.Column(elem_id="citewell"):
                self._top = gr.HTML(self._top_html(), elem_id="top", apply_default_css=False)
                with gr.Row(elem_id="chat"):
                    self._draw_side()
                    self._draw_talk()
                    self._source = _surface("source", EMPTY)
            self._timer = gr.Timer(_TICK_S)
            self._listen()

    def _draw_side(self) -> None:
        with gr.Column(elem_id="side", min_width=0):
            self._new = gr.Button("New conversation", elem_id="new")

    def _draw_talk(self) -> None:
        with gr.Column(elem_id="talk", min_width=0):
            self._turns = _surface("turns")
            self._running = _surface("running")
            with gr.Row(elem_id="composer"):
                self._question = gr.Textbox(
                    placeholder="Ask about the papers",
                    label="Your question",
                    show_label=False,
                    container=False,
                    max_lines=8,
                    max_length=_QUESTION_LIMIT,
                    autofocus=True,
                    elem_id="question",
                )
                self._ask = gr.Button("Ask", elem_id="ask", variant="primary", min_width=80)
                self._stop = gr.Button("Stop", elem_id="stop", visible=False, min_width=80)

    def _listen(self) -> None:
        talk = [self._turns, self._running, self._question, self._ask, self._stop]
        for event in (self._question.submit, self._ask.click):
            event(self._answer, self._question, talk, **_ALONGSIDE)
        self._turns.retry(self._answer_again, None, talk, **_ALONGSIDE)
        self._stop.click(self._end, None, None, queue=False, **_QUIET)
        self._new.click(self._forget, None, [*talk, self._source], **_ALONGSIDE)
        for surface in (self._turns, self._running, self._source):
            surface.source(self._show_source, None, self._source, **_ALONGSIDE)
        self._turns.example(_example_text, None, self._question, **_ALONGSIDE)
        self._timer.tick(self._follow, None, [self._top, self._turns, self._timer], **_ALONGSIDE)
        self.blocks.load(self._follow, None, [self._top, self._turns, self._timer], **_ALONGSIDE)
        self.blocks.unload(self._close)

    def _answer(self, question: str, request: gr.Request) -> Iterator[tuple[Any, ...]]:
        yield from self._turn(self._session(request), question)

    def _answer_again(self, request: gr.Request) -> Iterator[tuple[Any, ...]]:
        session = self._session(request)
        if session.turns and not session.busy:
            yield from self._turn(session, session.turns.pop().answer.question)

    def _turn(self, session: Session, question: str) -> Iterator[tuple[Any, ...]]:
        if session.busy or not question.strip():
            yield (gr.skip(),) * 5
            return
        first = True
        for draft in answer_turn(session, self._backend, question):
            drawn = draft_html(draft, len(session.turns))
            if first:
                yield self._talk_html(session), drawn, "", *_buttons(busy=True)
            else:
                yield gr.skip(), drawn, *(gr.skip(),) * 3
            first = False
        if not session.busy:
            yield self._talk_html(session), "", gr.skip(), *_buttons(busy=False)

    def _talk_html(self, session: Session) -> str:
        if not session.turns:
            return "" if session.busy else self._welcome()
        final = len(session.turns) - 1
        return "".join(
            turn_html(turn, number, last=number == final and not session.busy)
            for number, turn in enumerate(session.turns)
        )

    def _end(self, request: gr.Request) -> None:
        self._session(request).stop.set()

    def _forget(self, request: gr.Request) -> tuple[Any, ...]:
        session = self._session(request)
        session.reset()
        return self._talk_html(session), "", "", *_buttons(busy=False), EMPTY

    def _show_source(self, event: gr.EventData, request: gr.Request) -> str:
        chosen = event._data
        cited = self._session(request).cited(str(chosen.get("turn")), str(chosen.get("ref")))
        return self._cited_html(cited) if cited else EMPTY

    def _cited_html(self, cited: Cited) -> str:
        paper, library = cited.paper, self._backend.library
        try:
            paper = paper or (library.paper(cited.paper_id) if library else None)
        except UnknownPaper:
            paper = None
        return source_html(paper, cited.spans, cited.now) if paper else gone_html(cited.title)

    def _follow(self, request: gr.Request) -> tuple[Any, ...]:
        session = self._session(request)
        untouched = not session.turns and not session.busy
        turns = self._welcome() if untouched else gr.skip()
        return self._top_html(), turns, gr.Timer(active=not self._backend.ready)

    def _welcome(self) -> str:
        library = self._backend.library
        papers = library.papers() if library else None
        return welcome_html(papers, self._backend.problem)

    def _top_html(self) -> str:
        library = self._backend.library
        papers = len(library.papers()) if library else None
        return top_html(papers, self._backend.model, self._backend.state)

    def _close(self, request: gr.Request) -> None:
        self._sessions.close(request.session_hash or "")

    def _session(self, request: gr.Request) -> Session:
        return self._sessions.of(request.session_hash or "")


def _surface(name: str, html: str = "") -> gr.HTML:
    return gr.HTML(html, elem_id=name, js_on_load=_ACTIONS, apply_default_css=False)


def _example_text(event: gr.EventData) -> str:
    return str(event._data.get("text", ""))


def _buttons(*, busy: bool) -> tuple[Any, Any]:
    return gr.Button(visible=not busy), gr.Button(visible=busy)
