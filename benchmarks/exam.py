"""Answer an exam with `citewell ask --batch` and grade it with the exam's own grade.py."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.lines import read_lines, write_lines
from benchmarks.report import HERE, Result, share

SEEDS = HERE.parent / "seeds"
QUESTIONS = HERE / "questions"
_ARXIV_PAPERS = 200
_COMMAND = (sys.executable, "-c", "from rag.cli import main; main()")

_COLUMNS = {
    "keywords": ("keywords", "answerable"),
    "evidence": ("evidence", "answerable"),
    "citations to a right paper": ("cited_right", "cited_papers"),
    "right papers cited": ("gold_cited", "gold"),
    "abstention right": ("abstain_right", "answered"),
    "wrongly abstained": ("wrong_abstain", "answerable"),
    "verbatim quotes": ("quotes_verbatim", "citations"),
    "sentences cited": ("sentences_cited", "sentences"),
    "unknown numbers": ("numbers_unknown", "numbers"),
}


def citewell(*arguments: str | Path) -> None:
    """Run the command in a process of its own. Raises CalledProcessError."""
    subprocess.run([*_COMMAND, *map(str, arguments)], check=True, cwd=HERE.parent)


def dev_exam(
    exam: Path, model: str, limit: int | None = None, library: Path | None = None
) -> Result:
    """The dev exam on the sample lists."""
    with TemporaryDirectory() as folder:
        where = Path(folder)
        return _graded(
            "exam", "The dev exam, by kind of question", exam / "dev.jsonl", exam / "grade.py",
            library or _library(where, SEEDS), SEEDS, where, model, limit,
        )  # fmt: skip


def practice(exam: Path, model: str, limit: int | None = None) -> Result:
    """Our own questions on the sample lists that the answering was tuned with."""
    return _on_seeds("practice", "Our own questions, tuned with", exam, model, limit)


def own_seeds(exam: Path, model: str, limit: int | None = None) -> Result:
    """Our own questions on the sample lists that nothing was tuned with."""
    return _on_seeds("fresh", "Fresh questions on the sample lists", exam, model, limit)


def _on_seeds(name: str, title: str, exam: Path, model: str, limit: int | None) -> Result:
    with TemporaryDirectory() as folder:
        where = Path(folder)
        return _graded(
            name, title, QUESTIONS / f"{name}.jsonl", exam / "grade.py", _library(where, SEEDS),
            SEEDS, where, model, limit,
        )  # fmt: skip


def own_arxiv(exam: Path, data: Path, model: str, limit: int | None = None) -> Result:
    """Our own questions on the first 200 computer-science abstracts of the data folder."""
    with TemporaryDirectory() as folder:
        where = Path(folder)
        papers = where / "papers.jsonl"
        with gzip.open(data / "arxiv_cs_20k.jsonl.gz", "rt", encoding="utf-8") as lines:
            papers.write_text("".join(islice(lines, _ARXIV_PAPERS)), encoding="utf-8")
        texts = write_texts(papers, where / "texts")
        return _graded(
            "own-arxiv", "Our own questions on 200 computer-science abstracts",
            QUESTIONS / "arxiv.jsonl", exam / "grade.py", _library(where, papers), texts, where,
            model, limit,
        )  # fmt: skip


def write_texts(papers: Path, folder: Path) -> Path:
    """Write the abstracts as grade.py reads them: a heading, then one a paragraph."""
    abstracts = [paper["abstract"].strip() for paper in read_lines(papers)]
    folder.mkdir()
    (folder / "papers.txt").write_text("\n\n".join(["Abstracts", *abstracts]), encoding="utf-8")
    return folder


def _library(where: Path, papers: Path) -> Path:
    library = where / "library"
    citewell("--library", library, "index", papers)
    return library


def _graded(
    name: str, title: str, exam: Path, grade: Path, library: Path, texts: Path, where: Path,
    model: str, limit: int | None,
) -> Result:  # fmt: skip
    questions = read_lines(exam)[:limit]
    asked, answers = where / "questions.jsonl", where / "answers.jsonl"
    write_lines(asked, questions)
    citewell("--library", library, "--model", model, "ask", "--batch", asked, answers)
    groups = {"all": questions}
    for question in questions:
        groups.setdefault(question["kind"], []).append(question)
    figures = {kind: _grade(grade, group, answers, texts, where) for kind, group in groups.items()}
    rows = [_row(kind, figures[kind]) for kind in [*list(groups)[1:], "all"]]
    columns = ("kind", "turns", *_COLUMNS, "seconds a turn")
    settings = {"model": model, "questions": str(len(questions))}
    return Result(name, title, columns, tuple(rows), settings, figures)


def _grade(
    grade: Path, group: list[dict[str, object]], answers: Path, texts: Path, where: Path
) -> dict[str, float]:
    part = where / "part.jsonl"
    write_lines(part, group)
    done = subprocess.run(
        [sys.executable, grade, part, answers, texts], check=True, capture_output=True, text=True
    )
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def _row(kind: str, found: dict[str, float]) -> tuple[str, ...]:
    shares = [share(found.get(a, 0), found.get(b, 0)) for a, b in _COLUMNS.values()]
    timed = found.get("timed", 0)
    seconds = f"{found['total_s'] / timed:.1f}" if timed else "-"
    return (kind, f"{found['turns']:g}", *shares, seconds)
