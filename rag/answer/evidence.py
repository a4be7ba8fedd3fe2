"""From hits to the sentences shown first, and the checks that need the question.

A figure must be the one asked about: where the question names something that stands in one
sentence or clause only, the figure beside it is the right one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.answer.facts import content, digits, names, numbers
from rag.text import clean, fold
from rag.types import Citation, Hit, Sentence

LEAST_EVIDENCE = 0.3
"""Relevance below which a sentence is not shown as evidence."""

SHOWN = 4
"""Evidence sentences shown before the model starts."""

_CLAUSE = re.compile(
    r"[,;:()]|\b(?:and|while|whereas|as well as|but|versus|compared (?:to|with))\b"
)
_WITHOUT = re.compile(
    r"\b(?:without|except|besides|apart from|not|no|leav\w+ out|omit\w*|exclud\w+)\b[^,.;]{0,24}$",
    re.I,
)


def first_evidence(hits: Sequence[Hit]) -> tuple[Citation, ...]:
    """The best sentences of the best papers, numbered from 1, the first paper leading."""
    chosen = [(hit, item) for hit in hits[:1] for item in hit.evidence[:2]]
    chosen += [(hit, item) for hit in hits[1:3] for item in hit.evidence[:1]]
    picked = [(hit, item.sentence) for hit, item in chosen if item.score >= LEAST_EVIDENCE]
    return tuple(
        Citation(
            n, hit.paper.paper_id, hit.paper.title, sentence.text, sentence.start, sentence.end,
            hit.paper.files,
        )
        for n, (hit, sentence) in enumerate(picked[:SHOWN], start=1)
    )  # fmt: skip


def figure_elsewhere(claim: str, question: str, sentences: Sequence[Sentence]) -> int | None:
    """The sentence that holds the figure asked about, where the claim's figure is another.

    Returns None where the claim has no figure, or the question names nothing that tells the
    figures apart.
    """
    said = digits(claim) | (numbers(claim) - numbers(question))
    if not said:
        return None
    wanted, unwanted = _asked_names(question)
    for name in unwanted & names(claim):
        return _figure_without(name, question, sentences)
    for name in sorted(wanted):
        holding = [s for s in sentences if _holds(s.text, name) and numbers(s.text)]
        if len(holding) != 1:
            continue
        near = _numbers_beside(clean(holding[0].text), name)
        if near and not near & said:
            return holding[0].index
    return None


def _figure_without(name: str, question: str, sentences: Sequence[Sentence]) -> int | None:
    """The sentence with a figure that fits the question best and leaves a name out."""
    asked = content(clean(question))
    free = [s for s in sentences if numbers(s.text) and not _holds(s.text, name)]
    if not free:
        return None
    return max(free, key=lambda s: len(asked & content(clean(s.text)))).index


_LEFT_OUT = re.compile(r"\s+(?:is |are |was )?(?:excluded|left out|omitted|removed|not used)\b")


def clause_with(sentence: str, name: str) -> str:
    """The part of a cleaned sentence between separators that holds a name."""
    at = fold(sentence).find(name)
    start = end = 0
    for match in [*_CLAUSE.finditer(sentence), None]:
        end = match.start() if match else len(sentence)
        if start <= at < end:
            return sentence[start:end]
        start = match.end() if match else end
    return sentence


def _asked_names(question: str) -> tuple[set[str], set[str]]:
    """The names in a question, and those it leaves out ("without YOCO")."""
    plain = clean(question)
    folded = fold(plain)
    found = names(plain)
    unwanted = set()
    for name in found:
        before, _, after = folded.partition(name)
        if _WITHOUT.search(before) or _LEFT_OUT.match(after):
            unwanted.add(name)
    return found - unwanted, unwanted


def _holds(text: str, name: str) -> bool:
    return re.search(rf"\b{re.escape(name)}", fold(clean(text))) is not None


def _numbers_beside(sentence: str, name: str) -> set[str]:
    found = numbers(clause_with(sentence, name))
    return found or numbers(sentence)
