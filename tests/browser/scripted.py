"""A chat and a library whose every answer can be told by hand."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count as counter
from pathlib import Path
from threading import Event as Flag
from typing import Any

import numpy as np

from rag.errors import LibraryBusy, UnknownPaper, UsageError
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
    Length,
    Paper,
    PaperRef,
    Queued,
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
from rag.ui.backend import Backend, LibraryLike
from rag.ui.status_html import Check, ModelLine

# One for all, so that a library that is set back to what it was counts as changed.
_CHANGES = counter()
MAIN = "Main library"
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
        self._changes = next(_CHANGES)
        self.closed = False
        self.pause = 0.0

    def papers(self, scope: Scope | None = None) -> tuple[Paper, ...]:
        author = scope.author.lower() if scope and scope.author else ""
        first, last = (scope and scope.years) or (0, 9999)
        return tuple(
            paper
            for paper in self._papers.values()
            if author in " ".join(paper.authors).lower() and first <= (paper.year or 0) <= last
        )

    def listed(
        self,
        scope: Scope | None = None,
        words: str = "",
        first: int = 0,
        count: int | None = None,
    ) -> tuple[int, tuple[Paper, ...]]:
        found = [
            paper
            for paper in self.papers(scope)
            if all(word in f"{paper.title} {paper.text}".lower() for word in words.split())
        ]
        return len(found), tuple(found[first : None if count is None else first + count])

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
        self._changes = next(_CHANGES)
        for paper_id in ids:
            self._papers.pop(paper_id)

    def generation(self) -> int:
        return self._changes

    def close(self) -> None:
        self.closed = True

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
            self._changes = next(_CHANGES)
            on_progress(ScriptedProgress(number, len(parts)))
            time.sleep(self.pause)
        skipped = (Skip(paths[0].name, "line <9>", "no <text>"),)
        return ScriptedAccount(read=len(parts) + 1, added=len(parts), skipped=skipped)


class ScriptedMachine:
    """A machine with one good and one bad part, a model to download, and libraries."""

    def __init__(self, backend: Backend) -> None:
        self.installed = False
        self.model = "scripted"
        self._backend = backend
        self._libraries: dict[str, LibraryLike | None] = {MAIN: None}
        self._current = MAIN

    def libraries(self) -> tuple[tuple[str, ...], str, str]:
        return tuple(self._libraries), self._current, MAIN

    def open_library(self, name: str) -> None:
        chat = self._backend.chat(Flag())
        if self._current == MAIN:
            self._libraries[MAIN] = self._backend.library
        self._backend.change_library(
            "" if name == MAIN else name, lambda: self._libraries[name], lambda _: chat
        )
        self._current = name

    def create_library(self, name: str) -> None:
        if "/" in name:
            raise UsageError("Begin the name with a letter.")
        self._libraries[name] = ScriptedLibrary(())
        try:
            self.open_library(name)
        except LibraryBusy:
            del self._libraries[name]
            raise

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
    lengths: list[Length] = field(default_factory=list)
    compared: list[tuple[tuple[str, ...], str]] = field(default_factory=list)
    running: int = 0

    def busy(self) -> bool:
        return self.running > 0

    def close(self) -> None:
        pass

    def ask(
        self,
        question: str,
        history: Sequence[Answer],
        *,
        scope: Scope | None = None,
        length: Length = "normal",
        stop: Stop | None = None,
    ) -> Iterator[Event]:
        self.asked.append((question, [answer.question for answer in history]))
        self.scopes.append(scope)
        self.lengths.append(length)
        last = Answer(question, "single", "", abstained=True, reason="not_stated")
        self.running += 1
        try:
            for event in self.scripts[question](self, question, history):
                if isinstance(event, Done):
                    last = event.answer
                elif stop is not None and stop.is_set():
                    break
                else:
                    yield event
        finally:
            self.running -= 1
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


def waits(position: int, then: Script) -> Script:
    """A script of a question that comes after others."""

    def script(chat: ScriptedChat, question: str, history: Sequence[Answer]) -> Iterator[Event]:
        yield Queued(position)
        time.sleep(chat.pause * 50)
        yield from then(chat, question, history)

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
            yield Scanned(n * 10 // len(papers), 10, tuple(entries))
            time.sleep(chat.pause)
        for entry, citation in zip(entries, citations, strict=True):
            yield EntryFound(entry, (citation,))
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
