"""Cut an abstract into sentences and into chunks that fit the encoder."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rag.text import clean, split_sentences
from rag.types import Chunk, Paper, Sentence

Counter = Callable[[Sequence[str]], list[int]]
_WORD = re.compile(r"\S+")
_SPECIAL = 2
_OVERLAP = 1


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the raw text, its cleaned form, and its length in word pieces."""

    start: int
    end: int
    text: str
    tokens: int


def sentences(paper: Paper) -> tuple[Sentence, ...]:
    """Return the sentences of a paper with exact offsets."""
    spans = split_sentences(paper.text)
    return tuple(
        Sentence(paper.paper_id, n, start, end, paper.text[start:end])
        for n, (start, end) in enumerate(spans)
    )


def chunk_papers(papers: Sequence[Paper], count: Counter, limit: int) -> list[list[Chunk]]:
    """Return the chunks of each paper: runs of whole sentences that overlap by one.

    `count` gives the word pieces of texts with the two special ones; no chunk has more
    than `limit`. A sentence longer than that is cut between words. The title leads each
    chunk, since a chunk seldom says by itself what its paper is about.
    """
    heads = [head(paper) for paper in papers]
    spans = [split_sentences(paper.text) for paper in papers]
    texts = [clean(p.text[a:b]) for p, pairs in zip(papers, spans, strict=True) for a, b in pairs]
    counted = iter(count([*heads, *texts]))
    head_tokens = [next(counted) - _SPECIAL for _ in heads]
    cleaned = iter(texts)
    result = []
    for paper, title, used, pairs in zip(papers, heads, head_tokens, spans, strict=True):
        if used > limit // 2:
            title, used = "", 0
        room = limit - _SPECIAL - used
        pieces = [Piece(a, b, next(cleaned), next(counted) - _SPECIAL) for a, b in pairs]
        fitting = [p for piece in pieces for p in _fit(piece, paper.text, count, room)]
        result.append(_assemble(paper, title, fitting, room))
    return result


def head(paper: Paper) -> str:
    """Return the words that lead each chunk: the given title, closed by a full stop."""
    if paper.title_source != "given":
        return ""
    title = clean(paper.title)
    return title if title.endswith((".", "?", "!")) else f"{title}."


def _fit(piece: Piece, text: str, count: Counter, room: int) -> list[Piece]:
    """Cut a piece in halves between words until each fits."""
    if piece.tokens <= room:
        return [piece]
    words = [(m.start() + piece.start, m.end() + piece.start) for m in
             _WORD.finditer(text[piece.start : piece.end])]  # fmt: skip
    if len(words) < 2:
        middle = (piece.start + piece.end) // 2
        bounds = [(piece.start, middle), (middle, piece.end)]
    else:
        middle = len(words) // 2
        bounds = [(piece.start, words[middle - 1][1]), (words[middle][0], piece.end)]
    texts = [clean(text[a:b]) for a, b in bounds]
    halves = [
        Piece(a, b, cleaned, tokens - _SPECIAL)
        for (a, b), cleaned, tokens in zip(bounds, texts, count(texts), strict=True)
    ]
    return [part for half in halves for part in _fit(half, text, count, room)]


def _assemble(paper: Paper, title: str, pieces: list[Piece], room: int) -> list[Chunk]:
    if not pieces:
        return [Chunk(paper.paper_id, 0, 0, 0, title or clean(paper.title))]
    runs = _runs(pieces, room)
    return [
        Chunk(
            paper.paper_id, n, run[0].start, run[-1].end,
            " ".join(filter(None, [title, *(piece.text for piece in run)])),
        )
        for n, run in enumerate(runs)
    ]  # fmt: skip


def _runs(pieces: list[Piece], room: int) -> list[list[Piece]]:
    """Group pieces greedily; each run after the first repeats the last piece before it."""
    runs: list[list[Piece]] = [[]]
    used = 0
    for piece in pieces:
        if runs[-1] and used + piece.tokens > room:
            lead = runs[-1][-_OVERLAP:]
            kept = lead if sum(p.tokens for p in lead) + piece.tokens <= room else []
            runs.append(list(kept))
            used = sum(p.tokens for p in kept)
        runs[-1].append(piece)
        used += piece.tokens
    return runs
