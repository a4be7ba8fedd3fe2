"""nDCG@10 and recall@10 on the training queries of SciFact.

The weights of the ranking were chosen with all of them in view, which flatters it a little; the
two halves, of every other query, show how far the figures move by chance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from math import log2
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.exam import citewell
from benchmarks.lines import read_lines, write_lines
from benchmarks.report import Result
from rag.config import Config
from rag.index.record import PaperRecord
from rag.library import Library

DEPTH = 10
_RANK_CONSTANT = 60
Rankings = dict[str, list[str]]
Relevance = Mapping[str, set[str]]


def measure(
    config: Config, data: Path, limit: int | None = None, library: Path | None = None
) -> Result:
    """Dense alone, BM25 alone, plain reciprocal rank fusion, and `citewell search`."""
    folder = data / "scifact"
    with TemporaryDirectory() as temporary:
        where = Path(temporary)
        if library is None:
            library = where / "library"
            citewell("--library", library, "index", folder / "corpus.jsonl.gz")
        queries = read_queries(folder / "queries.jsonl", limit)
        systems = baselines(replace(config, library=library), queries)
        systems["Citewell"] = searched(library, queries, where)
    return _result(systems, read_relevance(folder / "qrels.tsv"), config)


def read_queries(path: Path, limit: int | None = None) -> dict[str, str]:
    """Query texts by id."""
    return {line["_id"]: line["text"] for line in read_lines(path)[:limit]}


def read_relevance(path: Path) -> dict[str, set[str]]:
    """Ids of the relevant papers by query id."""
    relevant: dict[str, set[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        query, paper, grade = line.split("\t")
        if int(grade) > 0:
            relevant.setdefault(query, set()).add(paper)
    return relevant


def baselines(config: Config, queries: Mapping[str, str]) -> dict[str, Rankings]:
    """The rankings of the parts by themselves, and of the plain fusion of both."""
    systems: dict[str, Rankings] = {"dense": {}, "BM25": {}, "reciprocal rank fusion": {}}
    names = _names(config.library)
    with Library.open(config) as library:
        for key, text in queries.items():
            dense = library.dense_scores(library.embed([text])[0])
            sparse = library.word_scores(text)
            scored = (dense, sparse, reciprocal_ranks(dense, sparse))
            for system, scores in zip(systems.values(), scored, strict=True):
                system[key] = [names[n] for n in _best(scores)]
    return systems


def reciprocal_ranks(*rankings: Mapping[int, float]) -> dict[int, float]:
    """Scores by reciprocal rank fusion with the usual constant (Cormack et al. 2009)."""
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, number in enumerate(sorted(ranking, key=lambda n: (-ranking[n], n)), start=1):
            scores[number] = scores.get(number, 0.0) + 1 / (_RANK_CONSTANT + rank)
    return scores


def searched(library: Path, queries: Mapping[str, str], where: Path) -> Rankings:
    """The rankings of `citewell search --batch`."""
    asked, found = where / "queries.jsonl", where / "found.jsonl"
    write_lines(asked, ({"id": key, "text": text} for key, text in queries.items()))
    citewell("--library", library, "search", "-k", str(DEPTH), "--batch", asked, found)
    return {
        answer["id"]: [hit["source_ids"][0] for hit in answer["results"]]
        for answer in read_lines(found)
    }


def ndcg(ranking: Sequence[str], relevant: set[str]) -> float:
    """Normalised discounted cumulative gain at 10, with binary relevance."""
    gain = sum(1 / log2(i + 2) for i, name in enumerate(ranking[:DEPTH]) if name in relevant)
    return gain / sum(1 / log2(i + 2) for i in range(min(len(relevant), DEPTH)))


def recall(ranking: Sequence[str], relevant: set[str]) -> float:
    """The part of the relevant papers that is among the first 10."""
    return len(set(ranking[:DEPTH]) & relevant) / len(relevant)


def halves(keys: Sequence[str]) -> tuple[list[str], list[str]]:
    """Every other query, from the first and from the second."""
    return list(keys[0::2]), list(keys[1::2])


def _names(folder: Path) -> dict[int, str]:
    with closing(PaperRecord.open(folder, create=False)) as record:
        return {number: paper.source_ids[0] for number, paper in record.papers()}


def _best(scores: Mapping[int, float]) -> list[int]:
    return sorted(scores, key=lambda n: (-scores[n], n))[:DEPTH]


def _result(systems: Mapping[str, Rankings], relevant: Relevance, config: Config) -> Result:
    keys = [key for key in systems["Citewell"] if key in relevant]
    groups = {"all": keys, **dict(zip(("one half", "other half"), halves(keys), strict=True))}
    columns = ["ranking"]
    for group in groups:
        columns += [f"nDCG@10, {group}", f"recall@10, {group}"]
    figures = {
        name: {
            f"{metric.__name__}, {group}": _mean(metric, ranking, relevant, chosen)
            for group, chosen in groups.items()
            for metric in (ndcg, recall)
        }
        for name, ranking in systems.items()
    }
    rows = [
        (name, *(f"{value:.3f}" for value in found.values())) for name, found in figures.items()
    ]
    settings = {"queries": str(len(keys)), "embedder": config.embedder}
    title = "Retrieval on SciFact (5,183 abstracts, training queries)"
    return Result("retrieval", title, tuple(columns), tuple(rows), settings, figures)


def _mean(
    metric: Callable[[Sequence[str], set[str]], float], ranking: Rankings, relevant: Relevance,
    keys: Sequence[str],
) -> float:  # fmt: skip
    return sum(metric(ranking[key], relevant[key]) for key in keys) / max(len(keys), 1)
