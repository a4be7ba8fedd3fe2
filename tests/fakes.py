"""A library and a model whose every move can be told by hand."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from rag.answer.draft import Draft
from rag.answer.facts import STOP, content
from rag.answer.prompt import Prompts
from rag.answer.read import Reader
from rag.answer.turn import Turn
from rag.errors import Stopped, UnknownPaper
from rag.resources import prompts_dir
from rag.text import clean, split_sentences, stems
from rag.types import (
    Answer,
    Done,
    Event,
    Evidence,
    Hit,
    Paper,
    Prompt,
    Scope,
    Sentence,
    Source,
    Stop,
    Usage,
    Vectors,
)

WIDTH = 1024
EVERYTHING = Scope()


def make_paper(
    paper_id: str, title: str, text: str, *, source: str = "given", **more: Any
) -> Paper:
    return Paper(paper_id, text, title, source, (Source("list.txt", "paragraph 1"),), **more)


def sentences_of(paper: Paper) -> tuple[Sentence, ...]:
    spans = enumerate(split_sentences(paper.text))
    return tuple(Sentence(paper.paper_id, i, a, b, paper.text[a:b]) for i, (a, b) in spans)


class WordEmbedder:
    """One dimension a word stem, so a similarity is the part of telling words shared."""

    name, dimension, max_tokens = "words", WIDTH, 256

    def __init__(self) -> None:
        self._places: dict[str, int] = {}

    def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = np.zeros((len(texts), WIDTH), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for stem in set(stems(text)) - STOP:
                row[self._places.setdefault(stem, len(self._places))] = 1.0
            row /= max(float(np.linalg.norm(row)), 1e-9)
        return vectors


class Shelf:
    """A `rag.types.Papers` in memory; papers rank by their nearest sentence or title."""

    def __init__(self, *papers: Paper) -> None:
        self._papers = {paper.paper_id: paper for paper in papers}
        self._embedder = WordEmbedder()

    def remove(self, paper_id: str) -> None:
        del self._papers[paper_id]

    def papers(self, scope: Scope = EVERYTHING) -> tuple[Paper, ...]:
        wanted = scope.paper_ids
        return tuple(p for p in self._papers.values() if wanted is None or p.paper_id in wanted)

    def paper(self, paper_id: str) -> Paper:
        if paper_id not in self._papers:
            raise UnknownPaper(f"No paper has the id {paper_id}.")
        return self._papers[paper_id]

    def sentences(self, paper_id: str) -> tuple[Sentence, ...]:
        return sentences_of(self.paper(paper_id))

    def sentence_vectors(self, paper_id: str) -> Vectors:
        return self.embed([s.text for s in self.sentences(paper_id)])

    def paper_vectors(self, scope: Scope = EVERYTHING) -> tuple[tuple[Paper, ...], Vectors]:
        papers = self.papers(scope)
        return papers, self.embed([f"{paper.title}. {paper.text}" for paper in papers])

    def embed(self, texts: Sequence[str]) -> Vectors:
        return self._embedder.embed([clean(text) for text in texts])

    def collections(self) -> tuple[str, ...]:
        return ("list.txt",)

    def search(
        self, text: str, k: int = 5, scope: Scope = EVERYTHING, *, evidence: bool = True
    ) -> list[Hit]:
        hits = [self._hit(text, paper) for paper in self.papers(scope)]
        return sorted(hits, key=lambda hit: -hit.score)[:k]

    def _hit(self, text: str, paper: Paper) -> Hit:
        query = self.embed([text])[0]
        scores = self.sentence_vectors(paper.paper_id) @ query
        best = float(max([*scores, float(self.embed([paper.title])[0] @ query)]))
        order = sorted(range(len(scores)), key=lambda i: -scores[i])
        found = self.sentences(paper.paper_id)
        evidence = tuple(Evidence(found[i], float(scores[i])) for i in order)
        return Hit(paper, best, best, best, evidence)


class ScriptedModel:
    """A `rag.types.LanguageModel` that says what it is told, a few characters at a time.

    `answer` and `margin` are the value itself, a function of the prompt, or values by a part
    of the prompt's document or task, the first that occurs. `prompts` records each call.
    """

    name = "scripted"

    def __init__(
        self,
        answer: str | Mapping[str, str] | Callable[[Prompt], str] = "Not stated.",
        margin: float | Mapping[str, float] | Callable[[Prompt], float] = 9.0,
        *,
        can_judge: bool = True,
        context_tokens: int = 4096,
        piece: int = 3,
        on_piece: Callable[[int], None] = lambda count: None,
    ) -> None:
        self.can_judge = can_judge
        self.context_tokens = context_tokens
        self.prompts: list[Prompt] = []
        self._answer, self._margin = answer, margin
        self._piece, self._on_piece = piece, on_piece
        self._usage = Usage(0, 0, 0)

    def write(self, prompt: Prompt, *, limit: int, stop: Stop | None = None) -> Iterator[str]:
        self._note(prompt)
        text = str(_pick(self._answer, prompt, "Not stated."))
        for count, start in enumerate(range(0, len(text), self._piece)):
            if stop is not None and stop.is_set():
                raise Stopped("Stopped.")
            old = self._usage
            self._usage = Usage(old.prompt_tokens, old.cached_tokens, old.completion_tokens + 1)
            yield text[start : start + self._piece]
            self._on_piece(count)

    def margin(self, prompt: Prompt, *, stop: Stop | None = None) -> float:
        if stop is not None and stop.is_set():
            raise Stopped("Stopped.")
        self._note(prompt)
        return float(_pick(self._margin, prompt, -9.0))

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def usage(self) -> Usage:
        return self._usage

    def _note(self, prompt: Prompt) -> None:
        self.prompts.append(prompt)
        old = self._usage
        size = self.count_tokens(f"{prompt.system} {prompt.document} {prompt.task}")
        self._usage = Usage(old.prompt_tokens + size, old.cached_tokens, old.completion_tokens)


def _pick(choice: Any, prompt: Prompt, default: Any) -> Any:
    if callable(choice):
        return choice(prompt)
    if isinstance(choice, Mapping):
        whole = f"{prompt.document}\n{prompt.task}"
        return next((value for part, value in choice.items() if part in whole), default)
    return choice


def best_sentence(prompt: Prompt) -> str:
    """The sentence of the document that shares most words with the task."""
    text = prompt.document.partition("Abstract:\n")[2]
    spans = [text[a:b] for a, b in split_sentences(text)]
    return max(spans, key=lambda s: len(content(s) & content(prompt.task)), default="")


def shares(prompt: Prompt) -> float:
    """Yes where the document holds most of the words that the task's question asks about."""
    found = re.search(r'question "(.*)"|^Question: (.*)$', prompt.task, re.M)
    asked = content((found[1] or found[2]) if found else prompt.task)
    return 6.0 if len(asked & content(prompt.document)) >= 0.5 * len(asked) else -6.0


def by_words(**more: Any) -> ScriptedModel:
    """A model that reads and judges as well as shared words allow."""
    return ScriptedModel(best_sentence, shares, **more)


def make_turn(question: str, shelf: Any, model: ScriptedModel | None = None) -> Turn:
    """A turn as the chat makes it, over the real prompts."""
    model = model or ScriptedModel()
    reader = Reader(model, Prompts(prompts_dir()))
    return Turn(question, shelf, reader, Draft(question, "single", model))


def finished(events: Iterator[Event]) -> tuple[list[Event], Answer]:
    """All events of a turn, and the answer of the last one."""
    got = list(events)
    assert isinstance(got[-1], Done)
    return got, got[-1].answer
