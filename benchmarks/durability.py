"""Kill `citewell index` at random moments, and see that what it had committed is there.

python -m benchmarks.durability --kills 200
"""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from benchmarks.lines import write_lines
from benchmarks.report import Result, publish
from rag.config import Config
from rag.library import Library

_SEED = 11
_LONGEST_S = 3.0
_IMPORTED = ("torch", "sentence_transformers", "chromadb", "tantivy", "rag.cli")
_NOUNS = "moss ice brass glass sand rice slate wool clay salt bark silk corn flint peat wax".split()


@dataclass(slots=True)
class Tally:
    """What was seen over all kills. Papers are counted once a commit that named them."""

    before_commit: int = 0
    after_commit: int = 0
    finished: int = 0
    committed: int = 0
    lost: list[str] = field(default_factory=list)
    half_added: list[str] = field(default_factory=list)


def measure(config: Config, kills: int, papers: int) -> Result:
    """Index a file whose papers change now and then, killed each time but the last."""
    rng, tally = random.Random(_SEED), Tally()
    with TemporaryDirectory() as temporary:
        where = Path(temporary)
        config = replace(config, library=where / "library")
        known: set[str] = set()
        for round_ in range(kills):
            edition = write_papers(where / "papers.jsonl", papers, round_)
            known |= killed_run(config.library, where / "papers.jsonl", rng, tally)
            inspect(config, known, edition, tally)
        edition = write_papers(where / "papers.jsonl", papers, kills)
        known |= Run(config.library, where / "papers.jsonl").committed()
        inspect(config, known, edition, tally)
        with Library.open(config) as library:
            complete = {paper.text for paper in library.papers()} == edition
    return _result(tally, kills, papers, complete)


def write_papers(path: Path, count: int, round_: int) -> set[str]:
    """Write the papers of a round, a part of which differs from the last; returns the texts."""
    texts = []
    for n in range(count):
        # Each paper changes in every seventh round, and a different part of them in each.
        edition = (round_ + n % 7) // 7
        noun, other = _NOUNS[n % 16], _NOUNS[n // 16 % 16]
        texts.append(f"Sample {n} of {noun} on {other} was weighed {edition + 2} times.")
    write_lines(path, ({"_id": f"p{n}", "text": text} for n, text in enumerate(texts)))
    return set(texts)


def killed_run(library: Path, papers: Path, rng: random.Random, tally: Tally) -> set[str]:
    """Start the command and kill it; returns the ids that it reported as committed.

    Half of the kills are timed from its start, the others from its first commit.
    """
    child = Run(library, papers)
    if rng.random() < 0.5:
        child.wait_for_commit()
    child.process.join(rng.uniform(0, _LONGEST_S))
    child.process.kill()
    known = child.committed()
    if child.process.exitcode == 0:
        tally.finished += 1
    elif known:
        tally.after_commit += 1
    else:
        tally.before_commit += 1
    tally.committed += len(known)
    return known


class Run:
    """`citewell index --json` in a process of its own, which has its libraries imported."""

    def __init__(self, library: Path, papers: Path) -> None:
        self._out = papers.with_suffix(".out")
        self._out.unlink(missing_ok=True)
        arguments = ["--library", str(library), "index", "--json", str(papers)]
        # From a server without threads of its own, so that nothing is shared between two runs.
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(list(_IMPORTED))
        self.process = context.Process(target=_command, args=(arguments, self._out))
        self.process.start()

    def wait_for_commit(self) -> None:
        """Wait until something is committed, or the process has ended."""
        while self.process.is_alive() and not (self._out.exists() and self._out.stat().st_size):
            time.sleep(0.02)

    def committed(self) -> set[str]:
        """Wait for the end; returns the ids in the `committed` lines."""
        self.process.join()
        lines = self._out.read_text(encoding="utf-8").splitlines() if self._out.exists() else []
        return {paper_id for line in lines for paper_id in _ids(line)}


def _command(arguments: list[str], out: Path) -> None:
    from rag.cli import main

    with out.open("wb") as file:
        os.dup2(file.fileno(), 1)
    main(arguments)


def _ids(line: str) -> set[str]:
    try:
        return set(json.loads(line).get("committed", ()))
    except json.JSONDecodeError:
        # The line that the kill cut off.
        return set()


def inspect(config: Config, known: set[str], texts: set[str], tally: Tally) -> None:
    """Note the committed papers that are gone, and found ones whose indexes know another text."""
    if not (config.library / "record.sqlite3").exists():
        tally.lost += known
        return
    with Library.open(config) as library:
        shown = {paper.paper_id: paper for paper in library.papers()}
        tally.lost += known - shown.keys()
        for paper in random.Random(len(known)).sample(list(shown.values()), min(3, len(shown))):
            hits = library.search(paper.text, k=1)
            if not hits or hits[0].paper.paper_id != paper.paper_id:
                tally.half_added.append(paper.paper_id)
        for hit in library.search(next(iter(texts)), k=50):
            if hit.paper.paper_id not in shown:
                tally.half_added.append(hit.paper.paper_id)


def _result(tally: Tally, kills: int, papers: int, complete: bool) -> Result:
    rows = (
        ("kills before anything was committed", str(tally.before_commit)),
        ("kills after a commit", str(tally.after_commit)),
        ("runs that had finished before the kill", str(tally.finished)),
        ("papers reported as committed, over all runs", f"{tally.committed:,}"),
        ("of these lost", str(len(tally.lost))),
        ("papers found by one index and not by the other", str(len(tally.half_added))),
        (
            "a last run, not killed, leaves every paper in its newest text",
            "yes" if complete else "NO",
        ),
    )
    settings = {"papers in the file": str(papers), "seed": str(_SEED)}
    figures = {
        "kills": kills, "lost": len(tally.lost), "half_added": len(tally.half_added),
        "complete": complete,
    }  # fmt: skip
    title = f"`kill -9` at {kills} random moments of `citewell index`"
    return Result("durability", title, ("what", "seen"), rows, settings, figures)


@click.command()
@click.option("--kills", default=200, show_default=True, type=click.IntRange(1))
@click.option("--papers", default=400, show_default=True, type=click.IntRange(7))
@click.option("--trial", is_flag=True, help="Keep nothing.")
def main(kills: int, papers: int, trial: bool) -> None:
    """Print the table, keep it in benchmarks/results and fill docs/benchmarks.md."""
    result = measure(Config.from_environment(os.environ), kills, papers)
    publish(result, keep=not trial)
    sys.exit(0 if not result.figures["lost"] and result.figures["complete"] else 1)


if __name__ == "__main__":
    main()
