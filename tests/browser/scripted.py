"""A chat and a library whose every answer can be told by hand."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from rag.errors import UnknownPaper
from rag.types import (
    Answer,
    AnswerSentence,
    Cell,
    CellFound,
    Citation,
    Done,
    EntryFound,
    Event,
    Evidence,
    EvidenceFound,
    Hit,
    Paper,
    PaperRef,
    Routed,
    Row,
    Scanned,
    Scope,
    Sentence,
    SentenceDone,
    Skip,
    Source,
    Stop,
    Table,
    Token,
    Vectors,
)
from rag.ui.status_html import Check, ModelLine

Script = Callable[["ScriptedChat", str, Sequence[Answer]], Iterator[Event]]


def make_paper(
    paper_id: str,
    title: str,
    text: str,
    *,
    file: str = "list.txt",
    place: str = "paragraph 1",
    **more: Any,
) -> Paper:
    return Paper(paper_id, text, title, "given", (Source(file, place),), **more)


@dataclass(frozen=True)
class ScriptedProgress:
    done: int
    total: int


@dataclass(frozen=True)
class ScriptedAccount:
    read: int
    added: int
    skipped: tuple[Skip, ...]
    changed: int = 0
    unchanged: int = 0
    duplicate: int = 0
    removed: int = 0


class ScriptedLibrary:
    def __init__(self, papers: Sequence[Paper]) -> None:
        self._papers = {paper.paper_id: paper for paper in papers}

    def papers(self, scope: Scope | None = None) -> tuple[Paper, ...]:
        author = scope.author.lower() if scope and scope.author else ""
        first, last = (scope and scope.years) or (0, 9999)
        return tuple(
            paper
            for paper in self._papers.values()
            if author in " ".join(paper.authors).lower() and first <= (paper.year or 0) <= last
        )

    def count(self) -> int:
        return len(self._papers)

    def collections(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(file for p in self._papers.values() for file in p.files))

    def paper(self, paper_id: str) -> Paper:
        if paper_id not in self._papers:
            raise UnknownPaper(f"no paper has the id {paper_id}")
        return self._papers[paper_id]

    def paper_vectors(self) -> tuple[tuple[Paper, ...], Vectors]:
        return self.papers(), np.eye(len(self._papers), 8, dtype=np.float32)

    def search(self, text: str, k: int = 10, scope: Scope | None = None) -> list[Hit]:
        asked = set(text.lower().split())
        found = [p for p in self._papers.values() if asked & set(p.text.lower().split())]
        return [
            Hit(p, 1.0, 1.0, 1.0, (Evidence(Sentence(p.paper_id, 0, 0, 1, p.text[:1]), 1.0),))
            for p in found[:k]
        ]

    def remove(self, ids: Sequence[str]) -> None:
        for paper_id in ids:
            self._papers.pop(paper_id)

    def index(
        self, paths: Sequence[Path], *, on_progress: Callable[[ScriptedProgress], None]
    ) -> ScriptedAccount:
        """Each paragraph of each file is a paper, named by its first line."""
        parts = [
            (path, part)
            for path in paths
            for part in path.read_text(encoding="utf-8").split("\n\n")
        ]
        for number, (path, part) in enumerate(parts, 1):
            title = part.splitlines()[0]
            paper = make_paper(f"new{number}", title, part, file=path.name)
            self._papers[paper.paper_id] = paper
            on_progress(ScriptedProgress(number, len(parts)))
        skipped = (Skip(paths[0].name, "line <9>", "no <text>"),)
        return ScriptedAccount(read=len(parts) + 1, added=len(parts), skipped=skipped)


class ScriptedMachine:
    """A machine with one good and one bad part, and a model that can be downloaded."""

    def __init__(self) -> None:
        self.installed = False
        self.model = "scripted"

    def facts(self) -> list[tuple[str, str]]:
        return [("Library", "/home/<me>/library, 3 MB")]

    def check(self) -> Iterator[Check]:
        yield Check("embedder", True, "there")
        yield Check("chat model", False, "is cut short", "citewell models pull small")

    def models(self) -> list[ModelLine]:
        return [
            ModelLine("scripted", "chat", 10**9, "Apache-2.0", True, self.model == "scripted"),
            ModelLine("small", "chat", 10**8, "MIT", self.installed, self.model == "small"),
        ]

    def pull(self, name: str, report: Callable[[str], None]) -> None:
        report(f"{name}: 50 of 100 MB")
        self.installed = True
        report(f"{name}: installed")

    def use(self, name: str) -> None:
        self.model = name


def cite(n: int, paper: Paper, quote: str) -> Citation:
    start = paper.text.index(quote)
    return Citation(n, paper.paper_id, paper.title, quote, start, start + len(quote), paper.files)


@dataclass
class ScriptedChat:
    """Answers each question with its script; `pieces` pause seconds apart."""

    scripts: dict[str, Script]
    pause: float = 0.01
    asked: list[tuple[str, list[str]]] = field(default_factory=list)
    scopes: list[Scope | None] = field(default_factory=list)
    compared: list[tuple[tuple[str, ...], str]] = field(default_factory=list)

    def ask(
        self,
        question: str,
        history: Sequence[Answer],
        *,
        scope: Scope | None = None,
        stop: Stop | None = None,
    ) -> Iterator[Event]:
        self.asked.append((question, [answer.question for answer in history]))
        self.scopes.append(scope)
        last = Answer(question, "single", "", abstained=True, reason="not_stated")
        for event in self.scripts[question](self, question, history):
            if isinstance(event, Done):
                last = event.answer
            elif stop is not None and stop.is_set():
                break
            else:
                yield event
        yield Done(last)

    def compare(
        self, paper_ids: Sequence[str], aspect: str = "", *, stop: Stop | None = None
    ) -> Iterator[Event]:
        self.compared.append((tuple(paper_ids), aspect))
        yield from self.scripts["compare"](self, "Compare these papers.", ())

    def pieces(self, sentence: int, text: str) -> Iterator[Event]:
        for start in range(0, len(text), 5):
            time.sleep(self.pause)
            yield Token(sentence, text[start : start + 5])


def says(paper: Paper, *claims: tuple[str, str]) -> Script:
    """A script that writes each claim and cites its quote from the paper."""
    return says_of(*((paper, text, quote) for text, quote in claims))


def says_of(*claims: tuple[Paper, str, str]) -> Script:
    """A script that writes claims about several papers, each citing its quote."""

    def script(chat: ScriptedChat, question: str, history: Sequence[Answer]) -> Iterator[Event]:
        citations = tuple(cite(n, paper, quote) for n, (paper, _, quote) in enumerate(claims, 1))
        yield Routed("single", question)
        yield EvidenceFound(citations)
        sentences = []
        for index, (_, text, _quote) in enumerate(claims):
            yield from chat.pieces(index, text)
            sentence = AnswerSentence(text, (index + 1,), "supported")
            yield SentenceDone(index, sentence, citations[index : index + 1])
            sentences.append(sentence)
        text = " ".join(f"{s.text} [{s.citations[0]}]" for s in sentences)
        yield Done(
            Answer(question, "single", text, sentences=tuple(sentences), citations=citations)
        )

    return script


def refuses(*nearest: Paper) -> Script:
    """A script that finds nothing and names the nearest papers."""

    def script(chat: ScriptedChat, question: str, history: Sequence[Answer]) -> Iterator[Event]:
        yield Routed("single", question)
        yield EvidenceFound(())
        references = tuple(PaperRef(paper.paper_id, paper.title) for paper in nearest)
        yield Done(
            Answer(
                question, "single", "", abstained=True, reason="not_in_library", nearest=references
            )
        )

    return script


def prefills(seconds: float) -> Script:
    """A script that reads for a long time before its first word, a step at a time."""

    def script(chat: ScriptedChat, question: str, history: Sequence[Answer]) -> Iterator[Event]:
        yield Routed("single", question)
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            time.sleep(0.02)
            yield Token(0, "")
        yield from chat.pieces(0, "Too late.")

    return script


def compares(*papers: tuple[Paper, str]) -> Script:
    """A script that fills a table with one quote a paper and leaves a second column empty."""

    def script(chat: ScriptedChat, question: str, history: Sequence[Answer]) -> Iterator[Event]:
        yield Routed("compare", question)
        rows, citations = [], []
        for n, (paper, quote) in enumerate(papers, 1):
            citations.append(cite(n, paper, quote))
            cells = (Cell(quote, (n,)), Cell("not stated in the abstract"))
            time.sleep(chat.pause)
            yield CellFound(paper.paper_id, paper.title, "problem", cells[0], (citations[-1],))
            yield CellFound(paper.paper_id, paper.title, "code", cells[1], ())
            rows.append(Row(paper.paper_id, cells))
        table = Table(("problem", "code"), tuple(rows))
        yield Done(Answer(question, "compare", "", citations=tuple(citations), table=table))

    return script


def lists(*papers: tuple[Paper, str]) -> Script:
    """A script that scans ten papers and finds these, one after the other."""

    def script(chat: ScriptedChat, question: str, history: Sequence[Answer]) -> Iterator[Event]:
        yield Routed("list", question)
        entries, citations = [], []
        for n, (paper, quote) in enumerate(papers, 1):
            citations.append(cite(n, paper, quote))
            entries.append(PaperRef(paper.paper_id, paper.title, (n,)))
            yield Scanned(n * 10 // len(papers), 10)
            yield EntryFound(entries[-1], (citations[-1],))
            time.sleep(chat.pause)
        yield Done(
            Answer(
                question,
                "list",
                f"{len(entries)} papers.",
                citations=tuple(citations),
                entries=tuple(entries),
                scanned=(10, 10),
                judged=10,
            )
        )

    return script
