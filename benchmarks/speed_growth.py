"""How indexing, searching and the room on disk grow with the number of papers."""

from __future__ import annotations

import gzip
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory

from benchmarks.exam import SEEDS
from benchmarks.report import Result
from benchmarks.speed_turns import conversations
from rag.config import Config
from rag.library import Library

SAMPLE = 31
_ROUNDS = 5


def measure(config: Config, data: Path, sizes: Sequence[int]) -> Result:
    """A row for each size: the sample lists for 31, else the first papers of the data."""
    figures = {str(size): _grown(config, data, size) for size in sizes}
    rows = tuple(
        (f"{int(size):,}", *(f"{v:,.1f}" for v in f.values())) for size, f in figures.items()
    )
    columns = ("papers", *next(iter(figures.values())))
    settings = {"embedder": config.embedder}
    return Result("speed-growth", "Growth with the library", columns, rows, settings, figures)


def _grown(config: Config, data: Path, size: int) -> dict[str, float]:
    with TemporaryDirectory() as folder:
        where = Path(folder)
        papers = SEEDS if size == SAMPLE else _first(data, size, where / "papers.jsonl")
        own = replace(config, library=where / "library")
        with Library.open(own, create=True) as library:
            library.search("ready", 1)
            started = time.perf_counter()
            library.index([papers])
            indexed = time.perf_counter() - started
            searches = _searches(library)
        used = sum(p.stat().st_size for p in own.library.rglob("*") if p.is_file())
    return {
        "indexed in seconds": indexed,
        "papers a second": size / indexed,
        "search, median in ms": 1e3 * quantiles(searches, n=2)[0],
        "search, 95th percentile in ms": 1e3 * quantiles(searches, n=20)[-1],
        "on disk, MB": used / 1e6,
    }


def _searches(library: Library) -> list[float]:
    """Seconds of each search, none of them the first of its question."""
    questions = [first for _, first, *_ in conversations(None)]
    seconds = []
    for turn in range(_ROUNDS + 1):
        for question in questions:
            started = time.perf_counter()
            library.search(question, 5)
            if turn:
                seconds.append(time.perf_counter() - started)
    return seconds


def _first(data: Path, size: int, target: Path) -> Path:
    with gzip.open(data / "arxiv_cs_20k.jsonl.gz", "rt", encoding="utf-8") as lines:
        target.write_text("".join(islice(lines, size)), encoding="utf-8")
    return target
