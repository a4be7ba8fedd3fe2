"""The Compare tab: choose papers, see them side by side, go on in the chat."""

from __future__ import annotations

from collections.abc import Iterator

from rag.types import Event, Paper, Stop
from rag.ui import kit
from rag.ui.backend import ChatLike
from rag.ui.chat_tab import ChatTab
from rag.ui.compare_html import FEWEST, MOST, compare_question, picker_html, result_html
from rag.ui.desk import Desk
from rag.ui.kit import Component, Value, Visit
from rag.ui.session import Session
from rag.ui.source_tab import SourcePanel
from rag.ui.talk import answer_turn
from rag.ui.turn_html import draft_html, turn_html

_FOUND = 8


class CompareTab:
    """Draws the tab and answers what is done in it."""

    def __init__(self, desk: Desk, chat: ChatTab) -> None:
        self._desk, self._chat = desk, chat
        events = ["search", "add", "drop", "compare", "paper"]
        self.picker = kit.surface("picker", events=events)
        self.result = kit.surface("compared", events=["source", "discuss", "halt"])

    def listen(self, source: SourcePanel, tabs: Component) -> None:
        """Answer events, those of the source panel among them."""
        kit.on(tabs.on_show_compare, self._show, [self.picker])
        kit.on(self.picker.on_search, self._search, [self.picker])
        for surface in (self.picker, source.surface):
            kit.on(surface.on_add, self._add, [self.picker])
        kit.on(self.picker.on_drop, self._drop, [self.picker])
        kit.on(self.picker.on_compare, self._compare, [self.result])
        kit.on(self.result.on_halt, self._halt)
        kit.on(self.result.on_discuss, self._discuss, self._chat.talk)
        kit.on(self.result.on_source, self._source_of(source), [source.surface])
        source.opens(self.picker)

    def _own(self, visit: Visit) -> Session:
        return self._desk.session(f"{visit.tab} compare")

    def _source_of(self, source: SourcePanel) -> kit.Handler:
        return lambda visit, data: source.cited_html(self._own(visit), data)

    def _chosen(self, visit: Visit) -> list[Paper]:
        found = [self._desk.paper(paper_id) for paper_id in self._own(visit).chosen]
        return [paper for paper in found if paper]

    def _show(self, visit: Visit, data: dict[str, str]) -> str:
        return picker_html(self._chosen(visit), None)

    def _search(self, visit: Visit, data: dict[str, str]) -> str:
        words, library = data.get("words", "").strip(), self._desk.backend.library
        hits = library.search(words, _FOUND) if library and words else []
        return picker_html(self._chosen(visit), [hit.paper for hit in hits], words)

    def choose(self, visit: Visit, ids: list[str]) -> str:
        """Put papers among the chosen ones, as many as fit; returns the picker."""
        chosen = self._own(visit).chosen
        chosen.extend(key for key in ids if key not in chosen and self._desk.paper(key))
        del chosen[MOST:]
        return picker_html(self._chosen(visit), None)

    def _add(self, visit: Visit, data: dict[str, str]) -> str:
        return self.choose(visit, [data.get("paper", "")])

    def _drop(self, visit: Visit, data: dict[str, str]) -> str:
        chosen = self._own(visit).chosen
        if data.get("paper") in chosen:
            chosen.remove(data["paper"])
        return picker_html(self._chosen(visit), None)

    def _compare(self, visit: Visit, data: dict[str, str]) -> Iterator[str]:
        session, papers = self._own(visit), self._chosen(visit)
        if not FEWEST <= len(papers) <= MOST or session.busy:
            return
        session.reset()
        ids, aspect = [paper.paper_id for paper in papers], data.get("aspect", "").strip()

        def asking(chat: ChatLike, stop: Stop) -> Iterator[Event]:
            return chat.compare(ids, aspect, stop=stop)

        question = compare_question(papers, aspect)
        for draft in answer_turn(session, self._desk.backend, question, asking=asking):
            yield result_html(draft_html(draft, 0, place="compare"), finished=False)
        if session.turns:
            drawn = turn_html(session.turns[-1], 0, last=False, place="compare")
            yield result_html(drawn, finished=True)

    def _halt(self, visit: Visit, data: dict[str, str]) -> None:
        self._own(visit).stop.set()

    def _discuss(self, visit: Visit, data: dict[str, str]) -> tuple[Value, ...]:
        compared, talk = self._own(visit), self._desk.session(visit.tab)
        if compared.turns and not talk.busy:
            talk.turns.append(compared.turns[-1])
            self._chat.keep(visit)
        return self._chat.drawn(visit)
