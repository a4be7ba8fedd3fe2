"""A chat and a library whose every answer can be told by hand."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from rag.errors import UnknownPaper
from rag.types import (
    Answer,
    AnswerSentence,
    Citation,
    Done,
    Event,
    Evidence,
    EvidenceFound,
    Hit,
    Paper,
    PaperRef,
    Routed,
    Scope,
    Sentence,
    SentenceDone,
    Source,
    Stop,
    Token,
)

Script = Callable[["ScriptedChat", str, Sequence[Answer]], Iterator[Event]]


def make_paper(
    paper_id: str, title: str, text: str, *, file: str = "list.txt", place: str = "paragraph 1"
) -> Paper:
    return Paper(paper_id, text, title, "given", (Source(file, place),))


class ScriptedLibrary:
    def __init__(self, papers: Sequence[Paper]) -> None:
        self._papers = {paper.paper_id: paper for paper in papers}

    def papers(self, scope: Scope | None = None) -> tuple[Paper, ...]:
        return tuple(self._papers.values())

    def count(self) -> int:
        return len(self._papers)

    def collections(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(file for p in self._papers.values() for file in p.files))

    def paper(self, paper_id: str) -> Paper:
        if paper_id not in self._papers:
            raise UnknownPaper(f"no paper has the id {paper_id}")
        return self._papers[paper_id]

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
