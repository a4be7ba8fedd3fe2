"""Say what a library is about: group it by meaning, name each theme in its papers' own words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from rag.answer.facts import STOP, content
from rag.answer.turn import Turn
from rag.text import clean, stems, words
from rag.types import Event, Paper, Scanned, Scope, Vectors

MOST_PAPERS = 2000
"""Papers grouped at most; of a larger library, the nearest to the question or an even sample."""

TYPICAL = 3
MOST_THEMES = 8
_ROUNDS = 25
_STARTS = 20
_LEAST_GROUP = 2
_LEAST_CENTRED = 8
_NOT_THEMES = frozenset(
    stems(
        "github com https http www io code available experiments demonstrate results analysis "
        "provides challenge address pre trained extensive existing furthermore moreover however "
        "state art recent across various times image another due task tasks performance "
        "require highly potential quality cost computational effective efficient significant "
        "significantly improve improved enable achieve robust superior strong critical crucial "
        "consistently directly fully novel limited flexible desired key large high low better "
        "ability capability process setting settings often typically widely usually"
    )
)
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
    papers, vectors = turn.library.paper_vectors(_chosen(turn))
    if not papers:
        turn.draft.reason, turn.draft.message = "not_in_library", "There is no paper to go by."
        return
    total = len(turn.library.papers(turn.scope))
    yield Scanned(len(papers), total)
    turn.draft.scanned = (len(papers), total)
    for theme in themes(papers, vectors):
        typical = theme.papers[:TYPICAL]
        best = [(p, turn.best_sentence(theme.name, p)) for p in typical]
        numbers = tuple(turn.draft.cite_sentence(p, s) for p, s in best if s is not None)
        count = len(theme.papers)
        titles = "; ".join(clean(p.title) for p in typical)
        text = f"{theme.name} ({count} paper{'s' if count != 1 else ''}), such as {titles}."
        yield turn.draft.say(text, numbers, "supported")


def themes(papers: Sequence[Paper], vectors: Vectors) -> list[Theme]:
    """Group papers by spherical k-means with about the square root of half their number.

    `vectors` are unit vectors of the papers, shape [papers, dimension].
    """
    vectors = _centred(vectors)
    count = min(max(2, round(sqrt(len(papers)))), MOST_THEMES, max(1, len(papers) // 2))
    groups = [
        [papers[i] for i in sorted(members, key=lambda i: -float(vectors[i] @ centre))]
        for members, centre in _group(vectors, count)
    ]
    groups.sort(key=len, reverse=True)
    terms = {paper.paper_id: _terms(paper) for paper in papers}
    everywhere = Counter(term for own in terms.values() for term in own)
    found = []
    for group in groups:
        own = [terms[paper.paper_id] for paper in group]
        found.append(Theme(_name(group, own, everywhere, len(papers)), tuple(group)))
    return found


def _centred(vectors: Vectors) -> Vectors:
    """What sets each paper apart from the whole: the mean taken off, unit length again."""
    if len(vectors) < _LEAST_CENTRED:
        return vectors
    apart = vectors - vectors.mean(axis=0)
    lengths = np.maximum(np.linalg.norm(apart, axis=1, keepdims=True), 1e-9)
    return np.asarray(apart / lengths, dtype=np.float32)


def _chosen(turn: Turn) -> Scope:
    """The papers to group: those in scope, or those near to what is asked about."""
    papers = turn.library.papers(turn.scope)
    found = _ABOUT.search(turn.question)
    if found and not set(words(found[1])) & _GENERIC and content(found[1]):
        hits = turn.search(found[1], min(len(papers), 50))
        near = [hit.paper for hit in hits if hit.dense >= 0.25 or hit.sparse > 0][:12]
    else:
        near = list(papers[:: max(1, len(papers) // MOST_PAPERS)])
    return Scope(paper_ids=frozenset(paper.paper_id for paper in near))


def _group(vectors: Vectors, count: int) -> list[tuple[list[int], Vectors]]:
    """Spherical k-means, the best of several fixed starts; small groups join their nearest."""
    generator = np.random.default_rng(0)
    best: tuple[float, NDArray[np.int64]] = (-1.0, np.zeros(len(vectors), dtype=np.int64))
    for _ in range(_STARTS):
        centres = vectors[generator.choice(len(vectors), count, replace=False)]
        labels = np.argmax(vectors @ centres.T, axis=1)
        for _ in range(_ROUNDS):
            centres = _centres(vectors, labels, centres)
            labels = np.argmax(vectors @ centres.T, axis=1)
        fit = float((vectors * centres[labels]).sum())
        best = max(best, (fit, labels), key=lambda item: item[0])
    labels = _without_small(vectors, best[1])
    found = []
    for label in dict.fromkeys(int(v) for v in labels):
        members = [i for i in range(len(labels)) if labels[i] == label]
        found.append((members, np.asarray(vectors[members].mean(axis=0), dtype=np.float32)))
    return found


def _centres(vectors: Vectors, labels: NDArray[np.int64], old: Vectors) -> Vectors:
    centres = old.copy()
    for label in range(len(old)):
        members = vectors[labels == label]
        if len(members):
            centre = members.mean(axis=0)
            centres[label] = centre / max(float(np.linalg.norm(centre)), 1e-9)
    return centres


def _without_small(vectors: Vectors, labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Labels with each group of one moved to the group whose members are nearest."""
    result = labels.copy()
    sizes = Counter(int(label) for label in labels)
    large = [label for label, size in sizes.items() if size >= _LEAST_GROUP]
    if not large:
        return result
    for i, label in enumerate(labels):
        if sizes[int(label)] < _LEAST_GROUP:
            near = {k: float((vectors[labels == k] @ vectors[i]).mean()) for k in large}
            result[i] = max(near, key=lambda k: near[k])
    return result


def _name(
    group: Sequence[Paper], terms: Sequence[Set[str]], everywhere: Counter[str], total: int
) -> str:
    """The two-word phrases and words that most of a group share and the others do not.

    `terms` are those of the group's papers; `everywhere` says in how many of all `total` papers
    each stands.
    """
    inside = Counter(term for own in terms for term in own)
    weight = {
        term: (n / len(group)) * log(1 + total / everywhere[term]) * (1.4 if " " in term else 1)
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


@lru_cache(maxsize=1 << 16)
def _names_a_theme(token: str) -> bool:
    plain = not set(stems(token)) & (STOP | _NOT_THEMES)
    return plain and len(token) > 2 and not token.isdigit()


def _terms(paper: Paper) -> set[str]:
    tokens = words(f"{paper.title}. {paper.text}")
    useful = [token if _names_a_theme(token) else "" for token in tokens]
    pairs = {f"{a} {b}" for a, b in pairwise(useful) if a and b}
    return pairs | {t for t in useful if t}
