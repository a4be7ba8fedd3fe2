"""How often `supported` is right, on the training claims of SciFact.

Each claim comes with abstracts that support it, contradict it, or say nothing of it (the
abstract is about the same, which makes it the hard case). A claim is checked twice: against
the evidence sentences alone, and against the whole abstract, as answers are.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.lines import read_lines
from benchmarks.report import Result, share
from rag.answer.attribute import SUPPORTED, Claim, Support, support
from rag.config import Config
from rag.index.embedder import LocalEmbedder
from rag.llm.catalogue import find_embedder
from rag.text import clean
from rag.types import Vectors

SEED = 7
KINDS = ("supporting", "contradicting", "silent", "unrelated")


@dataclass(frozen=True, slots=True)
class Case:
    """A claim beside an abstract; `evidence` holds the places of the evidence sentences."""

    kind: str
    claim: str
    title: str
    sentences: tuple[str, ...]
    evidence: tuple[int, ...]


def measure(config: Config, data: Path, limit: int | None = None) -> list[Result]:
    """Check all claims; one table for whole abstracts and one for evidence sentences alone."""
    cases = read_cases(data / "scifact", limit)
    texts = {clean(text) for case in cases for text in (case.claim, *case.sentences)}
    vectors = _embed(config, sorted(texts))
    alone = [_alone(case) for case in cases if case.kind != "silent"]
    settings = {"embedder": config.embedder, "cut": f"{SUPPORTED:g}"}
    return [
        _result(
            "attribution", "A claim against a whole abstract (SciFact, training claims)",
            _check(cases, vectors), settings,
        ),
        _result(
            "attribution-sentences", "A claim against single sentences (SciFact, training claims)",
            _check(alone, vectors), settings,
        ),
    ]  # fmt: skip


def read_cases(folder: Path, limit: int | None = None) -> list[Case]:
    """Every claim with every abstract it cites, and with one drawn abstract it does not."""
    with gzip.open(folder / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        corpus = {paper["_id"]: paper for paper in map(json.loads, lines)}
    drawn = random.Random(SEED)
    claims = read_lines(folder / "claims.jsonl")
    return [case for claim in claims[:limit] for case in _cases(claim, corpus, drawn)]


def _cases(claim: dict[str, Any], corpus: dict[str, Any], drawn: random.Random) -> Iterator[Case]:
    for name in claim["cited_doc_ids"]:
        sets = claim["evidence"].get(name, [])
        kinds = {"SUPPORT": "supporting", "CONTRADICT": "contradicting"}
        kind = kinds[sets[0]["label"]] if sets else "silent"
        places = tuple(sorted({place for found in sets for place in found["sentences"]}))
        yield _case(kind, claim, corpus[name], places)
    others = [name for name in corpus if name not in claim["cited_doc_ids"]]
    yield _case("unrelated", claim, corpus[drawn.choice(others)], ())


def _case(kind: str, claim: dict[str, Any], paper: dict[str, Any], places: tuple[int, ...]) -> Case:
    return Case(kind, claim["claim"], paper["title"], tuple(paper["sentences"]), places)


def _alone(case: Case) -> Case:
    """The case with its evidence sentences only, or with a first sentence that is none."""
    kept = case.evidence or (0,)
    sentences = tuple(case.sentences[i] for i in kept)
    return Case(case.kind, case.claim, case.title, sentences, tuple(range(len(case.evidence))))


def _embed(config: Config, texts: list[str]) -> dict[str, Vectors]:
    folder = find_embedder(config, config.embedder)
    embedder = LocalEmbedder(folder, config.embedder, config.threads)
    return dict(zip(texts, embedder.embed_queries(texts), strict=True))


def _check(cases: Iterable[Case], vectors: dict[str, Vectors]) -> list[tuple[Case, Support]]:
    checked = []
    for case in cases:
        claim = Claim.of(case.claim, vectors[clean(case.claim)])
        rows = np.stack([vectors[clean(sentence)] for sentence in case.sentences])
        checked.append((case, support(claim, case.sentences, rows, title=case.title)))
    return checked


def _result(
    name: str, title: str, checked: list[tuple[Case, Support]], settings: dict[str, str]
) -> Result:
    totals = {kind: sum(case.kind == kind for case, _ in checked) for kind in KINDS}
    passed = {
        kind: sum(case.kind == kind and found.verdict == "supported" for case, found in checked)
        for kind in KINDS
    }
    right = passed["supporting"]
    placed = sum(
        case.kind == "supporting" and found.verdict == "supported"
        and bool(set(found.sentences) & set(case.evidence))
        for case, found in checked
    )  # fmt: skip
    rows = [(kind, share(passed[kind], totals[kind])) for kind in KINDS if totals[kind]]
    rows += [
        ("recall of supported", share(right, totals["supporting"])),
        ("precision of supported", share(right, sum(passed.values()))),
        ("of these, an evidence sentence is cited", share(placed, right)),
    ]
    figures = {"passed": passed, "totals": totals, "placed": placed}
    return Result(name, title, ("pairs", "called supported"), tuple(rows), settings, figures)
