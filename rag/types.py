"""The frozen values that the stages hand to one another.

Offsets are in code points of `Paper.text`, end exclusive. This module imports nothing
of ours, so that every stage may import it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
TitleSource = Literal["given", "extracted", "generated"]
Verdict = Literal["supported", "partial", "unsupported"]
Kind = Literal["single", "compare", "list", "overview", "smalltalk"]
Reason = Literal["not_stated", "full_text_needed", "not_in_library", "no_question"]


# ---------------------------------------------------------------- corpus


@dataclass(frozen=True, slots=True)
class Record:
    """One entry as a reader found it in a file, before it is joined with its twins."""

    text: str
    file: str
    place: str
    title: str | None = None
    source_id: str | None = None
    doi: str | None = None
    arxiv: str | None = None
    authors: tuple[str, ...] = ()
    year: int | None = None
    venue: str | None = None
    url: str | None = None
    collection: str | None = None


@dataclass(frozen=True, slots=True)
class Skip:
    """A record or file that could not be used, where it stands, and why."""

    file: str
    place: str
    reason: str


@dataclass(frozen=True, slots=True)
class Source:
    """One place where a paper stands: a file, the place in it, and its identifier there."""

    file: str
    place: str
    source_id: str | None = None
    collection: str | None = None


@dataclass(frozen=True, slots=True)
class Paper:
    """One paper of the library. `text` is the abstract exactly as it stands in its file."""

    paper_id: str
    text: str
    title: str
    title_source: TitleSource
    sources: tuple[Source, ...]
    doi: str | None = None
    arxiv: str | None = None
    authors: tuple[str, ...] = ()
    year: int | None = None
    venue: str | None = None
    url: str | None = None

    @property
    def source_ids(self) -> tuple[str, ...]:
        """The identifiers its records carried: own id, DOI, arXiv id, citation key."""
        own = [source.source_id for source in self.sources]
        return tuple(dict.fromkeys(i for i in [*own, self.doi, self.arxiv] if i))

    @property
    def files(self) -> tuple[str, ...]:
        """The files it stands in, without repeats."""
        return tuple(dict.fromkeys(source.file for source in self.sources))


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of an abstract: `paper.text[start:end] == text`."""

    paper_id: str
    index: int
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """A run of whole sentences that fits the encoder; `text` is cleaned for embedding."""

    paper_id: str
    index: int
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Scope:
    """Which papers a question is about; the empty scope is the whole library."""

    years: tuple[int, int] | None = None
    author: str | None = None
    venue: str | None = None
    file: str | None = None
    paper_ids: frozenset[str] | None = None


# ---------------------------------------------------------------- retrieval


@dataclass(frozen=True, slots=True)
class Evidence:
    """A sentence with its relevance to the question; higher is better."""

    sentence: Sentence
    score: float


@dataclass(frozen=True, slots=True)
class Hit:
    """A retrieved paper with its best sentences, best first.

    `score` is the fused score the ranking uses; `dense` is the cosine similarity of the
    nearest chunk (-1 to 1); `sparse` the BM25 score (0 where no word matched).
    """

    paper: Paper
    score: float
    dense: float
    sparse: float
    evidence: tuple[Evidence, ...] = ()


# ---------------------------------------------------------------- answers


@dataclass(frozen=True, slots=True)
class Citation:
    """A verbatim part of an abstract: `paper.text[start:end] == quote`."""

    n: int
    paper_id: str
    title: str
    quote: str
    start: int
    end: int
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AnswerSentence:
    """A sentence of the answer with the numbers of its citations. `unsupported` is folded."""

    text: str
    citations: tuple[int, ...]
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class PaperRef:
    """A paper named in an answer, with the citations that made it count."""

    paper_id: str
    title: str
    citations: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a comparison: a verbatim span, or the words that say there is none."""

    text: str
    citations: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """One paper's row of a comparison."""

    paper_id: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A comparison; each row has a cell for each column."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Timings:
    """Seconds since the turn was taken up, and token counts over all model calls."""

    evidence_s: float | None = None
    first_token_s: float | None = None
    total_s: float = 0.0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """One finished turn. `text` joins the sentences that are not folded, with [n] marks.

    `message` holds the program's own words, such as a refusal or a count; `text` starts
    with them.
    """

    question: str
    kind: Kind
    text: str
    abstained: bool = False
    reason: Reason | None = None
    sentences: tuple[AnswerSentence, ...] = ()
    citations: tuple[Citation, ...] = ()
    nearest: tuple[PaperRef, ...] = ()
    table: Table | None = None
    entries: tuple[PaperRef, ...] | None = None
    borderline: tuple[PaperRef, ...] | None = None
    scanned: tuple[int, int] | None = None
    judged: int | None = None
    notices: tuple[str, ...] = ()
    error: str | None = None
    timings: Timings = field(default_factory=Timings)
    message: str = ""


# ---------------------------------------------------------------- events


@dataclass(frozen=True, slots=True)
class Queued:
    """Another question is being answered; `position` 1 is next."""

    position: int


@dataclass(frozen=True, slots=True)
class Routed:
    """What kind of question it is, and the words that are searched for."""

    kind: Kind
    query: str


@dataclass(frozen=True, slots=True)
class EvidenceFound:
    """The sentences found, best first, before the model has written anything."""

    citations: tuple[Citation, ...]


Length = Literal["short", "normal", "long"]
LENGTHS: tuple[Length, ...] = ("short", "normal", "long")


@dataclass(frozen=True, slots=True)
class Scanned:
    """Progress of a scan over the library; `likely` are papers that seem to belong so far."""

    done: int
    total: int
    likely: tuple[PaperRef, ...] = ()


@dataclass(frozen=True, slots=True)
class EntryFound:
    """A paper that belongs in a list, as it is found."""

    entry: PaperRef
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class CellFound:
    """A cell of a comparison, as it is found."""

    paper_id: str
    title: str
    column: str
    cell: Cell
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of text the model wrote, not yet checked. `sentence` counts from 0."""

    sentence: int
    text: str


@dataclass(frozen=True, slots=True)
class SentenceDone:
    """Sentence `index` after the check; its text may replace what was streamed."""

    index: int
    sentence: AnswerSentence
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the reader should know, such as a shortened history."""

    text: str


@dataclass(frozen=True, slots=True)
class Failed:
    """The turn failed; nothing was lost. The text says what to do."""

    text: str


@dataclass(frozen=True, slots=True)
class Done:
    """The finished turn; always the last event."""

    answer: Answer


Event = (
    Queued
    | Routed
    | EvidenceFound
    | Scanned
    | EntryFound
    | CellFound
    | Token
    | SentenceDone
    | Notice
    | Failed
    | Done
)


# ---------------------------------------------------------------- models


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the model reads: a fixed prefix, one document (may be empty), then the task.

    `system` and `document` come first so that the state after them can be kept and used
    for every task about that document.
    """

    system: str
    document: str
    task: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one model call; `cached_tokens` is the part restored, not computed."""

    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int


class Stop(Protocol):
    """Asked between steps of the model; true ends the work at once."""

    def is_set(self) -> bool:
        """Whether the user has asked to stop."""


class Embedder(Protocol):
    """Turns text into unit vectors. Queries and passages are kept apart by name."""

    name: str
    dimension: int
    max_tokens: int

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Word pieces of each text, special ones included."""

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape [len(texts), dimension]."""

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape [len(texts), dimension]."""


class Papers(Protocol):
    """What answering asks of a library."""

    def papers(self, scope: Scope = ...) -> tuple[Paper, ...]:
        """The papers in scope, in a stable order."""

    def paper(self, paper_id: str) -> Paper:
        """One paper; UnknownPaper where there is none."""

    def sentences(self, paper_id: str) -> tuple[Sentence, ...]:
        """The sentences of an abstract, in order."""

    def sentence_vectors(self, paper_id: str) -> Vectors:
        """Unit vectors of the sentences, shape [sentences, dimension]."""

    def paper_vectors(self, scope: Scope = ...) -> tuple[tuple[Paper, ...], Vectors]:
        """The papers in scope and a unit vector of each, shape [papers, dimension]."""

    def search(
        self, text: str, k: int = ..., scope: Scope = ..., *, evidence: bool = ...
    ) -> list[Hit]:
        """The best papers, with their best sentences if `evidence` is wanted, best first."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of questions, shape [len(texts), dimension]."""

    def collections(self) -> tuple[str, ...]:
        """The headings of the lists that papers came in."""


class LanguageModel(Protocol):
    """A chat model that reads one prompt at a time."""

    name: str
    can_judge: bool
    context_tokens: int

    def write(self, prompt: Prompt, *, limit: int, stop: Stop | None = None) -> Iterator[str]:
        """Yield the answer in pieces, greedily, `limit` tokens at most."""

    def margin(self, prompt: Prompt, *, stop: Stop | None = None) -> float:
        """Logit of Yes minus logit of No for the first token of the answer."""

    def count_tokens(self, text: str) -> int:
        """Tokens of a text, special ones not counted."""

    def usage(self) -> Usage:
        """Tokens used by all calls so far."""

    def close(self) -> None:
        """Free what it holds; it is not called again."""
