"""Join the entries of one paper: the best of each field."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rag.types import Record

_MUCH_LONGER = 1.05


def best_text(records: Sequence[Record], stamps: Sequence[int]) -> int:
    """Return which record's text is the paper's.

    The newest change wins; among equals the first, unless a later one says clearly more
    (exports cut abstracts short).
    """
    best = 0
    for n in range(1, len(records)):
        older, newer = len(records[best].text), len(records[n].text)
        later = stamps[n] > stamps[best] and newer > 0
        if later or (stamps[n] == stamps[best] and newer > older * _MUCH_LONGER) or not older:
            best = n
    return best


def merge(records: Sequence[Record], text_from: int) -> Record:
    """Return one record with the text of `records[text_from]` and the best other fields."""
    first = [records[text_from], *(r for n, r in enumerate(records) if n != text_from)]
    return replace(
        records[text_from],
        title=next((r.title for r in first if r.title), None),
        doi=next((r.doi for r in first if r.doi), None),
        arxiv=next((r.arxiv for r in first if r.arxiv), None),
        authors=max((r.authors for r in first), key=len),
        year=next((r.year for r in first if r.year), None),
        venue=next((r.venue for r in first if r.venue), None),
        url=next((r.url for r in first if r.url), None),
    )
