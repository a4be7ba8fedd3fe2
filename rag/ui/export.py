"""Writes a conversation as Markdown with references."""

from __future__ import annotations

from collections.abc import Sequence

from rag.export import plain_markdown
from rag.types import Answer, Citation, Paper, Table
from rag.ui.turn import Turn


def markdown(turns: Sequence[Turn]) -> str:
    """The conversation; each question a heading, each answer followed by its sources."""
    return "\n".join(_turn(turn.answer) for turn in turns)


def cited_papers(turns: Sequence[Turn]) -> list[Paper]:
    """The papers that the answers cite, in order, without repeats."""
    ids = dict.fromkeys(c.paper_id for turn in turns for c in turn.answer.citations)
    known = {paper_id: paper for turn in turns for paper_id, paper in turn.papers.items()}
    return [known[paper_id] for paper_id in ids if paper_id in known]


def _turn(answer: Answer) -> str:
    kept = [s for s in answer.sentences if s.verdict != "unsupported"]
    lines = [plain_markdown(s.text) + "".join(f" [{n}]" for n in s.citations) for s in kept]
    body = " ".join(lines) or plain_markdown(answer.text) or plain_markdown(answer.error or "")
    parts = [f"## {plain_markdown(answer.question)}", body]
    if answer.table:
        parts.append(_table(answer.table, answer.citations))
    if answer.entries:
        parts.append("\n".join(f"- {plain_markdown(entry.title)}" for entry in answer.entries))
    if answer.citations:
        parts.append("\n".join(_reference(citation) for citation in answer.citations))
    return "\n\n".join(part for part in parts if part) + "\n"


def _reference(citation: Citation) -> str:
    return f"- [{citation.n}] {plain_markdown(citation.title)}: “{plain_markdown(citation.quote)}”"


def _table(table: Table, citations: Sequence[Citation]) -> str:
    titles = {c.paper_id: c.title for c in citations}
    head = ["Paper", *table.columns]
    rows = [
        [titles.get(row.paper_id, row.paper_id), *(cell.text for cell in row.cells)]
        for row in table.rows
    ]
    lines = [head, *rows]
    drawn = [f"| {' | '.join(plain_markdown(cell) for cell in line)} |" for line in lines]
    return "\n".join([drawn[0], "|" + " --- |" * len(head), *drawn[1:]])
