"""The Library tab: add papers, look through them, take them out, export them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rag.errors import CitewellError
from rag.export import bibtex, csv_table, reference_list
from rag.text import fold
from rag.types import Paper, Scope
from rag.ui import kit
from rag.ui.chat_tab import ChatTab, scope_of
from rag.ui.compare_tab import CompareTab
from rag.ui.desk import Desk
from rag.ui.download_html import download_html
from rag.ui.imports import keep_files, keep_text, run_import
from rag.ui.kit import Component, Value, Visit
from rag.ui.library_html import PAGE, failure_html, paste_html, table_html
from rag.ui.source_tab import SourcePanel

ENDINGS = (
    ".txt", ".md", ".bib", ".ris", ".nbib", ".csv", ".tsv", ".json", ".jsonl", ".xml", ".enw",
    ".ciw", ".pdf", ".gz",
)  # fmt: skip


class LibraryTab:
    """Draws the tab and answers what is done in it."""

    def __init__(self, desk: Desk, chat: ChatTab, compare: CompareTab) -> None:
        self._desk, self._chat, self._compare = desk, chat, compare
        self._files = kit.drop_zone("drop", ENDINGS)
        self._paste = kit.surface("paste", paste_html(), events=["paste"])
        self._account = kit.surface("account")
        self._table = kit.surface("papers", events=["filter", "page", "act", "paper"])
        self._download = kit.surface("library-download")

    def listen(self, source: SourcePanel, tabs: Component, facts: Component) -> None:
        """Answer events; `facts` shows the number of papers."""
        changed = [self._account, self._table, facts]
        kit.on(tabs.on_show_library, self._show, [self._table])
        kit.on(self._files.upload, self._add_files, [*changed, self._files], [self._files])
        kit.on(self._paste.on_paste, self._add_text, changed)
        for event in (self._table.on_filter, self._table.on_page):
            kit.on(event, self._turn_page, [self._table])
        self.acted = [*changed, self._download, self._chat.scope, self._compare.picker]
        kit.on(self._table.on_act, self.act, self.acted)
        source.opens(self._table)

    # ------------------------------------------------------------ adding

    def _add_files(
        self, visit: Visit, data: dict[str, str], uploads: Sequence[str] | None
    ) -> Iterator[tuple[Value, ...]]:
        if not uploads:
            return
        try:
            paths = keep_files(uploads, self._desk.imports, ENDINGS)
        except CitewellError as error:
            yield failure_html(str(error)), kit.skip(), kit.skip(), None
            return
        for drawn in run_import(self._desk.index, paths):
            yield drawn, kit.skip(), kit.skip(), kit.skip()
        yield kit.skip(), self._table_html(visit), self._desk.facts_html(), None

    def _add_text(self, visit: Visit, data: dict[str, str]) -> Iterator[tuple[Value, ...]]:
        try:
            paths = keep_text(data.get("text", ""), self._desk.imports)
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
        session, papers = self._desk.session(visit.tab), self._fitting(visit)
        shown = papers[session.page * PAGE : (session.page + 1) * PAGE]
        files = self._desk.backend.files()
        return table_html(shown, len(papers), session.page, session.asked, files)

    def _fitting(self, visit: Visit) -> list[Paper]:
        asked, library = self._desk.session(visit.tab).asked, self._desk.backend.library
        papers = library.papers(scope_of(asked)) if library else ()
        words = fold(asked.get("words", "")).split()
        return [paper for paper in papers if all(word in _searched(paper) for word in words)]

    # ------------------------------------------------------------ acting

    def act(self, visit: Visit, data: dict[str, str]) -> tuple[Value, ...]:
        """Do something with the papers chosen, or with all that are shown; values for `acted`."""
        ids = data.get("paper", "").split("\n") if data.get("paper") else []
        papers = [p for p in map(self._desk.paper, ids) if p] if ids else self._fitting(visit)
        account, table, facts, file, scope, picker = (kit.skip(),) * 6
        match data.get("do"):
            case "ask":
                chosen = Scope(paper_ids=frozenset(paper.paper_id for paper in papers))
                everything = not ids and not any(self._desk.session(visit.tab).asked.values())
                scope = self._chat.narrow_to(visit, Scope() if everything else chosen)
            case "compare":
                picker = self._compare.choose(visit, [paper.paper_id for paper in papers])
            case "remove":
                account = self._remove([paper.paper_id for paper in papers] if ids else [])
                table, facts = self._table_html(visit), self._desk.facts_html()
            case "bibtex":
                file = download_html("library.bib", bibtex(papers))
            case "markdown":
                file = download_html("library.md", reference_list(papers))
            case "csv":
                file = download_html("library.csv", csv_table(papers))
        return account, table, facts, file, scope, picker

    def _remove(self, ids: Sequence[str]) -> str:
        if not ids:
            return failure_html("Choose the papers to remove.")
        try:
            self._desk.remove(ids)
        except CitewellError as error:
            return failure_html(str(error))
        papers = "1 paper" if len(ids) == 1 else f"{len(ids):,} papers"
        return f'<p class="account" role="status">{papers} removed.</p>'


def _searched(paper: Paper) -> str:
    parts = (paper.title, " ".join(paper.authors), paper.venue or "", paper.text)
    return fold(" ".join(parts))
