"""Yes, no or maybe on PubMedQA: the chat model's margin on each question's own abstract.

A margin above the upper cut reads yes, below the lower cut no, between them maybe. The cuts
are set on four fifths of the questions and used on the last fifth, in turn.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations_with_replacement, pairwise
from pathlib import Path
from typing import Any

from benchmarks.lines import read_lines
from benchmarks.report import Result, share
from rag.answer.prompt import Prompts
from rag.config import Config
from rag.llm.gguf import open_model
from rag.resources import prompts_dir
from rag.types import Prompt

SEED, QUESTIONS, FOLDS = 7, 100, 5
_TASK = "{question} Answer Yes or No."
Judged = tuple[float, str]


def measure(config: Config, data: Path, limit: int | None = None) -> Result:
    """Judge the chosen questions; the majority class stands beside it."""
    margin = _judge(config)
    questions = chosen(data / "pubmedqa" / "dev.jsonl")[:limit]
    judged = [(margin(question), question["final_decision"]) for question in questions]
    right = folded(judged)
    counts = Counter(label for _, label in judged)
    most, often = counts.most_common(1)[0]
    rows = (
        ("Citewell's judge", share(right, len(judged))),
        (f"always {most}", share(often, len(judged))),
    )
    settings = {
        "model": config.model,
        "questions": ", ".join(f"{n} {k}" for k, n in counts.items()),
    }
    figures = {"right": right, "counts": dict(counts), "margins": judged}
    title = "Yes, no or maybe on PubMedQA"
    return Result("pubmedqa", title, ("answered by", "accuracy"), rows, settings, figures)


def chosen(path: Path) -> list[dict[str, Any]]:
    """The same 100 questions each time."""
    return random.Random(SEED).sample(read_lines(path), QUESTIONS)


def folded(judged: Sequence[Judged]) -> int:
    """How many are right when each fold is read with the cuts of the others."""
    right = 0
    for fold in range(FOLDS):
        others = [pair for i, pair in enumerate(judged) if i % FOLDS != fold]
        cuts = best_cuts(others)
        right += _right(judged[fold::FOLDS], cuts)
    return right


def best_cuts(judged: Sequence[Judged]) -> tuple[float, float]:
    """The lower and upper cut with the most right answers."""
    values = sorted({margin for margin, _ in judged})
    between = [(a + b) / 2 for a, b in pairwise(values)]
    points = [float("-inf"), *between, float("inf")]
    return max(combinations_with_replacement(points, 2), key=lambda cuts: _right(judged, cuts))


def _right(judged: Sequence[Judged], cuts: tuple[float, float]) -> int:
    low, high = cuts
    return sum(
        label == ("no" if margin < low else "yes" if margin > high else "maybe")
        for margin, label in judged
    )


def _judge(config: Config) -> Callable[[dict[str, Any]], float]:
    model, prompts = open_model(config), Prompts(prompts_dir())

    def margin(question: dict[str, Any]) -> float:
        document = prompts.fill("document", title="", abstract=" ".join(question["contexts"]))
        task = _TASK.format(question=question["question"])
        return model.margin(Prompt(prompts.fill("system"), document, task))

    return margin
