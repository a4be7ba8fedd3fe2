"""Runs one turn for one tab: follows the events and says when the page must be redrawn."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from threading import Event as Flag

from rag.errors import CitewellError, UnknownPaper
from rag.types import Answer, Citation, Event, Failed, Paper, Scope, Stop, Token
from rag.ui.backend import Backend, ChatLike, LibraryLike
from rag.ui.session import Session
from rag.ui.turn import Draft, Turn, advance, begin, named_papers

Asking = Callable[[ChatLike, Stop], Iterator[Event]]

_log = logging.getLogger(__name__)
# Faster than a reader can follow, slow enough that redrawing costs nothing beside the model.
_REDRAW_S = 0.08
_BROKEN = "Something went wrong while answering; nothing was lost. Ask again."


def answer_turn(
    session: Session,
    backend: Backend,
    question: str,
    scope: Scope | None = None,
    asking: Asking | None = None,
) -> Iterator[Draft]:
    """Answer a question in a session; yields the draft whenever it should be redrawn.

    `asking` is another way to ask than `ask` with the history of the session. When it ends,
    the turn stands in `session.turns`, unless the session was reset. A question that comes
    while another one runs is not taken up.
    """
    if session.busy or not question.strip():
        return
    stop = session.stop = Flag()
    draft = session.draft = begin(question.strip())
    yield draft
    drawn = 0.0

    def ask(chat: ChatLike) -> Iterator[Event]:
        if asking is not None:
            return asking(chat, stop)
        return chat.ask(
            draft.answer.question,
            session.history,
            scope=scope or Scope(),
            length=session.length,
            stop=stop,
        )

    for event in _events(backend, ask, stop):
        draft = advance(draft, event)
        if session.stop is stop and session.draft is not None:
            session.draft = draft
        if not isinstance(event, Token) or time.monotonic() - drawn > _REDRAW_S:
            drawn = time.monotonic()
            yield draft
    if session.stop is stop and session.draft is not None:
        session.turns.append(_finished(draft, question.strip(), backend.library, stop))
        session.draft = None


def _events(
    backend: Backend, ask: Callable[[ChatLike], Iterator[Event]], stop: Flag
) -> Iterator[Event]:
    try:
        chat = backend.chat(stop)
        if chat is not None:
            yield from ask(chat)
    except CitewellError as problem:
        yield Failed(str(problem))
    except Exception:
        _log.exception("a turn failed")
        yield Failed(_BROKEN)


def _finished(draft: Draft, question: str, library: LibraryLike | None, stop: Flag) -> Turn:
    answer = replace(draft.answer, question=question)
    if not draft.finished and answer.error is None and not stop.is_set():
        answer = replace(answer, error=_BROKEN)
    return Turn(
        answer=answer,
        evidence=draft.evidence,
        papers=_papers(library, answer, draft.evidence),
        stopped=stop.is_set() and not any("topped" in notice for notice in answer.notices),
    )


def _papers(
    library: LibraryLike | None, answer: Answer, evidence: tuple[Citation, ...]
) -> dict[str, Paper]:
    papers: dict[str, Paper] = {}
    for paper_id in named_papers(answer, evidence) if library else ():
        try:
            papers[paper_id] = library.paper(paper_id)  # type: ignore[union-attr]
        except UnknownPaper:
            _log.info("a paper was removed while a question about it was answered")
    return papers
