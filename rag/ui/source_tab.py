"""The source panel: one paper, what was cited from it, and what to do next with it."""

from __future__ import annotations

from collections.abc import Iterator

from rag.export import bibtex
from rag.types import Paper, Scope
from rag.ui import kit
from rag.ui.chat_tab import ChatTab
from rag.ui.desk import Desk
from rag.ui.download_html import download_html
from rag.ui.kit import Component, Value, Visit
from rag.ui.session import Session
from rag.ui.source_html import EMPTY, gone_html, similar_html, source_html

_SIMILAR = 6
_EVENTS = ["source", "paper", "summarise", "narrow", "add", "similar", "cite"]


class SourcePanel:
    """Draws the panel and answers its buttons, and those that open it from elsewhere."""

    def __init__(self, desk: Desk, chat: ChatTab) -> None:
        self._desk, self._chat = desk, chat
        self.surface = kit.surface("source", EMPTY, events=_EVENTS)
        self._download = kit.surface("source-download")
        for surface in (chat.turns, chat.running, self.surface):
            kit.on(surface.on_source, self._open, [self.surface])
        self.opens(self.surface)
        kit.on(self.surface.on_summarise, self._summarise, chat.talk)
        kit.on(self.surface.on_narrow, self._narrow, [chat.scope])
        kit.on(self.surface.on_similar, self._similar, [self.surface])
        kit.on(self.surface.on_cite, self._cite, [self._download])

    def opens(self, surface: Component) -> None:
        """Let the paper buttons of another surface open the panel."""
        kit.on(surface.on_paper, self._open_paper, [self.surface])

    def _open(self, visit: Visit, data: dict[str, str]) -> str:
        return self.cited_html(self._desk.session(visit.tab), data)

    def cited_html(self, session: Session, data: dict[str, str]) -> str:
        """The panel for a button in a turn of a session."""
        cited = session.cited(data.get("turn", ""), data.get("ref", ""))
        if cited is None:
            return EMPTY
        paper = cited.paper or self._desk.paper(cited.paper_id)
        return source_html(paper, cited.spans, cited.now) if paper else gone_html(cited.title)

    def _open_paper(self, visit: Visit, data: dict[str, str]) -> str:
        paper = self._paper(data)
        return source_html(paper) if paper else gone_html("")

    def _paper(self, data: dict[str, str]) -> Paper | None:
        return self._desk.paper(data.get("paper", ""))

    def _summarise(self, visit: Visit, data: dict[str, str]) -> Iterator[tuple[Value, ...]]:
        paper = self._paper(data)
        if paper:
            scope = Scope(paper_ids=frozenset([paper.paper_id]))
            yield from self._chat.turn(visit, f"Summarise {paper.title}.", scope)

    def _narrow(self, visit: Visit, data: dict[str, str]) -> str:
        paper = self._paper(data)
        ids = frozenset([paper.paper_id]) if paper else None
        return self._chat.narrow_to(visit, Scope(paper_ids=ids))

    def _similar(self, visit: Visit, data: dict[str, str]) -> str:
        paper, library = self._paper(data), self._desk.backend.library
        if not paper or not library:
            return gone_html("")
        hits = library.search(f"{paper.title}. {paper.text}", _SIMILAR + 1)
        near = [hit.paper for hit in hits if hit.paper.paper_id != paper.paper_id][:_SIMILAR]
        return source_html(paper, after=similar_html(near))

    def _cite(self, visit: Visit, data: dict[str, str]) -> str:
        paper = self._paper(data)
        return download_html(f"{data.get('paper', '')}.bib", bibtex([paper])) if paper else ""
