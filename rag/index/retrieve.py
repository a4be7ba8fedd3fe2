"""Rank papers for a question: dense and word scores fused, then the best sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rag.text import stems
from rag.types import Evidence, Sentence, Vectors

_RANK_CONSTANT = 60


@dataclass(frozen=True, slots=True)
class Ranked:
    """A paper's number with its fused score and rank scores of both kinds."""

    number: int
    score: float


def fuse(dense: Mapping[int, float], sparse: Mapping[int, float]) -> list[Ranked]:
    """Return the papers by reciprocal rank fusion (Cormack et al. 2009), best first."""
    scores: dict[int, float] = {}
    for ranking in (dense, sparse):
        ordered = sorted(ranking, key=lambda n: (-ranking[n], n))
        for rank, number in enumerate(ordered):
            scores[number] = scores.get(number, 0.0) + 1.0 / (_RANK_CONSTANT + rank + 1)
    best = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    return [Ranked(number, score) for number, score in best]


def best_sentences(
    text: str, query: Vectors, sentences: Sequence[Sentence], vectors: Vectors, limit: int
) -> tuple[Evidence, ...]:
    """Return the sentences nearest to the question by meaning and shared words, best first."""
    if not sentences:
        return ()
    asked = set(stems(text))
    shared = np.array([
        len(asked & set(stems(sentence.text))) / max(len(asked), 1) for sentence in sentences
    ])  # fmt: skip
    scores = vectors @ query.reshape(-1) + 0.5 * shared
    order = np.argsort(-scores, kind="stable")[:limit]
    return tuple(Evidence(sentences[i], float(scores[i])) for i in order)
