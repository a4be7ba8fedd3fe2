"""What one turn works with, shared by all kinds of answers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field

from rag.answer.attribute import Claim, Support, support
from rag.answer.draft import Draft
from rag.answer.evidence import figure_elsewhere
from rag.answer.facts import content, digits, names
from rag.answer.read import Reader, is_refusal
from rag.text import clean, split_sentences
from rag.types import (
    AnswerSentence,
    Citation,
    Event,
    EvidenceFound,
    Hit,
    Length,
    Paper,
    PaperRef,
    Papers,
    Scope,
    Sentence,
    Token,
)

MAX_WORDS = 80
"""An answer to a single question has at most so many words."""

WORDS: dict[Length, int] = {"short": 45, "normal": MAX_WORDS, "long": 2 * MAX_WORDS}
"""The same by the length that was asked for. The figures of the benchmarks are for normal ones;
what a long answer has more is quoted from the abstract."""

LEFT_OUT = 0.85
"""Part of the best relevance from which a sentence that nothing cites is quoted as well."""

SHARED_WEIGHT, BACKGROUND = 0.5, 0.12
"""Weights of shared words, and of standing before the authors speak of their own work. They
bring the evidence of 33 of 53 dev turns to the first place (27 without the second)."""

PASSED_BY = 0.3
"""Part of a question's words that must be left open before a sentence with them is quoted."""

_OWN = re.compile(r"\b(?:we|our|this (?:paper|work|study))\b", re.I)
_HELD_WORDS, _LEAST_HELD = 12, 4
"""Words held back until it is clear that the model does not refuse: the first number where
what it says so far may be the beginning of a refusal, else the second."""

_MAY_REFUSE = re.compile(
    r"\b(?:abstract|paper|text|context|passage|information|study|authors?|not|no|cannot|sorry|"
    r"unfortunately|it|there|i)\b|n['’]t\b",
    re.I,
)


@dataclass
class Turn:
    """One question on its way to an answer.

    `question` is in English, with what history adds; `draft.question` is as it was asked.
    """

    question: str
    library: Papers
    reader: Reader
    draft: Draft
    scope: Scope = field(default_factory=Scope)
    language: str | None = None
    length: Length = "normal"
    _room: int = field(init=False)
    _spent: int = 0

    def __post_init__(self) -> None:
        self._room = WORDS[self.length]

    def restart(self, words: int) -> None:
        """Give the sentences that follow room for so many words; the first is always said."""
        self._room, self._spent = words, 0

    def search(self, text: str, k: int = 5, *, evidence: bool = False) -> list[Hit]:
        """The best papers in scope for a text; with `evidence`, their best sentences too."""
        return self.library.search(text, k, self.scope, evidence=evidence)

    def sentences(self, paper: Paper) -> tuple[Sentence, ...]:
        """The sentences of a paper, in order."""
        return self.library.sentences(paper.paper_id)

    def similarities(self, text: str, paper: Paper) -> list[float]:
        """Cosine similarity of each sentence of a paper to a text."""
        vectors = self.library.sentence_vectors(paper.paper_id)
        return [float(v) for v in vectors @ self.library.embed([text])[0]]

    def relevance(self, text: str, paper: Paper, background: float = BACKGROUND) -> list[float]:
        """How well each sentence fits a question: meaning, shared words, less for background."""
        sentences = [clean(s.text) for s in self.sentences(paper)]
        asked = content(text)
        shared = [len(asked & content(s)) / max(len(asked), 1) for s in sentences]
        own = next((i for i, s in enumerate(sentences) if _OWN.search(s)), 0)
        return [
            meaning + SHARED_WEIGHT * words - (background if i < own else 0.0)
            for i, (meaning, words) in enumerate(
                zip(self.similarities(text, paper), shared, strict=True)
            )
        ]

    def best_sentence(self, text: str, paper: Paper) -> Sentence | None:
        """The sentence that fits a question best; None where there is no abstract."""
        return next(iter(self.best_sentences(text, paper, 1)), None)

    def best_sentences(self, text: str, paper: Paper, count: int) -> list[Sentence]:
        """The sentences that fit a question best, best first."""
        scores = self.relevance(text, paper)
        order = sorted(range(len(scores)), key=lambda i: -scores[i])
        return [self.sentences(paper)[i] for i in order[:count]]

    def left_out(self, text: str, paper: Paper, said: Sequence[AnswerSentence]) -> Sentence | None:
        """The best sentence that nothing said cites, if it fits nearly as well as the best."""
        cited = self._cited(said)
        scores = self.relevance(text, paper)
        free = [i for i, s in enumerate(self.sentences(paper)) if s.start not in cited]
        best = max(free, key=lambda i: scores[i], default=None)
        if best is None or scores[best] < LEFT_OUT * max(scores):
            return None
        return self.sentences(paper)[best]

    def _cited(self, said: Sequence[AnswerSentence]) -> set[int]:
        """Where the sentences start that what was said cites."""
        used = {n for s in said for n in s.citations}
        return {c.start for c in self.draft.citations if c.n in used}

    def passed_by(self, text: str, paper: Paper, said: Sequence[AnswerSentence]) -> Sentence | None:
        """The sentence with words of a question that nothing cited has, if they are many."""
        sentences = self.sentences(paper)
        held = [content(clean(s.text)) for s in sentences]
        cited = self._cited(said)
        covered = {
            w for s, own in zip(sentences, held, strict=True) if s.start in cited for w in own
        }
        asked = content(text)
        left = {w for w in asked - covered if any(w in own for own in held)}
        if not left or len(left) < max(PASSED_BY * len(asked), 1):
            return None
        scores = self.relevance(text, paper)
        best = max(range(len(held)), key=lambda i: (len(left & held[i]), scores[i]))
        return sentences[best] if sentences[best].start not in cited else None

    def uncited(self, sentences: Sequence[Sentence], paper: Paper) -> list[Sentence]:
        """Those sentences of a paper that nothing said so far cites."""
        cited = {c.start for c in self.draft.citations if c.paper_id == paper.paper_id}
        return [sentence for sentence in sentences if sentence.start not in cited]

    def check(self, text: str, paper: Paper) -> Support:
        """Which sentences of a paper support a text."""
        claim = Claim.of(text, self.library.embed([text])[0], self.question)
        vectors = self.library.sentence_vectors(paper.paper_id)
        plain = [s.text for s in self.sentences(paper)]
        return support(claim, plain, vectors, title=paper.title)

    def show_evidence(self, citations: Sequence[Citation]) -> EvidenceFound:
        """Show sentences before the model starts, and note when."""
        if self.draft.evidence_s is None:
            self.draft.evidence_s = self.draft.elapsed()
        return EvidenceFound(tuple(citations))

    def shown(self) -> list[AnswerSentence]:
        """The sentences so far that are not folded."""
        return [s for s in self.draft.sentences if s.verdict != "unsupported"]

    # ------------------------------------------------------------ prose

    def tell(self, paper: Paper, task: str, *, lead: str = "", **values: str) -> Iterator[Event]:
        """Stream the model's prose about a paper, each sentence checked as it ends.

        Nothing is shown of a refusal. Sentences past MAX_WORDS are left out.
        """
        shown = ""
        base = len(self.draft.sentences)
        finished = 0
        text = ""
        for text in self.reader.write(paper, task, **values):
            spans = split_sentences(text)
            if finished == 0 and ((_undecided(text) and len(spans) < 2) or is_refusal(text)):
                continue
            self.draft.first_token()
            if text.startswith(shown):
                yield Token(base + max(len(spans) - 1, 0), text[len(shown) :])
            shown = text
            while finished < len(spans) - 1:
                start, end = spans[finished]
                yield from self.conclude(text[start:end], paper, lead if finished == 0 else "")
                finished += 1
        for start, end in split_sentences(text)[finished:]:
            if not is_refusal(text[start:end]):
                self.draft.first_token()
                yield from self.conclude(text[start:end], paper, lead if finished == 0 else "")
            finished += 1

    def conclude(self, text: str, paper: Paper, lead: str = "") -> Iterator[Event]:
        """Check a finished sentence; correct it to the quoted source, keep it or fold it."""
        elsewhere = figure_elsewhere(text, self.question, self.sentences(paper))
        if elsewhere is not None:
            yield from self.quote(self.sentences(paper)[elsewhere], paper, lead)
            return
        if any(lead + text == said.text for said in self.draft.sentences):
            return
        found = self.check(text, paper)
        held = self.sentences(paper)
        room = self._room - self._kept_free(paper, {held[i].start for i in found.sentences})
        if self._spent and self._spent + len(text.split()) > room:
            return
        if found.verdict == "unsupported" or len(text.split()) > self._room or loops(text):
            yield self.draft.say(text, (), "unsupported")
            return
        numbers = tuple(self.draft.cite_sentence(paper, held[i]) for i in found.sentences)
        self._spent += len(text.split())
        own = self.translated(text, self.language) if self.language else ""
        shown = f"{own} (“{text}”)" if own else text
        yield self.draft.say(lead + shown, numbers, found.verdict)

    def _kept_free(self, paper: Paper, now: Set[int]) -> int:
        """Words kept for the sentence that fits the question best, until prose has cited it.

        `now` says where the sentences start that the next sentence of prose will cite.
        """
        best = self.best_sentence(self.question, paper)
        if best is None or best.start in now | self._cited(self.draft.sentences):
            return 0
        return len(best.text.split())

    def translated(self, text: str, language: str) -> str:
        """The text in a language; empty where the translation loses a figure or a name."""
        own = self.reader.alone("render", text=text, language=language)
        kept = digits(text) == digits(own) and names(text) <= names(own)
        return own if kept else ""

    def quote(self, sentence: Sentence | None, paper: Paper, lead: str = "") -> Iterator[Event]:
        """Answer with the words of the abstract themselves, where there is room for them."""
        if sentence is None:
            return
        length = len(sentence.text.split())
        if self._spent and self._spent + length > self._room:
            return
        self._spent += length
        number = self.draft.cite_sentence(paper, sentence)
        yield self.draft.say(f"{lead}“{quotable(sentence.text)}”", (number,), "supported")


def _undecided(text: str) -> bool:
    """Whether the beginning of an answer may still become a refusal."""
    count = len(text.split())
    return count < (_HELD_WORDS if _MAY_REFUSE.search(text) else _LEAST_HELD)


def loops(text: str) -> bool:
    """Whether a text says the same four words three times, as a model that is stuck does."""
    tokens = text.lower().split()
    runs = Counter(zip(tokens, tokens[1:], tokens[2:], tokens[3:], strict=False))
    return any(count >= 3 for count in runs.values())


def quotable(text: str) -> str:
    """An abstract's words as they stand in an answer: a "[2]" of theirs is no citation."""
    return re.sub(r"\[(\d[\d,\s–-]*)\]", r"(\1)", clean(text))


def short_name(paper: Paper) -> str:
    """The name of a system where the title starts with one, else the whole title."""
    name, colon, _ = clean(paper.title).partition(":")
    return name if colon and len(name.split()) <= 3 else clean(paper.title)


def refs(papers: list[Paper]) -> tuple[PaperRef, ...]:
    """Papers as they are named in a refusal."""
    return tuple(PaperRef(paper.paper_id, paper.title) for paper in papers)
