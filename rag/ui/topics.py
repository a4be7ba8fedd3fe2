"""Finds pairs of words that say what an abstract is about."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from rag.text import readable
from rag.types import Paper

_WORD = re.compile(r"[a-z][a-z-]{3,}")
_BREAK = re.compile(r"[^a-z\s-]+")
_COMMON_WORDS = (
    "this that these those with from have been which while also their such both into than "
    "more most show shows propose proposed paper novel approach method methods results "
    "using used based model models across well however further existing demonstrate over "
    "between through significantly state-of-the-art performance experiments introduce "
    "achieves work works recent different where when they many widely various address "
    "remain remains framework extensive remarkable respectively theoretical empirical "
    "achieve demonstrates superior present study addition only first even without under "
    "within same time significant experimental evaluate evaluation several terms"
)
_COMMON = frozenset(_COMMON_WORDS.split())


def pairs(text: str) -> set[str]:
    """The pairs of neighbouring words of an abstract that carry meaning, in lower case."""
    found = set()
    for clause in _BREAK.split(readable(text).lower()):
        for first, second in pairwise(clause.split()):
            if all(_WORD.fullmatch(w) and w not in _COMMON for w in (first, second)):
                found.add(f"{first} {second}")
    return found


def shared_topic(papers: Sequence[Paper]) -> str:
    """The pair that most papers share, but no more than half of them; empty if none.

    Only what stands in a title is surely a subject: "wide range" never does.
    """
    counts: Counter[str] = Counter()
    titled: set[str] = set()
    for paper in papers:
        counts.update(pairs(paper.text))
        titled |= pairs(paper.title)
    good = [(n, pair) for pair, n in counts.items() if 1 < n <= max(2, len(papers) // 2)]
    good = [(n, pair) for n, pair in good if pair in titled]
    return max(good, default=(0, ""))[1]
