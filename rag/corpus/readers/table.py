"""Read CSV and TSV: any delimiter, any order of columns, stray quotes."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator

from rag.corpus.readers.fields import Place, build, field_of
from rag.types import Record, Skip

_DELIMITERS = ",;\t|"
_RUNAWAY_LINES = 200


def fits(text: str) -> bool:
    """Whether the first line names a title or an abstract among several columns."""
    return len(_header(text)[1]) > 1 and bool(_columns(_header(text)[1]))


def _header(text: str) -> tuple[str, list[str]]:
    """Return the delimiter and the cells of the first line that is not blank."""
    first = next((line for line in text.split("\n") if line.strip()), "")
    return max(
        ((d, _split(first, d) or []) for d in _DELIMITERS),
        key=lambda pair: (len(_columns(pair[1])), len(pair[1])),
    )


def _columns(header: list[str]) -> dict[str, list[int]]:
    """Return the places of known columns; empty where neither title nor abstract is known."""
    places: dict[str, list[int]] = {}
    for n, name in enumerate(header):
        field = field_of(name)
        if field:
            places.setdefault(field, []).append(n)
    return places if "title" in places or "text" in places else {}


def read(text: str, file: str) -> Iterator[Record | Skip]:
    """Yield a record for each row; a row whose quotes do not close is named and left out."""
    delimiter, header = _header(text)
    columns = _columns(header)
    if not columns:
        yield Skip(file, "line 1", "no column is called title or abstract")
        return
    for line, cells in _rows(text, delimiter, len(header)):
        place = Place(file, f"line {line}")
        if cells is None:
            yield place.skip("a quote that does not close")
        elif len(cells) > len(header) and any(cells[len(header) :]):
            yield place.skip(f"{len(cells)} cells under {len(header)} columns")
        else:
            yield build(place, {name: _value(cells, spots) for name, spots in columns.items()})


def _value(cells: list[str], places: list[int]) -> str:
    return next((cells[n] for n in places if n < len(cells) and cells[n].strip()), "")


def _rows(text: str, delimiter: str, width: int) -> Iterator[tuple[int, list[str] | None]]:
    """Yield (line number, cells) of the rows below the header; None for one that runs away."""
    lines = text.split("\n")
    at = next((n for n, line in enumerate(lines) if line.strip()), len(lines)) + 1
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        cells, used = _row(lines, at, delimiter, width)
        yield at + 1, cells
        at += used


def _row(lines: list[str], at: int, delimiter: str, width: int) -> tuple[list[str] | None, int]:
    """Return the cells of the row at a line and the lines it takes.

    A quoted cell may span lines. When it would swallow a line that is a whole row itself,
    the quote is a stray one.
    """
    cells = _split(lines[at], delimiter)
    if cells is not None:
        return cells, 1
    for used in range(2, min(_RUNAWAY_LINES, len(lines) - at) + 1):
        joined = _split("\n".join(lines[at : at + used]), delimiter)
        if joined is not None and len(joined) == width:
            return joined, used
        alone = _split(lines[at + used - 1], delimiter)
        if joined is not None or (alone is not None and len(alone) == width > 2):
            break
    return None, 1


def _split(line: str, delimiter: str) -> list[str] | None:
    """Return the cells of a line, or None where a quote does not close."""
    if line.count('"') % 2:
        return None
    csv.field_size_limit(sys.maxsize)
    try:
        return next(csv.reader([line + "\n"] if "\n" not in line else line.splitlines(True),
                               delimiter=delimiter), [])  # fmt: skip
    except csv.Error:
        return None
