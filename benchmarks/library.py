"""Measure the encoder's rates, and how a library grows.

python -m benchmarks.library --data ../shared/data --sizes 1000,5000,20000,100000
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import click

from benchmarks import growth
from benchmarks.lines import write_lines
from benchmarks.report import Result, publish
from rag.config import Config
from rag.corpus.files import find, read
from rag.corpus.merge import merge
from rag.corpus.titles import title_of
from rag.index.chunks import chunk_papers
from rag.index.embedder import LocalEmbedder
from rag.library import Library
from rag.llm.catalogue import find_embedder
from rag.types import Paper, Record

_FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)
_BATCH = 8
_ROUNDS = 3


def rates(config: Config, data: Path, count: int) -> Result:
    """Abstracts a second: the model alone, sentence-transformers, our embedding, our indexing."""
    with TemporaryDirectory() as temporary:
        where = Path(temporary)
        write_lines(where / "papers.jsonl", growth.papers(data, count))
        papers = _papers(where / "papers.jsonl")
        embedder = LocalEmbedder(find_embedder(config, config.embedder), "it", config.threads)
        chunked = chunk_papers(papers, embedder.count_tokens, embedder.max_tokens)
        chunks = [chunk.text for group in chunked for chunk in group]
        plain = _float32(config)
        whole = [f"{paper.title}. {paper.text}" for paper in papers]
        systems: dict[str, Callable[[], object]] = {
            "model.forward alone, on Citewell's batches": _raw(embedder, chunks),
            "sentence-transformers, float32, cut at 256 word pieces": lambda: plain.encode(whole),
            "Citewell's embedding, whole abstracts": lambda: _embed(embedder, papers),
            "Citewell's indexing": lambda: _indexed(config, where),
        }
        found = {name: _timed(work, len(papers)) for name, work in systems.items()}
    tokens = sum(embedder.count_tokens(chunks)) / len(papers)
    return _rates_result(found, count, tokens)


def _papers(path: Path) -> list[Paper]:
    records = [r for r in read(find([path])[0]) if isinstance(r, Record)]
    described = [(record, *title_of(merge([record], 0))) for record in records]
    return [Paper(str(n), r.text, t, source, ()) for n, (r, t, source) in enumerate(described)]


def _embed(embedder: LocalEmbedder, papers: Sequence[Paper]) -> None:
    chunked = chunk_papers(papers, embedder.count_tokens, embedder.max_tokens)
    embedder.embed_passages([chunk.text for group in chunked for chunk in group])


def _indexed(config: Config, where: Path) -> None:
    with TemporaryDirectory(dir=where) as folder:
        own = replace(config, library=Path(folder))
        with Library.open(own, create=True) as library:
            library.index([where / "papers.jsonl"])


def _float32(config: Config) -> Any:
    import torch
    from sentence_transformers import SentenceTransformer

    folder = str(find_embedder(config, config.embedder))
    model = SentenceTransformer(folder, device="cpu", local_files_only=True)
    return model.to(torch.float32).eval()


def _raw(embedder: LocalEmbedder, chunks: Sequence[str]) -> Callable[[], None]:
    """The transformer on batches that are tokenised and padded beforehand, longest first."""
    import torch

    model = embedder._model
    ordered = sorted(chunks, key=len, reverse=True)
    batches = [
        model.tokenizer(
            ordered[at : at + _BATCH], padding=True, truncation=True,
            max_length=embedder.max_tokens, return_tensors="pt",
        )
        for at in range(0, len(ordered), _BATCH)
    ]  # fmt: skip

    def forward() -> None:
        with torch.inference_mode():
            for batch in batches:
                model[0].auto_model(**batch)

    return forward


def _timed(work: Callable[[], object], count: int) -> tuple[float, float]:
    """Abstracts a second by the clock and by the processor's time, the median of some rounds."""
    clock, processor = [], []
    for _ in range(_ROUNDS):
        before = time.perf_counter(), time.process_time()
        work()
        clock.append(count / (time.perf_counter() - before[0]))
        processor.append(count / (time.process_time() - before[1]))
    return median(clock), median(processor)


def _rates_result(found: dict[str, tuple[float, float]], count: int, tokens: float) -> Result:
    rows = tuple(
        (name, f"{clock:.1f}", f"{processor:.1f}") for name, (clock, processor) in found.items()
    )
    settings = {
        "abstracts": str(count),
        "word pieces an abstract, chunks with titles and overlap": f"{tokens:.0f}",
        "rounds": f"{_ROUNDS}, the median",
    }
    columns = ("what", "abstracts a second", "abstracts a second of processor time")
    return Result("encoder", "Encoding whole abstracts", columns, rows, settings, dict(found))


@click.command()
@click.option("--data", type=_FOLDER, required=True, help=f"Holds {growth.SOURCE}.")
@click.option("--sizes", default="1000,5000,20000,100000", show_default=True)
@click.option("--abstracts", default=1000, show_default=True, help="For the rates; 0 for none.")
@click.option("--hash-above", default=20_000, show_default=True, help="Papers; see the table.")
@click.option("--trial", is_flag=True, help="Keep nothing.")
def main(data: Path, sizes: str, abstracts: int, hash_above: int, trial: bool) -> None:
    """Print the tables, keep them in benchmarks/results and fill docs/benchmarks.md."""
    config = Config.from_environment(os.environ)
    if abstracts:
        publish(rates(config, data, abstracts), keep=not trial)
    wanted = [int(size) for size in sizes.split(",") if size]
    if wanted:
        publish(growth.measure(config, data, wanted, hash_above), keep=not trial)


if __name__ == "__main__":
    main()
