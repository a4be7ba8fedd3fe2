"""The Library tab: add papers, look through them, take them out, export them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rag.errors import CitewellError
from rag.export import bibtex, csv_table, reference_list
from rag.types import Paper, Scope
from rag.ui import kit
from rag.ui.chat_tab import ChatTab, scope_of
from rag.ui.compare_tab import CompareTab
from rag.ui.desk import Desk
from rag.ui.download_html import download_html
from rag.ui.imports import keep_files, keep_text, run_import
from rag.ui.kit import Component, Value, Visit
from rag.ui.library_html import PAGE, done_html, failure_html, paste_html, table_html
from rag.ui.shelf_tab import Libraries, ShelfPanel
from rag.ui.source_tab import SourcePanel

ENDINGS = (
    ".txt", ".md", ".bib", ".ris", ".nbib", ".csv", ".tsv", ".json", ".jsonl", ".xml", ".enw",
    ".ciw", ".pdf", ".gz",
)  # fmt: skip
_WRITERS: dict[str, tuple[str, Callable[[Sequence[Paper]], str]]] = {
    "bibtex": ("library.bib", bibtex),
    "markdown": ("library.md", reference_list),
    "csv": ("library.csv", csv_table),
}


class LibraryTab:
    """Draws the tab and answers what is done in it."""

    def __init__(
        self, desk: Desk, libraries: Libraries, chat: ChatTab, compare: CompareTab
    ) -> None:
        self._desk, self._chat, self._compare = desk, chat, compare
        self._shelf = ShelfPanel(desk, libraries)
        self._files = kit.drop_zone("drop", ENDINGS)
        self._paste = kit.surface("paste", paste_html(), events=["paste"])
        self._account = kit.surface("account")
        self._table = kit.surface("papers", events=["filter", "page", "act", "paper"])
        self._download = kit.surface("library-download")

    def listen(
        self, source: SourcePanel, tabs: Component, facts: Component, timer: Component
    ) -> None:
        """Answer events; `facts` shows the number of papers, `timer` follows the loading."""
        shown = [self._account, self._table, facts, self._compare.picker, *self._chat.opening]
        self._shelf.listen(tabs, [*shown, timer], self._redraw)
        changed = [self._account, self._table, facts]
        kit.on(tabs.on_show_library, self._show, [self._table])
        kit.on(self._files.upload, self._add_files, [*changed, self._files], [self._files])
        kit.on(self._paste.on_paste, self._add_text, changed)
        for event in (self._table.on_filter, self._table.on_page):
            kit.on(event, self._turn_page, [self._table])
        self.acted = [*changed, self._download, self._chat.scope, self._compare.picker]
        kit.on(self._table.on_act, self.act, self.acted)
        source.opens(self._table)

    def _redraw(self, visit: Visit) -> tuple[Value, ...]:
        picker = self._compare.choose(visit, [])
        table, facts = self._table_html(visit), self._desk.facts_html()
        return "", table, facts, picker, *self._chat.reopened(visit), kit.active_if(True)

    # ------------------------------------------------------------ adding

    def _add_files(
        self, visit: Visit, data: dict[str, str], uploads: Sequence[str] | None
    ) -> Iterator[tuple[Value, ...]]:
        if not uploads:
            return
        try:
            paths = keep_files(uploads, self._desk.imports(), ENDINGS)
        except CitewellError as error:
            yield failure_html(str(error)), kit.skip(), kit.skip(), None
            return
        for drawn in run_import(self._desk.index, paths):
            yield drawn, kit.skip(), kit.skip(), kit.skip()
        yield kit.skip(), self._table_html(visit), self._desk.facts_html(), None

    def _add_text(self, visit: Visit, data: dict[str, str]) -> Iterator[tuple[Value, ...]]:
        try:
            paths = keep_text(data.get("text", ""), self._desk.imports())
        except CitewellError as error:
            yield failure_html(str(error)), kit.skip(), kit.skip()
            return
        for drawn in run_import(self._desk.index, paths):
            yield drawn, kit.skip(), kit.skip()
        yield kit.skip(), self._table_html(visit), self._desk.facts_html()

    # ------------------------------------------------------------ looking through

    def _show(self, visit: Visit, data: dict[str, str]) -> str:
        return self._table_html(visit)

    def _turn_page(self, visit: Visit, data: dict[str, str]) -> str:
        session = self._desk.session(visit.tab)
        if "page" in data:
            session.page = max(0, int(data["page"])) if data["page"].isdecimal() else 0
        else:
            session.asked, session.page = data, 0
        return self._table_html(visit)

    def _table_html(self, visit: Visit) -> str:
        session, backend = self._desk.session(visit.tab), self._desk.backend
        total, papers = self._fitting(visit, session.page * PAGE, PAGE)
        if total and not papers:
            session.page = 0
            total, papers = self._fitting(visit, 0, PAGE)
        return table_html(papers, total, session.page, session.asked, backend.files(), backend.name)

    def _fitting(
        self, visit: Visit, first: int = 0, count: int | None = None
    ) -> tuple[int, tuple[Paper, ...]]:
        asked, library = self._desk.session(visit.tab).asked, self._desk.backend.library
        if library is None:
            return 0, ()
        return library.listed(scope_of(asked), asked.get("words", ""), first, count)

    # ------------------------------------------------------------ acting

    def act(self, visit: Visit, data: dict[str, str]) -> tuple[Value, ...]:
        """Do something with the papers chosen, or with all that are shown; values for `acted`."""
        ids = data.get("paper", "").split("\n") if data.get("paper") else []
        if data.get("library", self._desk.backend.name) != self._desk.backend.name:
            other = failure_html("Another library was opened meanwhile. This is it now.")
            return other, self._table_html(visit), *(kit.skip(),) * 4
        papers = [p for p in map(self._desk.paper, ids) if p]
        account, table, facts, file, scope, picker = (kit.skip(),) * 6
        match data.get("do"):
            case "ask":
                scope = self._chat.narrow_to(visit, self._scope(visit, ids))
            case "compare":
                picker = self._compare.choose(visit, [paper.paper_id for paper in papers])
            case "remove":
                account = self._remove([paper.paper_id for paper in papers] if ids else [])
                table, facts = self._table_html(visit), self._desk.facts_html()
            case "bibtex" | "markdown" | "csv" as kind:
                name, write = _WRITERS[kind]
                file = download_html(name, write(papers if ids else self._fitting(visit)[1]))
        return account, table, facts, file, scope, picker

    def _scope(self, visit: Visit, ids: Sequence[str]) -> Scope:
        """The papers chosen, or all that the table shows, by its filters where they can say it."""
        asked = self._desk.session(visit.tab).asked
        if ids:
            return Scope(paper_ids=frozenset(ids))
        if not asked.get("words", "").strip():
            return scope_of(asked)
        return Scope(paper_ids=frozenset(paper.paper_id for paper in self._fitting(visit)[1]))

    def _remove(self, ids: Sequence[str]) -> str:
        if not ids:
            return failure_html("Choose the papers to remove.")
        try:
            self._desk.remove(ids)
        except CitewellError as error:
            return failure_html(str(error))
        papers = "1 paper" if len(ids) == 1 else f"{len(ids):,} papers"
        return done_html(f"{papers} removed.")
