"""What one turn of the talk holds: the running draft, and the finished turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from rag.types import (
    Answer,
    Cell,
    CellFound,
    Citation,
    Done,
    EntryFound,
    Event,
    EvidenceFound,
    Failed,
    Kind,
    Notice,
    Paper,
    PaperRef,
    Queued,
    Routed,
    Row,
    Scanned,
    SentenceDone,
    Table,
    Token,
)

_READING: dict[Kind, str] = {
    "single": "Searching the abstracts",
    "compare": "Finding the papers to compare",
    "list": "Reading every paper",
    "overview": "Looking over the library",
    "smalltalk": "Answering",
}
WAITING_CELL = Cell("…")


@dataclass(frozen=True, slots=True)
class Draft:
    """A turn that is still being answered: what is known, and the text not yet checked."""

    answer: Answer
    stage: str = "Taking up the question"
    evidence: tuple[Citation, ...] = ()
    pending: str = ""
    titles: Mapping[str, str] = field(default_factory=dict)
    likely: tuple[PaperRef, ...] = ()
    finished: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """A finished turn with the papers it names, as they were when it was answered."""

    answer: Answer
    evidence: tuple[Citation, ...] = ()
    papers: Mapping[str, Paper] = field(default_factory=dict)
    stopped: bool = False


def begin(question: str) -> Draft:
    """The draft of a question that nothing is known about yet."""
    return Draft(Answer(question=question, kind="single", text=""))


def advance(draft: Draft, event: Event) -> Draft:
    """The draft after one more event."""
    match event:
        case Queued(position):
            ahead = "next" if position == 1 else f"number {position} in the queue"
            return replace(draft, stage=f"Another question is being answered; yours is {ahead}")
        case Routed(kind, _):
            return replace(draft, answer=replace(draft.answer, kind=kind), stage=_READING[kind])
        case EvidenceFound(citations):
            return replace(draft, evidence=citations, stage="Reading the best papers")
        case Scanned(done, total, likely):
            return replace(draft, stage=f"Scanned {done:,} of {total:,} papers", likely=likely)
        case Done(answer):
            return replace(draft, answer=answer, pending="", finished=True)
        case _:
            return _grow(draft, event)


def _grow(draft: Draft, event: Event) -> Draft:
    answer = draft.answer
    match event:
        case Token(_, text):
            return replace(draft, pending=draft.pending + text, stage="Writing and checking")
        case SentenceDone(_, sentence, citations):
            answer = replace(
                answer,
                sentences=(*answer.sentences, sentence),
                citations=_joined(answer.citations, citations),
            )
            return replace(draft, answer=answer, pending="")
        case EntryFound(entry, citations):
            answer = replace(
                answer,
                entries=(*(answer.entries or ()), entry),
                citations=_joined(answer.citations, citations),
            )
            return replace(draft, answer=answer)
        case CellFound():
            return _with_cell(draft, event)
        case Notice(text):
            return replace(draft, answer=replace(answer, notices=(*answer.notices, text)))
        case Failed(text):
            return replace(draft, answer=replace(answer, error=text))
    return draft


def _joined(old: tuple[Citation, ...], new: tuple[Citation, ...]) -> tuple[Citation, ...]:
    return tuple({citation.n: citation for citation in (*old, *new)}.values())


def _with_cell(draft: Draft, event: CellFound) -> Draft:
    answer = draft.answer
    table = answer.table or Table((), ())
    columns = tuple(dict.fromkeys([*table.columns, event.column]))
    known = {row.paper_id: list(row.cells) for row in table.rows}
    known.setdefault(event.paper_id, [])
    for cells in known.values():
        cells.extend([WAITING_CELL] * (len(columns) - len(cells)))
    known[event.paper_id][columns.index(event.column)] = event.cell
    rows = tuple(Row(paper_id, tuple(cells)) for paper_id, cells in known.items())
    answer = replace(
        answer,
        table=Table(columns, rows),
        citations=_joined(answer.citations, event.citations),
    )
    titles = {**draft.titles, event.paper_id: event.title}
    return replace(draft, answer=answer, titles=titles, stage="Reading each paper")


def named_papers(answer: Answer, evidence: tuple[Citation, ...]) -> tuple[str, ...]:
    """The ids of all papers that an answer shows, in the order in which it shows them."""
    references = [*(answer.entries or ()), *(answer.borderline or ()), *answer.nearest]
    ids = [c.paper_id for c in (*evidence, *answer.citations)]
    ids += [row.paper_id for row in (answer.table.rows if answer.table else ())]
    ids += [reference.paper_id for reference in references]
    return tuple(dict.fromkeys(ids))
