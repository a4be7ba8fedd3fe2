"""Measure the quality of answers, attribution and retrieval: `make bench-quality`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import click

from benchmarks import attribution, exam, pubmedqa, retrieval
from benchmarks.report import Result, publish
from rag.config import Config

PARTS = ("exam", "practice", "own", "attribution", "retrieval", "pubmedqa")
_FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)


@click.command()
@click.option("--exam", "exam_dir", type=_FOLDER, required=True, help="dev.jsonl and grade.py.")
@click.option("--data", type=_FOLDER, required=True, help="SciFact, PubMedQA, arXiv abstracts.")
@click.option("--only", multiple=True, type=click.Choice(PARTS), help="These parts alone.")
@click.option("--library", type=_FOLDER, help="One that is there, for a part that needs just one.")
@click.option("--model", help="Chat model.")
@click.option("--limit", type=click.IntRange(1), help="The first N items; nothing is kept.")
def main(
    exam_dir: Path, data: Path, only: tuple[str, ...], library: Path | None, model: str | None,
    limit: int | None,
) -> None:  # fmt: skip
    """Print the tables, keep them in benchmarks/results and fill docs/benchmarks.md."""
    config = Config.from_environment(os.environ, model=model)
    exam_dir, data = exam_dir.absolute(), data.absolute()
    library = library.absolute() if library else None

    def own() -> Iterator[Result]:
        yield exam.own_seeds(exam_dir, config.model, limit)
        yield exam.own_arxiv(exam_dir, data, config.model, limit)

    parts: dict[str, Callable[[], Iterator[Result] | list[Result]]] = {
        "exam": lambda: [exam.dev_exam(exam_dir, config.model, limit, library)],
        "practice": lambda: [exam.practice(exam_dir, config.model, limit)],
        "own": own,
        "attribution": lambda: attribution.measure(config, data, limit),
        "retrieval": lambda: [retrieval.measure(config, data, limit, library)],
        "pubmedqa": lambda: [pubmedqa.measure(config, data, limit)],
    }
    for part in only or PARTS:
        for result in parts[part]():
            publish(result, keep=limit is None)


if __name__ == "__main__":
    main()
