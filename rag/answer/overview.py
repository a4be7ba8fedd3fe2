"""Say what a library is about: group it by meaning, name each theme in its papers' own words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log, sqrt

import numpy as np

from rag.answer.facts import STOP, content
from rag.answer.turn import Turn, refs
from rag.text import clean, stems, words
from rag.types import Event, Paper, Scanned, Vectors

MOST_PAPERS = 2000
"""Papers grouped at most; of a larger library, the nearest to the question or an even sample."""

TYPICAL = 3
_ROUNDS = 25
_ABOUT = re.compile(r"\b(?:on|about|in|with|for) (?:the )?((?:[\w-]+ ?){1,5})\??$", re.I)
_GENERIC = frozenset(
    {
        "collection",
        "library",
        "corpus",
        "list",
        "papers",
        "abstracts",
        "here",
        "this",
        "these",
        "about",
    }
)


@dataclass(frozen=True, slots=True)
class Theme:
    """A group of papers, the most typical first, and the words that set it apart."""

    name: str
    papers: tuple[Paper, ...]


def answer_overview(turn: Turn) -> Iterator[Event]:
    """Name the themes with counts, and cite each one's most typical papers."""
    papers = _papers(turn)
    if not papers:
        turn.draft.reason, turn.draft.message = "not_in_library", "There is no paper to go by."
        return
    total = len(turn.library.papers(turn.scope))
    yield Scanned(len(papers), total)
    turn.draft.scanned = (len(papers), total)
    for theme in themes(turn, papers):
        typical = theme.papers[:TYPICAL]
        best = [(p, turn.best_sentence(theme.name, p)) for p in typical]
        numbers = tuple(turn.draft.cite_sentence(p, s) for p, s in best if s is not None)
        count = len(theme.papers)
        titles = "; ".join(clean(p.title) for p in typical)
        text = f"{theme.name} ({count} paper{'s' if count != 1 else ''}), such as {titles}."
        yield turn.draft.say(text, numbers, "supported")
    turn.draft.nearest = refs([])


def themes(turn: Turn, papers: Sequence[Paper]) -> list[Theme]:
    """Group papers by spherical k-means with about the square root of half their number."""
    vectors = np.stack([_vector(turn, paper) for paper in papers])
    count = min(max(2, round(sqrt(len(papers) / 2) * 1.5)), 8, len(papers))
    labels, centres = _group(vectors, count)
    groups = []
    for label in range(count):
        members = [i for i in range(len(papers)) if labels[i] == label]
        members.sort(key=lambda i: -float(vectors[i] @ centres[label]))
        if members:
            groups.append([papers[i] for i in members])
    groups.sort(key=len, reverse=True)
    return [Theme(_name(group, papers), tuple(group)) for group in groups]


def _papers(turn: Turn) -> list[Paper]:
    papers = list(turn.library.papers(turn.scope))
    found = _ABOUT.search(turn.question)
    if found and not set(words(found[1])) & _GENERIC and content(found[1]):
        hits = turn.search(found[1], min(len(papers), 50))
        return [hit.paper for hit in hits if hit.dense >= 0.25 or hit.sparse > 0][:12]
    step = max(1, len(papers) // MOST_PAPERS)
    return papers[::step]


def _vector(turn: Turn, paper: Paper) -> Vectors:
    vectors = turn.library.sentence_vectors(paper.paper_id)
    mean = vectors.mean(axis=0) if len(vectors) else turn.library.embed([paper.title])[0]
    return np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-9), dtype=np.float32)


def _group(vectors: Vectors, count: int) -> tuple[list[int], Vectors]:
    """Spherical k-means from far-apart starting points; the same input gives the same groups."""
    chosen = [int(np.argmax(vectors @ vectors.mean(axis=0)))]
    while len(chosen) < count:
        nearest = (vectors @ vectors[chosen].T).max(axis=1)
        chosen.append(int(np.argmin(nearest)))
    centres = vectors[chosen].copy()
    labels = np.argmax(vectors @ centres.T, axis=1)
    for _ in range(_ROUNDS):
        for label in range(count):
            members = vectors[labels == label]
            if len(members):
                centre = members.mean(axis=0)
                centres[label] = centre / max(float(np.linalg.norm(centre)), 1e-9)
        fresh = np.argmax(vectors @ centres.T, axis=1)
        if (fresh == labels).all():
            break
        labels = fresh
    return [int(label) for label in labels], centres


def _name(group: Sequence[Paper], everyone: Sequence[Paper]) -> str:
    """The two-word phrases and words that most of a group share and the others do not."""
    inside = Counter(term for paper in group for term in _terms(paper))
    outside = Counter(term for paper in everyone for term in _terms(paper))
    weight = {
        term: (n / len(group))
        * log(1 + len(everyone) / outside[term])
        * (1.4 if " " in term else 1)
        for term, n in inside.items()
        if n >= min(2, len(group))
    }
    picked: list[str] = []
    for term in sorted(weight, key=lambda t: (-weight[t], t)):
        if not any(set(stems(term)) & set(stems(other)) for other in picked):
            picked.append(term)
        if len(picked) == 3:
            break
    return ", ".join(picked).capitalize() if picked else clean(group[0].title)


def _terms(paper: Paper) -> set[str]:
    tokens = words(f"{paper.title}. {paper.text}")
    useful = [
        t if len(t) > 2 and not set(stems(t)) & STOP and not t.isdigit() else "" for t in tokens
    ]
    pairs = {f"{a} {b}" for a, b in pairwise(useful) if a and b}
    return pairs | {t for t in useful if t}
