"""Writes a comparison as Markdown or CSV, each cell with the numbers of its citations."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence

from rag.answer.render import source_lines
from rag.text import readable
from rag.types import Answer, Cell, Table


def table_markdown(answer: Answer, titles: Mapping[str, str]) -> str:
    """The table, the sentences about it, and the sources; `titles` are by paper id."""
    if answer.table is None:
        return answer.text
    lines = [_row(line) for line in _lines(answer.table, titles)]
    lines.insert(1, _row(["---"] * (len(answer.table.columns) + 1)))
    sources = [f"- {_plain(line)}" for line in source_lines(answer.citations)]
    return "\n".join([*lines, "", _plain(readable(answer.text)), "", *sources]).rstrip()


def table_csv(answer: Answer, titles: Mapping[str, str]) -> str:
    """The table alone, a paper a row; empty when there is none."""
    out = io.StringIO()
    if answer.table is not None:
        csv.writer(out, lineterminator="\n").writerows(_lines(answer.table, titles))
    return out.getvalue().rstrip("\n")


def _lines(table: Table, titles: Mapping[str, str]) -> list[list[str]]:
    rows = [
        [readable(titles.get(row.paper_id, row.paper_id)), *(_text(cell) for cell in row.cells)]
        for row in table.rows
    ]
    return [["paper", *table.columns], *rows]


def _text(cell: Cell) -> str:
    return f"{readable(cell.text)} {''.join(f'[{n}]' for n in cell.citations)}".strip()


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(_plain(cell).replace("|", "\\|") for cell in cells) + " |"


def _plain(text: str) -> str:
    """On one line, with what Markdown would take for markup kept as written."""
    for mark in "\\`*_<~$":
        text = text.replace(mark, f"\\{mark}")
    return " ".join(text.split())
