"""Decide which sentences of an abstract support a sentence, and how well.

The verdict comes from words, numbers, names, negation, direction and embedding together.
The weights were set with the training claims of SciFact; `make bench-quality` measures the cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp

import numpy as np

from rag.answer.facts import content, direction, drops_negation, names, negated, numbers
from rag.text import clean, fold
from rag.types import Vectors, Verdict

SUPPORTED, PARTIAL = 0.5, 0.3
"""Cuts on the support score, set by `benchmarks/attribution.py`."""

MOST_SENTENCES = 3
_SECOND_GAIN = 0.2
_BIAS = -6.0
_WEIGHTS = {
    "coverage": 5.0,
    "similarity": 4.5,
    "missing_numbers": -4.0,
    "missing_names": -2.5,
    "negation": -4.0,
    "opposite": -3.0,
}


@dataclass(frozen=True, slots=True)
class Support:
    """Indices of the supporting sentences, best first; the score is 0 to 1."""

    sentences: tuple[int, ...]
    score: float
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence to be checked, with its parts read once. `context` is the question."""

    text: str
    vector: Vectors
    stems: frozenset[str]
    numbers: frozenset[str]
    names: frozenset[str]
    context: str

    @classmethod
    def of(cls, text: str, vector: Vectors, context: str = "") -> Claim:
        """Read a claim; `vector` is its unit embedding, shape [dimension]."""
        plain = clean(text)
        return cls(
            plain, vector, frozenset(content(plain)), frozenset(numbers(plain)),
            frozenset(names(plain)), clean(context),
        )  # fmt: skip


def support(
    claim: Claim, sentences: Sequence[str], vectors: Vectors, *, title: str = ""
) -> Support:
    """The best sentences for a claim, at most MOST_SENTENCES.

    Args:
        claim: the sentence to be checked.
        sentences: the abstract's sentences.
        vectors: their unit embeddings, shape [len(sentences), dimension].
        title: names in it count as known, numbers do not.
    """
    plain = [clean(sentence) for sentence in sentences]
    known = fold(f"{title} {claim.context} {' '.join(plain)}")
    alone = [_score(claim, [i], plain, vectors, known) for i in range(len(plain))]
    best = int(np.argmax(alone))
    pairs = {
        i: _score(claim, [best, i], plain, vectors, known) for i in range(len(plain)) if i != best
    }
    second = max(pairs, key=lambda i: pairs[i], default=best)
    chosen: tuple[int, ...] = (best,)
    score = alone[best]
    if pairs and _adds(claim, plain, best, second) and pairs[second] > alone[best]:
        chosen, score = (best, second), pairs[second]
    return _verdict(_with_equals(chosen, alone), score)


def _with_equals(chosen: tuple[int, ...], alone: Sequence[float]) -> tuple[int, ...]:
    """The chosen sentences, and others that would support the claim by themselves."""
    others = [i for i in range(len(alone)) if i not in chosen and alone[i] >= SUPPORTED]
    others.sort(key=lambda i: -alone[i])
    return (*chosen, *others)[:MOST_SENTENCES]


def features(
    claim: Claim, chosen: Sequence[int], plain: Sequence[str], vectors: Vectors, known: str
) -> dict[str, float]:
    """What the score is made of; each between -1 and 1, or a count."""
    text = " ".join(plain[i] for i in chosen)
    asked = content(claim.context)
    telling = (claim.stems - asked) or claim.stems
    found = content(text)
    held = numbers(text) | numbers(claim.context)
    return {
        "coverage": len(telling & found) / max(len(telling), 1),
        "similarity": float(max(vectors[i] @ claim.vector for i in chosen)),
        "missing_numbers": float(len(claim.numbers - held)),
        "missing_names": float(sum(name not in known for name in claim.names)),
        "negation": float(_turned(claim, text)),
        "opposite": float(direction(claim.text) * direction(text) < 0),
    }


def _turned(claim: Claim, text: str) -> bool:
    """Whether claim and source differ by a negation that the question does not bring in."""
    added = negated(claim.text) and not negated(text) and not negated(claim.context)
    return added or drops_negation(claim.text, text)


def _score(
    claim: Claim, chosen: Sequence[int], plain: Sequence[str], vectors: Vectors, known: str
) -> float:
    values = features(claim, chosen, plain, vectors, known)
    total = _BIAS + sum(_WEIGHTS[name] * value for name, value in values.items())
    return 1 / (1 + exp(-total))


def _adds(claim: Claim, plain: Sequence[str], best: int, second: int) -> bool:
    """Whether the second sentence covers enough of what the best one leaves open."""
    left = (claim.stems | claim.numbers) - content(plain[best]) - numbers(plain[best])
    gained = left & (content(plain[second]) | numbers(plain[second]))
    return len(gained) >= _SECOND_GAIN * max(len(claim.stems), 1)


def _verdict(chosen: tuple[int, ...], score: float) -> Support:
    if score >= SUPPORTED:
        return Support(chosen, score, "supported")
    return Support(chosen, score, "partial" if score >= PARTIAL else "unsupported")
