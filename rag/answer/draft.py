"""Collect a turn while it is written: citations numbered once, sentences, and the clock."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from rag.types import (
    Answer,
    AnswerSentence,
    Citation,
    Kind,
    LanguageModel,
    Paper,
    PaperRef,
    Reason,
    Sentence,
    SentenceDone,
    Table,
    Timings,
    Usage,
    Verdict,
)


@dataclass
class Draft:
    """The turn so far. `done` freezes it into an Answer."""

    question: str
    kind: Kind
    model: LanguageModel
    citations: list[Citation] = field(default_factory=list)
    sentences: list[AnswerSentence] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    nearest: tuple[PaperRef, ...] = ()
    table: Table | None = None
    entries: tuple[PaperRef, ...] | None = None
    borderline: tuple[PaperRef, ...] | None = None
    scanned: tuple[int, int] | None = None
    judged: int | None = None
    message: str = ""
    reason: Reason | None = None
    error: str | None = None
    evidence_s: float | None = None
    first_token_s: float | None = None
    started: float = field(default_factory=time.perf_counter)
    used: Usage = field(init=False)

    def __post_init__(self) -> None:
        self.used = self.model.usage()

    def elapsed(self) -> float:
        """Seconds since the turn was taken up."""
        return time.perf_counter() - self.started

    def cite(self, paper: Paper, start: int, end: int) -> int:
        """The number of a citation of `paper.text[start:end]`; the same span has one number."""
        for known in self.citations:
            if (known.paper_id, known.start, known.end) == (paper.paper_id, start, end):
                return known.n
        n = len(self.citations) + 1
        quote = paper.text[start:end]
        self.citations.append(
            Citation(n, paper.paper_id, paper.title, quote, start, end, paper.files)
        )
        return n

    def cite_sentence(self, paper: Paper, sentence: Sentence) -> int:
        """The number of a citation of a whole sentence."""
        return self.cite(paper, sentence.start, sentence.end)

    def say(self, text: str, citations: tuple[int, ...], verdict: Verdict) -> SentenceDone:
        """Add a checked sentence; returns the event that shows it."""
        sentence = AnswerSentence(text, citations, verdict)
        self.sentences.append(sentence)
        shown = tuple(c for c in self.citations if c.n in citations)
        return SentenceDone(len(self.sentences) - 1, sentence, shown)

    def first_token(self) -> None:
        """Note when the first character written by the model is shown."""
        if self.first_token_s is None:
            self.first_token_s = self.elapsed()

    def text(self) -> str:
        """The sentences that are not folded, joined, each with its marks.

        `message` holds words of the program's own, which come first.
        """
        shown = (s for s in self.sentences if s.verdict != "unsupported")
        return " ".join(filter(None, [self.message, *(_marked(s) for s in shown)]))

    def done(self) -> Answer:
        """The finished turn; a turn with a reason is an abstention."""
        used, now = self.used, self.model.usage()
        return Answer(
            question=self.question,
            kind=self.kind,
            text=self.text(),
            message=self.message,
            abstained=self.reason is not None or self.kind == "smalltalk",
            reason=self.reason,
            sentences=tuple(self.sentences),
            citations=tuple(self.citations),
            nearest=self.nearest,
            table=self.table,
            entries=self.entries,
            borderline=self.borderline,
            scanned=self.scanned,
            judged=self.judged,
            notices=tuple(self.notices),
            error=self.error,
            timings=Timings(
                self.evidence_s,
                self.first_token_s,
                self.elapsed(),
                now.prompt_tokens - used.prompt_tokens,
                now.cached_tokens - used.cached_tokens,
                now.completion_tokens - used.completion_tokens,
            ),
        )


def _marked(sentence: AnswerSentence) -> str:
    marks = "".join(f"[{n}]" for n in sentence.citations)
    if not marks:
        return sentence.text
    text = sentence.text.rstrip()
    body, stop = (text[:-1], text[-1]) if text[-1:] in ".!?" else (text, "")
    return f"{body} {marks}{stop}"
