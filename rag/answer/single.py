"""Answer a question from one paper: choose it, read it, check each sentence, or refuse."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag.answer.evidence import first_evidence
from rag.answer.facts import content
from rag.answer.turn import Turn, refs
from rag.text import clean
from rag.types import Event, EvidenceFound, Hit, Paper, Reason

CUT = 0.0
"""Judge margin below which no abstract states the answer (dev exam, docs/benchmarks.md)."""

FIRST_BONUS = 0.5
"""Added to the margin of the paper that retrieval has first."""

CLOSE = 0.04
"""Difference in cosine similarity within which two papers are both judged."""

IN_LIBRARY = 0.35
"""Cosine similarity from which the library counts as holding papers on the subject."""

STRONG = 0.55
"""Cosine similarity of a sentence from which evidence counts without the model's judgement."""

_TERSE = 5
_DETAIL = re.compile(
    r"\b(?:gpus?|tpus?|hardware|hours?|days|learning rate|batch|epochs?|hyperparameters?|optimi[sz]er|"
    r"layers?|parameters|params|seeds?|runtime|latency|memory|price|costs?|how (?:many|much|long|large|big)|"
    r"exact(?:ly)?|percent(?:age)?|score|fid|accuracy|table|figure|appendix|section|equation|proof|"
    r"robot|sample size|participants|annotators|licen[cs]e|authors?|affiliation|funding)\b",
    re.I,
)
_WHY = re.compile(r"^\s*(?:so |and |but )?(?:why|how come)\b", re.I)


@dataclass(frozen=True, slots=True)
class Choice:
    """The paper to read; `margin` is the model's, None where it was not asked."""

    paper: Paper
    margin: float | None


def answer_single(
    turn: Turn, focus: Sequence[Paper] = (), *, summary: bool = False
) -> Iterator[Event]:
    """Answer from the best paper, or refuse and name the nearest.

    `focus` holds the papers that the conversation is about; they come before retrieval.
    """
    hits = turn.search(turn.question)
    yield turn.show_evidence(EvidenceFound(first_evidence(_led_by(focus, hits))))
    candidates = _candidates(focus, hits)
    if not candidates:
        refuse(turn, hits, focus)
        return
    if summary:
        yield from turn.tell(candidates[0], "summary")
        return
    choice = choose(turn, candidates, hits, focused=bool(focus))
    if choice is None:
        refuse(turn, hits, focus)
        return
    yield from _answer(turn, choice.paper)


def choose(
    turn: Turn, candidates: Sequence[Paper], hits: Sequence[Hit], *, focused: bool
) -> Choice | None:
    """The paper whose abstract states the answer; None where none of the first three does.

    One paper is judged first, two when retrieval is close; the others only before a refusal.
    """
    if not turn.reader.model.can_judge:
        return _by_evidence(turn, candidates)
    first = 2 if _close(hits) and not focused else 1
    margins: dict[int, float] = {}
    for count in (first, 3):
        for i in range(len(margins), min(count, len(candidates))):
            bonus = FIRST_BONUS if i == 0 else 0.0
            margins[i] = turn.reader.margin(candidates[i], "states_answer", turn.question) + bonus
        best = max(margins, key=lambda i: margins[i])
        if margins[best] >= CUT:
            return Choice(candidates[best], margins[best])
    return None


def refuse(turn: Turn, hits: Sequence[Hit], focus: Sequence[Paper] = ()) -> None:
    """Make the turn an abstention that names the nearest papers and what they cover."""
    nearest = list(dict.fromkeys([*focus, *(hit.paper for hit in hits)]))[:3]
    turn.draft.reason = _reason(turn, hits, focus)
    turn.draft.nearest = refs(nearest)
    opening = {
        "not_in_library": "Nothing in this library is about that.",
        "full_text_needed": "The abstracts do not give that detail; the full paper may.",
        "not_stated": "No abstract in this library states that.",
        "no_question": "Please ask a question about the papers.",
    }[turn.draft.reason]
    titles = "; ".join(f"“{clean(paper.title)}”" for paper in nearest)
    turn.draft.message = f"{opening} Nearest: {titles}." if nearest else opening


def _answer(turn: Turn, paper: Paper) -> Iterator[Event]:
    yield from turn.tell(paper, "answer", question=turn.question)
    shown = [s for s in turn.draft.sentences if s.verdict != "unsupported"]
    told = content(" ".join(s.text for s in shown)) - content(turn.question)
    if len(told) < _TERSE:
        best = turn.best_sentence(turn.question, paper)
        yield turn.quote(best, paper, "The abstract says: " if shown else "")


def _by_evidence(turn: Turn, candidates: Sequence[Paper]) -> Choice | None:
    """Without a judge, words and embeddings decide."""
    best = candidates[0]
    return Choice(best, None) if max(turn.relevance(turn.question, best)) >= STRONG else None


def _reason(turn: Turn, hits: Sequence[Hit], focus: Sequence[Paper]) -> Reason:
    if not focus and (not hits or max(hit.dense for hit in hits) < IN_LIBRARY):
        return "not_in_library"
    return "full_text_needed" if _DETAIL.search(turn.question) else "not_stated"


def _candidates(focus: Sequence[Paper], hits: Sequence[Hit]) -> list[Paper]:
    return list(dict.fromkeys([*focus, *(hit.paper for hit in hits)]))


def _led_by(focus: Sequence[Paper], hits: Sequence[Hit]) -> list[Hit]:
    ids = {paper.paper_id for paper in focus}
    return sorted(hits, key=lambda hit: hit.paper.paper_id not in ids)


def _close(hits: Sequence[Hit]) -> bool:
    return len(hits) > 1 and hits[0].dense - hits[1].dense < CLOSE
