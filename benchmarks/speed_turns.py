"""What is measured of a turn, and how turns of two systems are set side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from benchmarks.exam import QUESTIONS
from benchmarks.lines import read_lines

PROSE, SETS = ("single", "followup"), ("compare", "list")
KINDS = (*PROSE, *SETS)
ITEM = "first entry or cell"


@dataclass(frozen=True, slots=True)
class Turn:
    """Seconds from the question to each thing on screen; None where it never came.

    `item_s` is the first entry of a list or cell of a table, or else the first token. `model_s`
    is the part of `total_s` that was spent in the chat model, where that is known.
    """

    evidence_s: float | None
    first_s: float | None
    item_s: float | None
    total_s: float
    tokens: int
    model_s: float | None = None


MEASURES: Mapping[str, Callable[[Turn], float | None]] = {
    "evidence": lambda turn: turn.evidence_s,
    "first token": lambda turn: turn.first_s,
    ITEM: lambda turn: turn.item_s,
    "whole answer": lambda turn: turn.total_s,
}


def measures(kind: str) -> tuple[str, ...]:
    """What is told of a kind of question: prose has neither entries nor cells."""
    return tuple(name for name in MEASURES if name != ITEM or kind in SETS)


def conversations(each: int | None) -> list[list[str]]:
    """The talks of the fixed file: of each kind the first `each`, of lists half of it, or all.

    A list takes the longest by far where nothing has been read before.
    """
    kept: list[list[str]] = []
    seen: dict[str, int] = {}
    for line in read_lines(QUESTIONS / "speed.jsonl"):
        seen[line["kind"]] = seen.get(line["kind"], 0) + 1
        most = (each + 1) // 2 if each and line["kind"] == "list" else each
        if most is None or seen[line["kind"]] <= most:
            kept.append([line["kind"], *line["turns"]])
    return kept


def by_kind(
    talks: Sequence[Sequence[str]], turns: Iterable[Sequence[Turn]]
) -> dict[str, list[Turn]]:
    """The turns by kind; what follows the first turn of a talk is a follow-up."""
    found: dict[str, list[Turn]] = {kind: [] for kind in KINDS}
    for (kind, *_), answered in zip(talks, turns, strict=True):
        found[kind].append(answered[0])
        found["followup"] += answered[1:]
    return found


def ratio(
    ours: Sequence[Turn], theirs: Sequence[Turn], measure: str, against: str | None = None
) -> float | None:
    """The median over questions of ours to theirs; None where one of them never has it."""
    mine, other = MEASURES[measure], MEASURES[against or measure]
    pairs = [(mine(a), other(b)) for a, b in zip(ours, theirs, strict=True)]
    ratios = [a / b for a, b in pairs if a is not None and b]
    return median(ratios) if ratios else None


def spread(values: Iterable[float | None]) -> str:
    """The median, with the least and the greatest in brackets."""
    found = sorted(value for value in values if value is not None)
    if not found:
        return "-"
    return f"{median(found):.2f} ({found[0]:.2f} to {found[-1]:.2f})"


def shown(value: float | None, digits: int = 2) -> str:
    """A number, or a dash where there is none."""
    return "-" if value is None else f"{value:.{digits}f}"
