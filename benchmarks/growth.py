"""How time, memory and disk grow with the number of papers: one library of each size."""

from __future__ import annotations

import gzip
import itertools
import json
import multiprocessing
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.lines import write_lines
from benchmarks.report import Result
from rag.config import Config
from rag.text import split_sentences

SOURCE = "arxiv_cs_20k.jsonl.gz"
_SEED = 7
_QUERIES = 100
_STARTS = 5
_DIMENSION = 384


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds, bytes, and milliseconds of one library."""

    papers: int
    index_s: float
    peak_bytes: int
    disk_bytes: int
    open_ms: float
    search_p50_ms: float
    search_p95_ms: float
    hashed: bool


def papers(data: Path, count: int) -> Iterator[dict[str, object]]:
    """Real papers first; then new ones, made of sentences of different real ones."""
    with gzip.open(data / SOURCE, "rt", encoding="utf-8", newline="\n") as lines:
        real = [json.loads(line) for line in itertools.islice(lines, count)]
    yield from ({"id": p["id"], "title": p["title"], "abstract": p["abstract"]} for p in real)
    rng = random.Random(_SEED)
    for n in range(len(real), count):
        chosen = rng.sample(real, 7)
        sentences = [_sentence(rng, paper["abstract"]) for paper in chosen]
        title = f"{chosen[0]['title']}, after {chosen[1]['title']}"
        yield {"id": f"made-{n}", "title": title, "abstract": " ".join(sentences)}


def _sentence(rng: random.Random, text: str) -> str:
    start, end = rng.choice(split_sentences(text) or [(0, len(text))])
    return text[start:end]


def measure(config: Config, data: Path, sizes: Sequence[int], hash_above: int) -> Result:
    """A table with a row a size; vectors are hashes above `hash_above` papers."""
    found = []
    for size in sizes:
        with TemporaryDirectory() as temporary:
            where = Path(temporary)
            write_lines(where / "papers.jsonl", papers(data, size))
            own = replace(config, library=where / "library")
            hashed = size > hash_above
            index_s, peak = _in_child(_index, own, where / "papers.jsonl", hashed)
            disk = sum(p.stat().st_size for p in own.library.rglob("*") if p.is_file())
            times = _in_child(_search, own, where / "papers.jsonl", hashed)
            found.append(Measured(size, index_s, int(peak), disk, *times, hashed))
            print(found[-1], flush=True)
    return _result(found, hash_above)


def _in_child(work: Callable[..., tuple[float, ...]], *given: object) -> tuple[float, ...]:
    """Run in a fresh process, so that each starts with the same memory and cold caches."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(work, given)


def _index(config: Config, path: Path, hashed: bool) -> tuple[float, float]:
    from rag.library import Library

    _prepare(hashed)
    with _peak_memory() as peak, Library.open(config, create=True) as library:
        start = time.perf_counter()
        library.index([path])
        return time.perf_counter() - start, peak()


def _search(config: Config, path: Path, hashed: bool) -> tuple[float, float, float]:
    from rag.library import Library

    _prepare(hashed)
    opened = []
    for _ in range(_STARTS):
        start = time.perf_counter()
        Library.open(config).close()
        opened.append(1000 * (time.perf_counter() - start))
    with Library.open(config) as library:
        library.search("a first question loads the encoder", 10, evidence=False)
        taken = []
        for text in _questions(path):
            start = time.perf_counter()
            library.search(text, 10, evidence=False)
            taken.append(1000 * (time.perf_counter() - start))
    return float(np.median(opened)), float(np.median(taken)), float(np.percentile(taken, 95))


def _questions(path: Path) -> list[str]:
    """A sentence of each of some papers, spread over the file."""
    rng = random.Random(_SEED + 1)
    with path.open(encoding="utf-8", newline="\n") as lines:
        texts = [json.loads(line)["abstract"] for line in lines]
    return [_sentence(rng, text) for text in rng.choices(texts, k=_QUERIES)]


def _prepare(hashed: bool) -> None:
    import rag.index.indexes

    if hashed:
        rag.index.indexes.LocalEmbedder = HashedPassages  # type: ignore[misc,assignment]


class HashedPassages:
    """The real encoder for questions, so that they take their time; vectors of hashed words."""

    def __init__(self, folder: Path, name: str, threads: int | None = None) -> None:
        from rag.index.embedder import LocalEmbedder

        self._real = LocalEmbedder(folder, name, threads)
        self.dimension, self.max_tokens = _DIMENSION, self._real.max_tokens
        self.count_tokens = self._real.count_tokens

    def embed_passages(self, texts: Sequence[str]) -> np.ndarray:
        rows = np.stack([np.sum([_drawn(w) for w in set(t.split())], axis=0) for t in texts])
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)

    def embed_queries(self, texts: Sequence[str]) -> np.ndarray:
        self._real.embed_queries(texts)
        return self.embed_passages(texts)


@lru_cache(maxsize=10_000)
def _drawn(word: str) -> np.ndarray:
    """A vector for a word, always the same."""
    seed = int.from_bytes(word.encode()[:24], "little")
    return np.random.default_rng(seed).standard_normal(_DIMENSION).astype(np.float32)


@contextmanager
def _peak_memory() -> Iterator[Callable[[], float]]:
    """Watch the memory that this process has for itself (RssAnon): files it maps do not count."""
    highest, done = [0], threading.Event()

    def watch() -> None:
        while not done.wait(0.1):
            highest[0] = max(highest[0], anonymous_bytes())

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield lambda: float(highest[0])
    finally:
        done.set()
        watcher.join()


def anonymous_bytes() -> int:
    """RssAnon of this process, as Linux tells it."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    line = next(line for line in status.splitlines() if line.startswith("RssAnon:"))
    return 1024 * int(line.split()[1])


def _result(found: Sequence[Measured], hash_above: int) -> Result:
    rows = tuple(
        (
            f"{m.papers:,}", f"{m.papers / m.index_s:,.0f}{' (hashes)' if m.hashed else ''}",
            f"{m.peak_bytes / 1e6:,.0f} MB", f"{m.disk_bytes / 1e6:,.0f} MB",
            f"{m.open_ms:.0f} ms", f"{m.search_p50_ms:.0f} ms", f"{m.search_p95_ms:.0f} ms",
        )
        for m in found
    )  # fmt: skip
    columns = ("papers", "indexed a second", "peak memory", "disk", "opening", "search p50",
               "search p95")  # fmt: skip
    settings = {
        "questions": str(_QUERIES),
        "vectors": f"of words' hashes above {hash_above:,} papers, the encoder run for questions",
    }
    figures = {str(m.papers): asdict(m) for m in found}
    return Result("library", "Growth with the library", columns, rows, settings, figures)
