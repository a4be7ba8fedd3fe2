"""Answer a question from one paper: choose it, read it, check each sentence, or refuse."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rag.answer.evidence import first_evidence
from rag.answer.facts import content, contradicts, names, numbers
from rag.answer.metadata import answer_record, asks_record
from rag.answer.turn import Turn, refs, short_name
from rag.text import clean, fold, words
from rag.types import Event, Hit, Paper, Reason, Sentence

CUT = -0.4
"""Answerability below which an abstract does not state the answer. It separates the
questions of the dev exam, and 34 others on the seeds (docs/decisions.md)."""

USUAL_RELEVANCE, LEAST_RELEVANCE = 0.75, -0.2
FIGURE_SENTENCES = 2
UNKNOWN_NAME, NO_NUMBER, NOT_COUNTED = -0.5, -0.5, -0.3

FIRST_BONUS = 0.5
"""Lead of the paper that retrieval has first, when several are judged."""

CLOSE = 0.04
"""Difference in cosine similarity within which two papers are both judged."""

IN_LIBRARY = 0.35
"""Cosine similarity from which the library counts as holding papers on the subject."""

STRONG = 0.55
"""Cosine similarity of a sentence from which evidence counts without the model's judgement."""

_TERSE = 5
_MORE = 2
"""Sentences of the abstract that a long answer has besides."""

_KEY_WORDS = "we propose, introduce and show; our results"
_PREMISE_SENTENCES = 5
_WHY = re.compile(
    r"^\s*(?:so |and |but )?(?:why|how come)\b(?!(?: \S+){0,3}?(?:n['’]t\b| not\b| cannot\b))", re.I
)
"""A question why something is so; one why it is not so takes a lack for granted, which other
sentences of an abstract easily seem to deny."""
_WHICH_PAPER = re.compile(
    r"^(?:is|are|was) there (?:(?:a|an|any|some|already) )?(?:\w+ )?(?:work|paper|study|research|"
    r"abstract|article)\b|\b(?:which|what) (?:paper|work|study|abstract|article)\b",
    re.I,
)
"""What asks for a paper, so that its name is a part of the answer."""

_DETAIL = re.compile(
    r"\b(?:gpus?|tpus?|hardware|hours?|days|learning rate|batch|epochs?|hyperparameters?|"
    r"optimi[sz]er|"
    r"layers?|parameters|params|seeds?|runtime|latency|memory|price|costs?|how (?:many|much|long|"
    r"large|big)|"
    r"exact(?:ly)?|percent(?:age)?|score|fid|accuracy|table|figure|appendix|section|equation|proof|"
    r"robot|sample size|participants|annotators|licen[cs]e|authors?|affiliation|funding)\b",
    re.I,
)
_FIGURE = re.compile(
    r"\bhow (?:many|much|long|large|big|fast|often)\b"
    r"|\b(?:percent|percentage|exact|rate|size|number of|score|accuracy|fid|year)\b",
    re.I,
)
_HOW_MANY = re.compile(r"\b(?:how many|(?:number|count) of) ((?:[\w-]+ ?){1,2})", re.I)


def answer_single(
    turn: Turn, focus: Sequence[Paper] = (), *, summary: bool = False
) -> Iterator[Event]:
    """Answer from the best paper, or refuse and name the nearest.

    `focus` holds the papers that the conversation is about; they come before retrieval.
    """
    hits = turn.search(turn.question, evidence=True)
    yield turn.show_evidence(first_evidence(_led_by(focus, hits)))
    candidates = _candidates(focus, hits)
    if not candidates:
        refuse(turn, hits, focus)
        return
    if summary:
        yield from _summarise(turn, candidates[0])
        return
    if asks_record(turn.question):
        answer_record(turn, turn.question, candidates[0])
        return
    turned = _premise_turned(turn, candidates[0])
    if turned is not None:
        yield from turn.quote(turned, candidates[0], "The abstract says otherwise: ")
        return
    chosen = choose(turn, candidates, hits, focused=bool(focus))
    if not chosen:
        refuse(turn, hits, focus)
        return
    for paper in chosen:
        task = "follow_up" if paper in focus else "answer"
        lead = f"{short_name(paper)}: " if _WHICH_PAPER.search(turn.question) else ""
        yield from turn.tell(paper, task, lead=lead, question=turn.question)
        if turn.shown():
            break
    yield from _complete(turn, paper if turn.shown() else chosen[0])


def _summarise(turn: Turn, paper: Paper) -> Iterator[Event]:
    """The model's summary; where none of it holds, the abstract's own key sentences."""
    yield from turn.tell(paper, "summary")
    if not turn.shown():
        for sentence in turn.best_sentences(_KEY_WORDS, paper, 2):
            yield from turn.quote(sentence, paper)


def choose(
    turn: Turn, candidates: Sequence[Paper], hits: Sequence[Hit], *, focused: bool
) -> list[Paper]:
    """The papers whose abstract states the answer, best first; none of the first three may.

    One paper is judged first, two when retrieval is close; the others only before a refusal.
    """
    if not turn.reader.model.can_judge:
        return _by_evidence(turn, candidates)
    first = 2 if _close(hits) and not focused else 1
    scores: dict[int, float] = {}
    for count in (first, 3):
        for i in range(len(scores), min(count, len(candidates))):
            margin = turn.reader.margin(candidates[i], "states_answer", turn.question)
            scores[i] = answerability(turn, candidates[i], margin)
        fit = [i for i in scores if scores[i] >= CUT]
        if fit:
            fit.sort(key=lambda i: -(scores[i] + (FIRST_BONUS if i == 0 else 0.0)))
            return [candidates[i] for i in fit]
    return []


def answerability(turn: Turn, paper: Paper, margin: float) -> float:
    """The model's margin, with what words can tell: relevance, unknown names, no figures."""
    scores = turn.relevance(turn.question, paper)
    order = sorted(range(len(scores)), key=lambda i: -scores[i])
    total = margin + max(scores[order[0]] - USUAL_RELEVANCE, LEAST_RELEVANCE)
    if any(not knows(paper, name) for name in names(clean(turn.question))):
        total += UNKNOWN_NAME
    likely = [turn.sentences(paper)[i].text for i in order[:FIGURE_SENTENCES]]
    if _FIGURE.search(turn.question) and not any(map(numbers, likely)):
        total += NO_NUMBER
    if not _has_counted(turn.question, paper):
        total += NOT_COUNTED
    return total


def _has_counted(question: str, paper: Paper) -> bool:
    """Whether what a question wants counted stands in a paper; true where it counts nothing."""
    found = _HOW_MANY.search(question)
    things = content(found[1]) if found else set()
    return not things or bool(things & content(clean(f"{paper.title} {paper.text}")))


def knows(paper: Paper, name: str) -> bool:
    """Whether a name stands in a paper, or its letters start words that follow each other."""
    text = clean(f"{paper.title} {paper.text}")
    if name in fold(text):
        return True
    letters = re.sub(r"[^a-z]", "", name.replace("2", "t"))
    initials = "".join(word[0] for word in words(text))
    return len(letters) >= 2 and letters in initials


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


def _complete(turn: Turn, paper: Paper) -> Iterator[Event]:
    """Add the words of the abstract where the prose says too little or passes by."""
    shown = turn.shown()
    told = content(" ".join(s.text for s in shown)) - content(turn.question)
    missed = [turn.left_out(turn.question, paper, shown)]
    missed.append(turn.passed_by(turn.question, paper, shown))
    if len(told) < _TERSE and not any(missed):
        missed.append(turn.best_sentence(turn.question, paper))
    if turn.length == "long":
        missed += turn.uncited(turn.best_sentences(turn.question, paper, _MORE), paper)
    lead = "The abstract says: " if shown else ""
    for sentence in dict.fromkeys(missed):
        yield from turn.quote(sentence, paper, lead)
        lead = "" if sentence else lead


def _premise_turned(turn: Turn, paper: Paper) -> Sentence | None:
    """The sentence that contradicts what a "why" question takes for granted, if any."""
    if not _WHY.search(turn.question):
        return None
    scores = turn.relevance(turn.question, paper)
    sentences = turn.sentences(paper)
    order = sorted(range(len(sentences)), key=lambda i: -scores[i])
    for i in order[:_PREMISE_SENTENCES]:
        if contradicts(clean(turn.question), clean(sentences[i].text)):
            return sentences[i]
    return None


def _by_evidence(turn: Turn, candidates: Sequence[Paper]) -> list[Paper]:
    """Without a judge, words and embeddings decide."""
    best = candidates[0]
    return [best] if max(turn.relevance(turn.question, best)) >= STRONG else []


def _reason(turn: Turn, hits: Sequence[Hit], focus: Sequence[Paper]) -> Reason:
    known = fold(" ".join(clean(hit.paper.title) for hit in hits))
    named = any(name in known for name in names(clean(turn.question)))
    if not (focus or named) and (not hits or max(hit.dense for hit in hits) < IN_LIBRARY):
        return "not_in_library"
    return "full_text_needed" if _DETAIL.search(turn.question) else "not_stated"


def _candidates(focus: Sequence[Paper], hits: Sequence[Hit]) -> list[Paper]:
    found = dict.fromkeys([*focus, *(hit.paper for hit in hits)])
    return [paper for paper in found if paper.text.strip()]


def _led_by(focus: Sequence[Paper], hits: Sequence[Hit]) -> list[Hit]:
    ids = {paper.paper_id for paper in focus}
    return sorted(hits, key=lambda hit: hit.paper.paper_id not in ids)


def _close(hits: Sequence[Hit]) -> bool:
    return len(hits) > 1 and hits[0].dense - hits[1].dense < CLOSE
