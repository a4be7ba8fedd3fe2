"""What a step of several tokens costs on this machine, measured once and kept.

The costs decide how an answer is decoded, and steps of different widths differ in the last bits
of their logits. Measured at each start they would let a near-tie fall differently from one day
to the next; kept, the same question has the same answer.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path

WIDTHS = (1, 2, 4, 8)
"""Tokens of a step that are measured and used."""

PLAIN: Mapping[int, float] = {1: 1.0}
"""The costs under which nothing is drafted."""

_ROUNDS = 3
_MOST = 1.5


def pace(file: Path | None, measure: Callable[[int], float]) -> Mapping[int, float]:
    """The cost of a step by its width, relative to one token.

    Read from `file`, or measured and kept there; `measure` gives the seconds of one step. Where
    other programs disturb the measurement, nothing is drafted until the next start.
    """
    kept = _read(file) if file else None
    if kept is not None:
        return kept
    rounds = [[measure(width) for width in WIDTHS] for _ in range(_ROUNDS)]
    # The least of several, since whatever else runs can only make a step slower.
    least = [min(seconds) for seconds in zip(*rounds, strict=True)]
    costs = {width: round(s / least[0], 2) for width, s in zip(WIDTHS, least, strict=True)}
    if not _plausible(costs):
        return PLAIN
    if file:
        with contextlib.suppress(OSError):
            _write(file, costs)
    return costs


def _read(file: Path) -> Mapping[int, float] | None:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        costs = {int(width): float(cost) for width, cost in found.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return None
    return costs if _plausible(costs) else None


def _plausible(costs: Mapping[int, float]) -> bool:
    """Whether no wider step costs less than a narrower one, or much more than its tokens do."""
    rising = all(a <= b for a, b in pairwise(costs.values()))
    bounded = all(1.0 <= cost <= _MOST * width for width, cost in costs.items())
    return tuple(costs) == WIDTHS and rising and bounded


def _write(file: Path, costs: Mapping[int, float]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=file.parent, suffix=".part")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            json.dump(costs, out)
        Path(name).replace(file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
