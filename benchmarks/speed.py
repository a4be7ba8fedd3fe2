"""Measure how fast answers come, beside other pipelines and the limits: `make bench`."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import click

from benchmarks import speed_answers, speed_growth, speed_limits, speed_llamaindex, speed_serve
from benchmarks.exam import SEEDS, citewell
from benchmarks.report import HERE, RESULTS, Result, publish
from benchmarks.speed_plot import draw
from benchmarks.speed_turns import ITEM, KINDS, MEASURES, Turn
from rag.config import Config

PARTS = ("limits", "serve", "answers", "llamaindex")
PICTURE = HERE.parent / "docs" / "images" / "speed.svg"
LIBRARY = HERE.parent / "build" / "speed" / "library"
_FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)

# Title, table, figure, bound, and whether the figure must be at most or at least the bound.
TARGETS = (
    ("evidence on screen, of the tutorial's time to first token", "speed", "evidence", 0.03, "<="),
    ("first token, papers read before", "speed", "first_read", 0.10, "<="),
    ("first token, nothing read before", "speed", "first_unread", 0.35, "<="),
    ("whole answer", "speed", "whole", 0.45, "<="),
    ("first entry or cell", "speed", "item", 0.35, "<="),
    ("writing, of one token a step", "speed-decode", "gain", 1.5, ">="),
    ("writing, the least gain of an answer", "speed-decode", "least", 0.97, ">="),
    ("time outside the model, of an answer", "speed", "outside", 0.05, "<="),
    ("anonymous memory of the served page, GB", "speed-serve", "memory_gb", 1.5, "<="),
)


@click.command()
@click.option("--only", multiple=True, type=click.Choice([*PARTS, "growth"]), help="These alone.")
@click.option("--model", help="Chat model.")
@click.option(
    "--each",
    type=click.IntRange(1),
    default=2,
    show_default=True,
    help="Talks of each kind, half of it of lists.",
)
@click.option(
    "--all",
    "whole",
    is_flag=True,
    help="All twenty questions, also for LlamaIndex, and every paper read ahead.",
)
@click.option("--sizes", help="Sizes of libraries to grow through, such as 31,2000,20000.")
@click.option("--data", type=_FOLDER, help="Folder of arxiv_cs_20k.jsonl.gz, for --sizes.")
@click.option("--trial", is_flag=True, help="Print the tables and keep nothing.")
def main(
    only: tuple[str, ...], model: str | None, each: int, whole: bool, sizes: str | None,
    data: Path | None, trial: bool,
) -> None:  # fmt: skip
    """Print the tables, keep them in benchmarks/results, fill docs/benchmarks.md, draw."""
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    config = replace(Config.from_environment(os.environ, model=model), library=_library())
    count = None if whole else each
    parts: dict[str, Callable[[], Iterator[Result] | list[Result]]] = {
        "limits": lambda: speed_limits.measure(config, count),
        "serve": lambda: [speed_serve.measure(config.model, config.library, whole=whole)],
        "answers": lambda: [speed_answers.measure(config, count)],
        "llamaindex": lambda: speed_llamaindex.measure(config, count if whole else 1),
        "growth": lambda: [_growth(config, sizes, data)],
    }
    figures = _kept() if not trial else {}
    for part in only or (*PARTS, *(["growth"] if sizes else [])):
        for result in parts[part]():
            figures[result.name] = result.figures
            publish(result, keep=not trial)
    publish(targets(figures, config.model), keep=not trial)
    if not trial and "speed" in figures:
        _picture(figures["speed"])


def targets(figures: Mapping[str, Mapping[str, Any]], model: str) -> Result:
    """Each target with what was measured, and whether it is met."""
    rows = []
    for title, table, name, bound, sign in TARGETS:
        value = _figure(figures.get(table, {}), name)
        met = value is not None and (value <= bound if sign == "<=" else value >= bound)
        said = "not measured" if value is None else "met" if met else "not met"
        rows.append((title, f"{sign} {bound}", "-" if value is None else f"{value:.3f}", said))
    columns = ("target", "bound", "measured", "")
    title = "Targets: ratios to the tutorial pipeline unless they say otherwise"
    return Result("speed-targets", title, columns, tuple(rows), {"model": model})


def _figure(figures: Mapping[str, Any], name: str) -> float | None:
    if name == "memory_gb":
        return figures["memory"] / 1e9 if "memory" in figures else None
    value = figures.get(name)
    return None if value is None else float(value)


def _library() -> Path:
    """The sample library, which is kept from one run to the next."""
    if not (LIBRARY / "record.sqlite3").exists():
        citewell("--library", LIBRARY, "index", SEEDS)
    return LIBRARY


def _growth(config: Config, sizes: str | None, data: Path | None) -> Result:
    if not sizes or data is None:
        raise click.UsageError("Growth takes --sizes 31,2000,20000 and --data FOLDER.")
    numbers = [int(size) for size in sizes.split(",")]
    return speed_growth.measure(config, data.absolute(), numbers)


def _kept() -> dict[str, Mapping[str, Any]]:
    """The figures of tables that were measured before, so that parts can be run alone."""
    files = RESULTS.glob("speed*.json")
    return {file.stem: json.loads(file.read_text(encoding="utf-8"))["figures"] for file in files}


def _picture(figures: Mapping[str, Any]) -> None:
    systems = (speed_answers.TUTORIAL, speed_answers.UNREAD, speed_answers.READ)
    turns = {
        name: {
            kind: [Turn(**turn) for turn in found] for kind, found in figures["turns"][name].items()
        }
        for name in systems
    }
    panels = [
        (heading, {kind: [_median(turns[s][kind], measure) for s in systems] for kind in KINDS})
        for heading, measure in (
            ("To the first token, entry or cell, seconds", ITEM),
            ("To the end of the answer, seconds", "whole answer"),
        )
    ]
    draw(PICTURE, "The same questions, the same model, the same machine", systems, panels)


def _median(turns: list[Turn], measure: str) -> float | None:
    found = [v for v in map(MEASURES[measure], turns) if v is not None]
    return median(found) if found else None


if __name__ == "__main__":
    main()
