"""Turn a finished answer into the JSON of the command line and into plain text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rag.text import clean
from rag.types import Answer, Citation, PaperRef, Table


def answer_json(answer: Answer) -> dict[str, Any]:
    """One turn as the contract of `citewell ask --json` has it."""
    return {
        "question": answer.question,
        "kind": answer.kind,
        "abstained": answer.abstained,
        "reason": answer.reason,
        "answer": answer.text,
        "sentences": [_plain(asdict(sentence)) for sentence in answer.sentences],
        "citations": [_plain(asdict(citation)) for citation in answer.citations],
        "nearest": [{"paper_id": p.paper_id, "title": p.title} for p in answer.nearest],
        "table": _table(answer.table),
        "entries": _refs(answer.entries),
        "borderline": _refs(answer.borderline),
        "scanned": list(answer.scanned) if answer.scanned else None,
        "judged": answer.judged,
        "notices": list(answer.notices),
        "error": answer.error,
        "timings": asdict(answer.timings),
    }


def source_lines(citations: Sequence[Citation]) -> list[str]:
    """The list of sources under an answer, a line each: number, title, quote."""
    return [f"[{c.n}] {clean(c.title)}: “{clean(c.quote)}”" for c in citations]


def _plain(value: dict[str, Any]) -> dict[str, Any]:
    return {key: list(v) if isinstance(v, tuple) else v for key, v in value.items()}


def _refs(refs: Sequence[PaperRef] | None) -> list[dict[str, Any]] | None:
    return None if refs is None else [_plain(asdict(ref)) for ref in refs]


def _table(table: Table | None) -> dict[str, Any] | None:
    if table is None:
        return None
    rows = [
        {"paper_id": row.paper_id, "cells": [_plain(asdict(cell)) for cell in row.cells]}
        for row in table.rows
    ]
    return {"columns": list(table.columns), "rows": rows}
